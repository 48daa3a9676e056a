// What a drive holds: an image, which is durable, and in front of it a write cache, which a crash empties. A block is
// in the cache or not; a read sees the newest bytes. Blocks leave the cache when they are flushed or told to (settle),
// and in the order in which they came when it is full. Owned by the drive.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "core/ring.hpp"
#include "storage/image.hpp"
#include "storage/medium.hpp"

namespace ew::storage {

class Contents {
 public:
  /// `cached`: blocks that the cache holds; 0: there is none, and every write is durable.
  Contents(Image& image, u64 cached) : image_(image), room_(cached) {}

  /// All of a command of the medium's, now.
  Status perform(const MediaCommand&);

  /// These blocks are durable, if they were in the cache.
  Status settle(u64 first, u64 blocks);
  Status flush();
  bool has_cache() const { return room_ > 0; }
  u64 cached() const { return cache_.size(); }
  /// None of these blocks was written since it was last deallocated.
  bool unwritten(u64 first, u64 blocks) const;
  u64 blocks_in_use() const { return image_.in_use() + fresh_; }
  u32 block_bytes() const { return image_.block_bytes(); }

 private:
  struct Cached {
    u64 turn;
    bool fresh;  // deallocated in the image
    std::vector<u8> bytes;
  };
  struct Turn {
    u64 block, turn;
  };

  Status read(u64 first, std::span<u8> to, bool refuses_deallocated) const;
  Status write(u64 first, std::span<const u8> from, bool durable);
  Status zero(u64 first, u64 blocks, bool durable);
  Status compare(u64 first, std::span<const u8> with) const;
  Status deallocate(std::span<const BlockRange>);
  void cache(u64 block, std::span<const u8> bytes);
  void forget(u64 first, u64 blocks);
  Status make_room();

  Image& image_;
  const u64 room_;
  u64 turns_ = 0, fresh_ = 0;  // fresh_: how many of the cached are so
  std::unordered_map<u64, Cached> cache_;
  core::Ring<Turn> order_;  // in which blocks came; of those that have left meanwhile, too
};

}  // namespace ew::storage
