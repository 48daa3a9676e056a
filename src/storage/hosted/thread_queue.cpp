// Accesses of a file by threads: each takes one access after the other. Where io_uring is not allowed.
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/ring.hpp"
#include "storage/hosted/drive_thread.hpp"
#include "storage/hosted/file_queue.hpp"

namespace ew::storage {

namespace {

i64 perform(int file, const FileAccess& access) {
  const iovec bytes{access.bytes.data(), access.bytes.size()};
  const auto offset = static_cast<off_t>(access.offset);
  for (;;) {
    i64 done = 0;
    switch (access.kind) {
      case FileAccess::Kind::read:
        done = ::preadv2(file, &bytes, 1, offset, 0);
        break;
      case FileAccess::Kind::write:
        done = ::pwritev2(file, &bytes, 1, offset, access.durable ? RWF_DSYNC : 0);
        break;
      case FileAccess::Kind::sync:
        done = ::fdatasync(file);
        break;
    }
    if (done >= 0) return done;
    if (errno != EINTR) return -errno;
  }
}

class ThreadQueue final : public FileQueue {
 public:
  explicit ThreadQueue(OpenFile& file) : file_(std::move(file)) {
    for (std::thread& thread : threads_) thread = drive_thread([this] { work(); });
  }
  ~ThreadQueue() override {
    {
      const std::lock_guard hold(lock_);
      ends_now_ = true;
    }
    begun_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  ThreadQueue(const ThreadQueue&) = delete;
  ThreadQueue& operator=(const ThreadQueue&) = delete;

  std::string_view name() const override { return "threads"; }

  void begin(const FileAccess& access) override { mine_.push_back(access); }
  void submit() override {
    if (mine_.empty()) return;
    {
      const std::lock_guard hold(lock_);
      for (; !mine_.empty(); mine_.pop_front()) waiting_.push_back(mine_.front());
    }
    begun_.notify_all();
  }

  u32 take(std::span<FileAccessEnd> ends, bool waits) override {
    std::unique_lock hold(lock_);
    if (waits) done_.wait(hold, [this] { return !ended_.empty(); });
    u32 count = 0;
    for (; count < ends.size() && !ended_.empty(); ended_.pop_front()) ends[count++] = ended_.front();
    return count;
  }

 private:
  void work() {
    std::unique_lock hold(lock_);
    for (;;) {
      begun_.wait(hold, [this] { return ends_now_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const FileAccess access = waiting_.front();
      waiting_.pop_front();
      hold.unlock();
      const i64 result = perform(file_.descriptor(), access);
      hold.lock();
      ended_.push_back({access.tag, result});
      done_.notify_one();
    }
  }

  const OpenFile file_;
  core::Ring<FileAccess> mine_;  // begun, and not submitted
  std::mutex lock_;              // for all below
  std::condition_variable begun_, done_;
  core::Ring<FileAccess> waiting_;
  core::Ring<FileAccessEnd> ended_;
  bool ends_now_ = false;
  std::array<std::thread, 4> threads_;  // last: they use the rest
};

}  // namespace

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::unique_ptr<FileQueue> thread_queue(OpenFile& file) {
  return std::make_unique<ThreadQueue>(file);
}

}  // namespace ew::storage
