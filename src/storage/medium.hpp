// What a controller's commands reach: blocks that keep their bytes. A medium takes a command and says later that it is
// done; how much later is its own matter. Commands under way at the same time happen in any order.
#pragma once

#include <span>

#include "core/units.hpp"
#include "storage/status.hpp"

namespace ew::storage {

/// An entry of a Dataset Management command, as the host lays it out (NVMe Base Specification 1.4, section 6.7).
struct BlockRange {
  u32 attributes = 0;
  u32 blocks = 0;
  u64 first = 0;
};
static_assert(sizeof(BlockRange) == 16);

struct MediaCommand {
  enum class Kind : u8 { read, write, compare, write_zeroes, deallocate, flush };
  Kind kind = Kind::flush;
  bool durable = false;              // a write that is durable when it is done (FUA)
  bool refuses_deallocated = false;  // a read of a block that was never written fails
  u64 first = 0;                     // blocks [first, first + blocks)
  u64 blocks = 0;
  std::span<u8> data;                  // of reads, writes and comparisons
  std::span<const BlockRange> ranges;  // of deallocate
  Status fails;                        // unless it is a success: nothing happens but this, after the usual time
  core::Picoseconds late;              // on top of the usual time
};

class MediumClient {
 public:
  virtual ~MediumClient() = default;
  /// Once for each command, never from within start().
  virtual void done(u32 tag, Status) = 0;
};

class Medium {
 public:
  virtual ~Medium() = default;
  /// REQUIRES: blocks of the medium; `data` and `ranges` stay until it is done.
  virtual void start(u32 tag, const MediaCommand&) = 0;
  /// Was any of these blocks written since it was last deallocated? Of a namespace's figures only.
  virtual u64 blocks_in_use() const = 0;
};

}  // namespace ew::storage
