// io_uring, by liburing. Without its headers (liburing-dev) this is one sentence.
#include "storage/hosted/file_queue.hpp"

#if __has_include(<liburing.h>) && defined(EW_LIBURING)
#include <liburing.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#endif

namespace ew::storage {

#if __has_include(<liburing.h>) && defined(EW_LIBURING)

namespace {

[[noreturn]] void give_up(int error) {
  std::fprintf(stderr, "everwarp: io_uring takes no accesses any more: %s\n", std::strerror(-error));
  std::abort();
}

class UringQueue final : public FileQueue {
 public:
  UringQueue(OpenFile& file, u32 room, std::string& why) {
    // Completions are handled when this thread calls the system, not by an interruption of it. Linux 5.19 and newer.
    int failed = ::io_uring_queue_init(room, &ring_, IORING_SETUP_COOP_TASKRUN);
    if (failed == -EINVAL) failed = ::io_uring_queue_init(room, &ring_, 0);
    if (failed < 0) {
      why = std::strerror(-failed);
      return;
    }
    works_ = true;
    own_.emplace(std::move(file));
    const int descriptor = own_->descriptor();
    registered_ = ::io_uring_register_files(&ring_, &descriptor, 1) == 0;
    file_ = registered_ ? 0 : descriptor;
  }
  ~UringQueue() override {
    if (works_) ::io_uring_queue_exit(&ring_);
  }
  UringQueue(const UringQueue&) = delete;
  UringQueue& operator=(const UringQueue&) = delete;

  bool works() const { return works_; }
  std::string_view name() const override { return "io_uring"; }

  void begin(const FileAccess& access) override {
    io_uring_sqe* const entry = ::io_uring_get_sqe(&ring_);
    if (!entry) return retry(access);
    const auto bytes = static_cast<unsigned>(access.bytes.size());
    switch (access.kind) {
      case FileAccess::Kind::read:
        ::io_uring_prep_read(entry, file_, access.bytes.data(), bytes, access.offset);
        break;
      case FileAccess::Kind::write:
        ::io_uring_prep_write(entry, file_, access.bytes.data(), bytes, access.offset);
        if (access.durable) entry->rw_flags = RWF_DSYNC;
        break;
      case FileAccess::Kind::sync:
        ::io_uring_prep_fsync(entry, file_, IORING_FSYNC_DATASYNC);
        break;
    }
    if (registered_) entry->flags |= IOSQE_FIXED_FILE;
    ::io_uring_sqe_set_data64(entry, access.tag);
    ++begun_;
  }

  void submit() override {
    while (begun_ > 0) {
      const int sent = ::io_uring_submit(&ring_);
      if (sent >= 0)
        begun_ -= static_cast<u32>(sent);
      else if (sent != -EINTR && sent != -EAGAIN && sent != -EBUSY)
        give_up(sent);
    }
  }

  u32 take(std::span<FileAccessEnd> ends, bool waits) override {
    io_uring_cqe* first = nullptr;
    if (waits)
      while (::io_uring_wait_cqe(&ring_, &first) == -EINTR) continue;
    u32 count = 0;
    unsigned head = 0;
    io_uring_cqe* entry = nullptr;
    io_uring_for_each_cqe(&ring_, head, entry) {
      if (count == ends.size()) break;
      ends[count++] = {static_cast<u32>(::io_uring_cqe_get_data64(entry)), entry->res};
    }
    ::io_uring_cq_advance(&ring_, count);
    return count;
  }

 private:
  /// The ring of submissions is full: what is in it goes first.
  void retry(const FileAccess& access) {
    submit();
    begin(access);
  }

  io_uring ring_{};
  std::optional<OpenFile> own_;
  int file_ = -1;  // the number of a registered file, or a descriptor
  u32 begun_ = 0;
  bool works_ = false, registered_ = false;
};

}  // namespace

std::unique_ptr<FileQueue> uring_queue(OpenFile& file, u32 room, std::string& why) {
  auto queue = std::make_unique<UringQueue>(file, room, why);
  if (!queue->works()) return nullptr;
  return queue;
}

#else

std::unique_ptr<FileQueue> uring_queue(OpenFile&, u32, std::string& why) {
  why = "this build has no io_uring, as liburing-dev was not there";
  return nullptr;
}

#endif

}  // namespace ew::storage
