// The durable part of a drive: blocks in an image file, or, without a file, in memory that ends with the process. The
// file is the blocks and nothing else, so `dd` makes one and reads one. Stretches of it that the file system does not
// store (holes) are deallocated blocks. Owned by Contents.
//
// While it is open, the file is locked against other processes. What was written is in the file at once: a process that
// is killed leaves all of it.
#pragma once

#include <array>
#include <span>
#include <string>
#include <unordered_map>

#include "core/types.hpp"
#include "storage/status.hpp"

namespace ew::storage {

/// What the machine file says of an image.
struct ImageConfig {
  std::string path;  // empty: none
  u64 bytes = 0;     // 0: what the file has; a file that is not there yet gets so many
  u32 block = 512;
  bool written = false;  // blocks of a new image count as written (with zeros), not as deallocated
};

class Image {
 public:
  /// Throws core::UserError with one sentence that begins with `name`.
  Image(const ImageConfig&, const std::string& name);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  u64 blocks() const { return blocks_; }
  u32 block_bytes() const { return block_; }
  /// Blocks that were written since they were last deallocated.
  u64 in_use() const { return in_use_; }
  bool deallocated(u64 block) const;

  /// REQUIRES, of all three: whole blocks of the image.
  Status read(u64 first, std::span<u8> to) const;
  Status write(u64 first, std::span<const u8> from);
  /// The blocks read as zero from now on.
  Status deallocate(u64 first, u64 blocks);

 private:
  static constexpr u64 chunk_blocks = 4096;
  using Chunk = std::array<u64, chunk_blocks / 64>;

  void open(const ImageConfig&, const std::string& name);
  void begin_new(bool written);
  void find_holes();
  void mark(u64 first, u64 blocks, bool used);

  u32 block_;
  u64 blocks_ = 0, in_use_ = 0;
  int file_ = -1;
  u8* memory_ = nullptr;                      // without a file
  bool written_ = false;                      // so are all blocks of a chunk that is missing
  std::unordered_map<u64, Chunk> allocated_;  // a bit for each block
};

}  // namespace ew::storage
