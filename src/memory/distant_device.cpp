#include "memory/distant_device.hpp"

namespace ew::memory {

bool DistantDevice::serve(const DeviceRequest& request) {
  if (!request.client) return device_.serve(request);
  const u32 number = free_.empty() ? static_cast<u32>(asked_.size()) : free_.back();
  DeviceRequest passed = request;
  passed.token = number;
  passed.client = this;
  if (!device_.serve(passed)) return false;
  if (free_.empty()) {
    asked_.emplace_back();
  } else {
    free_.pop_back();
  }
  asked_[number] = {request.token, request.client};
  return true;
}

void DistantDevice::answer(u64 number, u64) {
  const Asked asked = asked_[number];
  free_.push_back(static_cast<u32>(number));
  asked.client->served(asked.token);
}

}  // namespace ew::memory
