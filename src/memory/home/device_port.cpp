#include "memory/home/device_port.hpp"

#include <utility>

#include "memory/masks.hpp"

namespace ew::memory {

void DevicePort::put(u16 device, const DeviceRequest& request) {
  const u32 which = device * 2u + request.write;
  if (queued_[which].empty() && devices_[device]->serve(request)) return;
  queued_[which].push_back(request);
  ++total_;
  if (queued_[which].size() == 1) ask_for_room(which);
}

void DevicePort::ask_for_room(u32 which) {
  devices_[which / 2]->notify_when_free(
      which % 2, [](void* port, u64 w, u64) { static_cast<DevicePort*>(port)->put_waiting(static_cast<u32>(w)); }, this,
      which);
}

void DevicePort::put_waiting(u32 which) {
  core::Ring<DeviceRequest>& queue = queued_[which];
  const bool was_full = queue.size() >= most_writes_;
  while (!queue.empty() && devices_[which / 2]->serve(queue.front())) {
    queue.pop_front();
    --total_;
  }
  if (!queue.empty()) ask_for_room(which);
  if (which % 2 && was_full && queue.size() < most_writes_ && client_) std::exchange(client_, nullptr)->served(token_);
}

void DevicePort::drop(Payloads& payloads, u64 begin, u64 end) {
  for (core::Ring<DeviceRequest>& queue : queued_)
    for (u32 i = 0; i < queue.size(); ++i)
      if (queue[i].payload != no_payload) clear_range(payloads[queue[i].payload].valid, queue[i].line, begin, end);
}

}  // namespace ew::memory
