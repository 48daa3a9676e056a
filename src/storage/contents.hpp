// The bytes of a drive: an image, which is durable, and in front of it a volatile write cache, which a crash empties. A
// read sees the newest bytes. Blocks leave the cache by a flush, by settle(), or when the cache is full: then those
// that came first leave. Owned by the drive.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "core/ring.hpp"
#include "storage/command_log.hpp"
#include "storage/image.hpp"
#include "storage/medium.hpp"

namespace ew::storage {

class Contents {
 public:
  /// `cached`: the number of blocks that the cache can hold. 0: there is no cache, and every write is durable.
  Contents(Image& image, u64 cached) : image_(image), room_(cached) {}

  /// Performs a whole command of the medium now.
  Status perform(const MediaCommand&);
  /// From now on the log, which outlives this, hears of commands that were performed. `drive`: what this is called
  /// there.
  void log_to(CommandLog& log, u32 drive) { log_ = &log, drive_ = drive; }

  /// Makes these blocks durable, if they are in the cache.
  Status settle(u64 first, u64 blocks);
  Status flush();
  /// Power is lost now, and this process ends: of the cache each block becomes durable or not, by chance, or none does.
  void lose_power(u64 seed);
  bool has_cache() const { return room_ > 0; }
  u64 cached() const { return cache_.size(); }
  /// True if none of these blocks was written since it was last deallocated.
  bool unwritten(u64 first, u64 blocks) const;
  u64 blocks_in_use() const { return image_.in_use() + fresh_; }
  u32 block_bytes() const { return image_.block_bytes(); }

 private:
  struct Cached {
    u64 turn;
    bool fresh;  // the block is deallocated in the image
    std::vector<u8> bytes;
  };
  struct Turn {
    u64 block, turn;
  };

  Status perform_unlogged(const MediaCommand&);
  Status read(u64 first, std::span<u8> to, bool refuses_deallocated) const;
  Status write(u64 first, std::span<const u8> from, bool durable);
  Status zero(u64 first, u64 blocks, bool durable);
  Status compare(u64 first, std::span<const u8> with) const;
  Status deallocate(std::span<const BlockRange>);
  void cache(u64 block, std::span<const u8> bytes);
  void forget(u64 first, u64 blocks);
  Status make_room();

  Image& image_;
  CommandLog* log_ = nullptr;
  u32 drive_ = 0;
  const u64 room_;
  u64 turns_ = 0, fresh_ = 0;  // fresh_: the number of fresh blocks in the cache
  std::unordered_map<u64, Cached> cache_;
  core::Ring<Turn> order_;  // blocks in the order in which they came; some of them have left the cache already
};

}  // namespace ew::storage
