#include "storage/image.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "core/diagnostics.hpp"

namespace ew::storage {

namespace {

/// Reads or writes all bytes. Returns 0 or an errno.
template <class Call, class Span>
int whole(Call call, int file, Span bytes, u64 offset) {
  while (!bytes.empty()) {
    const ssize_t done = call(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    if (done == 0) return EIO;  // the file was cut off meanwhile
    offset += static_cast<u64>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return 0;
}

}  // namespace

Status status_of_write(int error) {
  if (error == 0) return status::success;
  return error == ENOSPC || error == EDQUOT || error == EFBIG ? status::capacity_exceeded : status::write_fault;
}

Image::Image(const ImageConfig& config, const std::string& name) : block_(config.block) {
  if (!config.path.empty()) {
    open(config, name);
    return;
  }
  if (config.bytes == 0 || config.bytes % block_ != 0)
    throw core::UserError(
        fmt::format("{}: without an image it needs a size that is a multiple of {} bytes", name, block_));
  blocks_ = config.bytes / block_;
  void* const got =
      ::mmap(nullptr, config.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED)
    throw core::UserError(fmt::format("{}: {} bytes of memory: {}", name, config.bytes, std::strerror(errno)));
  memory_ = static_cast<u8*>(got);
  begin_new(config.written);
}

void Image::begin_new(bool written) {
  written_ = written;
  in_use_ = written ? blocks_ : 0;
}

Image::~Image() {
  if (memory_) ::munmap(memory_, blocks_ * block_);
  if (file_ >= 0) ::close(file_);
}

void Image::open(const ImageConfig& config, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    if (file_ >= 0) ::close(file_);
    throw core::UserError(fmt::format("{}: image {}: {}", name, config.path, why));
  };
  // Without a size the file cannot be created.
  const int create = config.bytes > 0 ? O_CREAT : 0;
  file_ = ::open(config.path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | create, 0644);
  if (file_ < 0 && errno == ENOENT && !create) refuse("there is none, and no size for a new one");
  if (file_ < 0) refuse(fmt::format("cannot be opened to be read and written: {}", std::strerror(errno)));
  struct stat status {};
  if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) refuse("is not a plain file");
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) refuse("another process or another drive of this one uses it");
  u64 bytes = static_cast<u64>(status.st_size);
  bool is_new = false;
  if (bytes == 0 && config.bytes > 0 && config.bytes % block_ == 0) {
    if (::ftruncate(file_, static_cast<off_t>(config.bytes)) != 0)
      refuse(fmt::format("cannot have {} bytes: {}", config.bytes, std::strerror(errno)));
    bytes = config.bytes;
    is_new = true;
  }
  if (config.bytes > 0 && config.bytes != bytes)
    refuse(fmt::format("has {} bytes, and size says {}", bytes, config.bytes));
  if (bytes == 0 || bytes % block_ != 0)
    refuse(fmt::format("{} bytes are not a whole number of blocks of {}", bytes, block_));
  blocks_ = bytes / block_;
  if (is_new)
    begin_new(config.written);
  else
    find_holes();
}

void Image::find_holes() {
  const off_t end = static_cast<off_t>(blocks_ * block_);
  off_t at = 0;
  while (at < end) {
    const off_t data = ::lseek(file_, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) return;       // nothing but a hole
    if (data < 0) return mark(0, blocks_, true);  // this file system does not report holes
    off_t hole = ::lseek(file_, data, SEEK_HOLE);
    if (hole < 0) hole = end;
    const u64 first = static_cast<u64>(data) / block_;
    mark(first, (static_cast<u64>(std::min(hole, end)) + block_ - 1) / block_ - first, true);
    at = hole;
  }
}

void Image::mark(u64 first, u64 blocks, bool used) {
  for (u64 block = first; block < first + blocks;) {
    const u64 in_word = block % 64, count = std::min(64 - in_word, first + blocks - block);
    const u64 bits = (count == 64 ? ~u64{0} : (u64{1} << count) - 1) << in_word;
    auto chunk = allocated_.find(block / chunk_blocks);
    if (chunk == allocated_.end() && used != written_) {
      chunk = allocated_.try_emplace(block / chunk_blocks).first;
      chunk->second.fill(written_ ? ~u64{0} : 0);
    }
    if (chunk != allocated_.end()) {
      u64& word = chunk->second[block % chunk_blocks / 64];
      const u64 before = word;
      word = used ? word | bits : word & ~bits;
      in_use_ += static_cast<u64>(std::popcount(word)) - static_cast<u64>(std::popcount(before));
    }
    block += count;
  }
}

bool Image::deallocated(u64 block) const {
  const auto chunk = allocated_.find(block / chunk_blocks);
  if (chunk == allocated_.end()) return !written_;
  return !(chunk->second[block % chunk_blocks / 64] >> block % 64 & 1);
}

Status Image::read(u64 first, std::span<u8> to) const {
  const u64 offset = first * block_;
  if (memory_)
    std::memcpy(to.data(), memory_ + offset, to.size());
  else if (whole(::pread, file_, to, offset) != 0)
    return status::unrecovered_read;
  return status::success;
}

Status Image::write(u64 first, std::span<const u8> from) {
  const u64 offset = first * block_;
  if (memory_)
    std::memcpy(memory_ + offset, from.data(), from.size());
  else if (const Status written = status_of_write(whole(::pwrite, file_, from, offset)); !written.ok())
    return written;
  mark(first, from.size() / block_, true);
  return status::success;
}

Status Image::deallocate(u64 first, u64 blocks) {
  const off_t offset = static_cast<off_t>(first * block_), bytes = static_cast<off_t>(blocks * block_);
  if (blocks == 0) return status::success;
  if (memory_) {
    std::memset(memory_ + offset, 0, static_cast<std::size_t>(bytes));
  } else if (::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, bytes) != 0) {
    // A file system without holes stores zeros.
    const std::array<u8, 65'536> zeros{};
    for (off_t done = 0; done < bytes;) {
      const std::size_t part = std::min<std::size_t>(zeros.size(), static_cast<std::size_t>(bytes - done));
      const Status written =
          status_of_write(whole(::pwrite, file_, std::span(zeros).first(part), static_cast<u64>(offset + done)));
      if (!written.ok()) return written;
      done += static_cast<off_t>(part);
    }
  }
  mark(first, blocks, false);
  return status::success;
}

}  // namespace ew::storage
