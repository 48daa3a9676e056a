#include "media/nvm.hpp"

#include "media/kinds.hpp"

namespace ew::media {

Nvm::Nvm(const NvmConfig& config, const MediaParts& parts)
    : medium_(config, parts, parts.channels, *this), queue_(config.queue) {
  slots_.reserve(config.queue);
  free_.reserve(config.queue);
}

bool Nvm::serve(const memory::DeviceRequest& request) {
  if (in_flight() == queue_) return false;
  u32 slot = static_cast<u32>(slots_.size());
  if (free_.empty()) {
    slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  slots_[slot] = {request.token, request.client};
  (request.write ? counts_.writes : counts_.reads) += 1;
  (request.write ? counts_.written_bytes : counts_.read_bytes) += request.bytes;
  medium_.arrive({request.address, request.bytes, request.write, slot, request.payload, request.line});
  return true;
}

void Nvm::medium_done(u64 number) {
  const Slot slot = slots_[number];
  free_.push_back(static_cast<u32>(number));
  if (slot.client) slot.client->served(slot.token);
  while (!waiters_.empty() && in_flight() < queue_) {
    const Waiter waiter = waiters_.front();
    waiters_.pop_front();
    waiter.handler(waiter.target, waiter.a, 0);
  }
}

void Nvm::notify_when_free(bool, core::TimeWheel::Handler handler, void* target, u64 a) {
  waiters_.push_back({handler, target, a});
}

const memory::DeviceStatistics& Nvm::statistics() const {
  statistics_ = counts_;
  medium_.add_to(statistics_);
  return statistics_;
}

std::unique_ptr<memory::Device> make_nvm(const MediaConfig& config, const MediaParts& parts) {
  return std::make_unique<Nvm>(config.nvm, parts);
}

}  // namespace ew::media
