// A core of the host as a machine sees it whose CPU shares the GPU's memory: an agent with a node of its own. One
// access at a time, as the host's trace brings them (ew build --trace-host); the machine runs until it is over, stands
// still, and the host's own instruction touches the image.
//
// So the core moves no bytes. A load makes the home's image current under any protocol (an owner's bytes return); a
// store takes every other copy away before the host writes. The core keeps no copies, so each access goes to the home:
// host loads cost more than on hardware, where the core's cache would answer some of them.
#pragma once

#include "memory/private_cache.hpp"

namespace ew::memory {

struct CpuCoreStatistics {
  u64 loads = 0, stores = 0, cycles = 0;
};

class CpuCore final : public Agent {
 public:
  explicit CpuCore(core::TimeWheel& wheel) : wheel_(wheel) {}
  /// The port to the network; once, before the first access. `line` in bytes.
  void attach(PrivateCache& port, const AddressMap& map, u32 line);

  /// Begins the host's access to `bytes` bytes, of as many lines as it touches. REQUIRES: !busy().
  void start(u64 address, u64 bytes, bool store);
  bool busy() const { return at_ < end_ || waits_; }
  const CpuCoreStatistics& statistics() const { return statistics_; }

  ByteMask perform(u32 access, u32 part, u8* bytes) override;
  void complete(u32 access, u32 part, ServedBy by) override;
  void wake() override;
  void released(u32) override {}

 private:
  void next_line();
  void go_on(u64, u64);

  core::TimeWheel& wheel_;
  PrivateCache* port_ = nullptr;
  const AddressMap* map_ = nullptr;
  u64 line_bytes_ = longest_line;
  u64 at_ = 0, end_ = 0;  // what is left of the access
  bool store_ = false, waits_ = false, stalled_ = false;
  core::Cycle begin_ = 0;
  CpuCoreStatistics statistics_;
};

}  // namespace ew::memory
