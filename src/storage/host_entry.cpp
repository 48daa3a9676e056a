#include "storage/host_entry.hpp"

#include <cstring>

namespace ew::storage {

void HostEntry::enter(u32 number) {
  const Packet& packet = parts_.packets[number];
  if (packet.completion && parts_.ordered && !parts_.turns.is_first(packet.turn)) {
    held_.push_back(number);
    return;
  }
  full_.push_back(number);
  if (full_.size() == 1) ask();
}

/// Gives the memory what waits for it, while it has room.
void HostEntry::ask() {
  while (!full_.empty()) {
    const u32 number = full_.front();
    const Packet& packet = parts_.packets[number];
    if (!parts_.memory.serve({.address = parts_.place(packet.address),
                              .bytes = packet.bytes,
                              .write = packet.write,
                              .token = number,
                              .client = this,
                              .line = packet.address,
                              .host = memory::HostAccess::drive}))
      return parts_.memory.notify_when_free(
          packet.write, [](void* entry, u64, u64) { static_cast<HostEntry*>(entry)->ask(); }, this, 0);
    full_.pop_front();
  }
}

void HostEntry::served(u64 number) {
  Packet& packet = parts_.packets[number];
  u8* const memory = reinterpret_cast<u8*>(packet.address);
  (packet.write ? bytes_written_ : bytes_read_) += packet.bytes;
  if (packet.write)
    std::memcpy(memory, packet.content.data(), packet.bytes);
  else
    std::memcpy(packet.content.data(), memory, packet.bytes);
  parts_.done.handler(parts_.done.target, number, 0);
}

void HostEntry::written() {
  while (!held_.empty() && parts_.turns.is_first(parts_.packets[held_.front()].turn)) {
    const u32 next = held_.front();
    held_.pop_front();
    enter(next);
  }
}

}  // namespace ew::storage
