// The order in which a host with persistent memory takes a device's writes that go past its cache. They are posted:
// each waits for those before it (PCI Express). A packet has whole words of 4 bytes that follow each other. If it has a
// part of a line, the host reads the line, merges the packet's bytes and writes it. Until then the next packet for this
// line waits, and so do all behind it. Owned by the device.
#pragma once

#include "media/line_times.hpp"
#include "memory/request.hpp"

namespace ew::media {

class PostedWrites {
 public:
  /// `line_bytes`: of the host's cache; `merge`: cycles to read a line and write it again.
  PostedWrites(u32 line_bytes, core::Cycle merge) : line_bytes_(line_bytes), merge_(merge) {}

  bool merges() const { return merge_ != 0; }
  /// A write arrives, whose bytes are those of `mask`; its first byte stands for address `base`. Returns when all of it
  /// may go on to the medium.
  core::Cycle arrive(u64 base, const memory::ByteMask& mask, core::Cycle now);
  /// The same of a read, which does not pass writes, or of a write of whole lines that no packet merges into.
  core::Cycle whole_arrives(core::Cycle now) const { return now > order_ ? now : order_; }

 private:
  void packet(u64 address, u32 bytes);

  const u32 line_bytes_;
  const core::Cycle merge_;
  core::Cycle order_ = 0;  // when the last packet was taken
  core::Cycle ready_ = 0;  // when the write that arrives may go on
  LineTimes merged_;       // until then a line is busy
};

}  // namespace ew::media
