// The durable part of a drive: blocks in an image file. Without a file they are in memory, and end with the process.
// The file has the blocks and nothing else, so `dd` can make it and read it. Holes of the file are deallocated blocks.
// Owned by Contents.
//
// While the image is open, its file is locked against other processes. Written blocks are in the file at once: a
// process that is killed leaves all of them.
#pragma once

#include <array>
#include <span>
#include <string>
#include <unordered_map>

#include "core/types.hpp"
#include "storage/status.hpp"

namespace ew::storage {

/// The keys of the machine file for an image.
struct ImageConfig {
  std::string path;  // empty: no file
  u64 bytes = 0;     // the size; a new file gets it. 0: the file's own size
  u32 block = 512;
  bool written = false;  // blocks of a new image count as written (with zeros), not as deallocated
};

class Image {
 public:
  /// Throws core::UserError with a sentence that begins with `name`.
  Image(const ImageConfig&, const std::string& name);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  u64 blocks() const { return blocks_; }
  u32 block_bytes() const { return block_; }
  /// The number of blocks that were written since they were last deallocated.
  u64 in_use() const { return in_use_; }
  bool deallocated(u64 block) const;
  /// The descriptor of the file; -1: there is none.
  int file() const { return file_; }
  /// These blocks were written to the file otherwise than by write().
  void written(u64 first, u64 blocks) { mark(first, blocks, true); }

  /// All three REQUIRE whole blocks of the image.
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
  u8* memory_ = nullptr;                      // the blocks, without a file
  bool written_ = false;                      // whether the blocks of chunks without an entry count as written
  std::unordered_map<u64, Chunk> allocated_;  // chunks with a bit for each block: it was written
};

/// The status of a write to a file that ended with this errno; 0: it did not fail.
Status status_of_write(int error);

}  // namespace ew::storage
