// Accesses of one file of the host, many under way at the same time. There are two ways: io_uring, and a few threads
// that call pread() and pwrite(). Used by one thread. Owned by FileMedium.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/types.hpp"

namespace ew::storage {

struct FileAccess {
  enum class Kind : u8 { read, write, sync };
  Kind kind = Kind::sync;
  bool durable = false;  // of a write: it ends when the file system has it on its disk
  u64 offset = 0;
  std::span<u8> bytes;
  u32 tag = 0;
};

/// An access has ended: with so many bytes, or with an errno below zero.
struct FileAccessEnd {
  u32 tag = 0;
  i64 result = 0;
};

class FileQueue {
 public:
  virtual ~FileQueue() = default;
  virtual std::string_view name() const = 0;
  /// REQUIRES: fewer than `room` accesses are under way; `bytes` are valid until the access has ended.
  virtual void begin(const FileAccess&) = 0;
  /// What was begun is told to the host's system.
  virtual void submit() = 0;
  /// Puts accesses that have ended into `ends`, and returns how many. `waits`: for the first. REQUIRES, if it waits:
  /// one is under way, and was submitted.
  virtual u32 take(std::span<FileAccessEnd> ends, bool waits) = 0;
};

/// A file that is open, until this value ends.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile();
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// nullptr: io_uring cannot be had, and `why` says why; then the file is still `file`.
std::unique_ptr<FileQueue> uring_queue(OpenFile& file, u32 room, std::string& why);
std::unique_ptr<FileQueue> thread_queue(OpenFile& file);

}  // namespace ew::storage
