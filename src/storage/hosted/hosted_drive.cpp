#include "storage/hosted/hosted_drive.hpp"

#include <cstring>

#include "storage/hosted/drive_thread.hpp"
#include "storage/nvme.hpp"

namespace ew::storage {

namespace {

std::span<u32> doorbells_in(std::span<u8> window) {
  return {reinterpret_cast<u32*>(window.data() + registers::doorbells), (window.size() - registers::doorbells) / 4};
}

}  // namespace

HostedDrive::HostedDrive(const ControllerConfig& config, Image& image, const memory::AddressSpace& space,
                         std::unique_ptr<FileQueue> queue, bool syncs, std::span<u8> window)
    : window_(window), controller_(config, image, space, std::move(queue), {.syncs = syncs}, doorbells_in(window)) {
  std::memset(window.data(), 0, window.size());
  thread_ = drive_thread([this] { serve(); });
}

HostedDrive::~HostedDrive() {
  {
    const std::lock_guard hold(lock_);
    ends_now_ = true;
  }
  posted_.notify_one();
  thread_.join();
}

u64 HostedDrive::load(u64 offset, u32 bytes) {
  if (offset < registers::doorbells) return controller_.read(offset, bytes);
  u64 word = 0;  // NVMe leaves open what a doorbell reads as
  std::memcpy(&word, window_.data() + offset, bytes);
  return word;
}

void HostedDrive::host_store(u64 offset, u32 bytes, u64 value) {
  if (offset >= registers::doorbells) std::memcpy(window_.data() + offset, &value, bytes);
  store(offset, bytes, value);
}

void HostedDrive::store(u64 offset, u32 bytes, u64 value) {
  std::unique_lock hold(lock_);
  store_ = Store{offset, bytes, value};
  posted_.notify_one();
  served_.wait(hold, [this] { return !store_; });
}

void HostedDrive::serve() {
  std::unique_lock hold(lock_);
  for (;;) {
    posted_.wait(hold, [this] { return store_ || ends_now_; });
    if (!store_) return;
    if (store_->offset >= registers::doorbells)
      controller_.rung(store_->offset);
    else
      controller_.write(store_->offset, store_->bytes, store_->value);
    while (controller_.step(true)) continue;
    store_.reset();
    served_.notify_one();
  }
}

}  // namespace ew::storage
