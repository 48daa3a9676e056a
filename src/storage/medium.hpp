// The medium of a drive: the blocks that a controller's commands read and write. A medium takes a command, and says
// later that it is done. The medium decides how much later. Commands under way at the same time happen in any order.
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
  bool durable = false;              // for writes: durable when done (FUA)
  bool refuses_deallocated = false;  // for reads: a block that is deallocated is an error
  u64 first = 0;                     // blocks [first, first + blocks)
  u64 blocks = 0;
  std::span<u8> data;                  // for reads, writes and comparisons
  std::span<const BlockRange> ranges;  // for deallocate
  Status fails;            // if it is an error: the command ends with it after the usual time, without effect
  core::Picoseconds late;  // time in addition to the usual time
};

class MediumClient {
 public:
  virtual ~MediumClient() = default;
  /// Called once for each command, never from within start().
  virtual void done(u32 tag, Status) = 0;
};

class Medium {
 public:
  virtual ~Medium() = default;
  /// REQUIRES: the medium has these blocks; `data` and `ranges` are valid until the command is done.
  virtual void start(u32 tag, const MediaCommand&) = 0;
  /// The number of blocks that were written since they were last deallocated.
  virtual u64 blocks_in_use() const = 0;
};

}  // namespace ew::storage
