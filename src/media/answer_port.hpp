// Where a device of the host's side answers over the link: bytes that were read, or the word that a write is done.
// Answers to what fences have sent have a bandwidth of their own: so fences persist only so many bytes a second over
// the link. Owned by the device; the link is the machine's.
#pragma once

#include <algorithm>

#include "core/time_wheel.hpp"
#include "memory/host_link.hpp"

namespace ew::media {

class AnswerPort {
 public:
  AnswerPort(memory::HostLink& link, core::TimeWheel& wheel, core::Kilohertz clock, core::BytesPerSecond fences)
      : link_(link), wheel_(wheel), clock_(clock), fences_(fences) {}

  memory::HostLink& link() { return link_; }
  /// Member(slot) of the device runs when the answer has arrived. `fenced`: bytes that a fence has sent.
  template <auto Member, class Device>
  void send(u64 bytes, u64 fenced, Device& device, u64 slot) {
    if (!fenced || fences_.count == 0)
      return static_cast<void>(link_.send<Member>(memory::LinkDirection::to_device, bytes, device, slot));
    // Times in picoseconds: they are seldom a whole number of cycles.
    const u64 now = static_cast<u64>(static_cast<unsigned __int128>(wheel_.now()) * 1'000'000'000 / clock_.count);
    const u64 when = std::max(now, free_picoseconds_);
    free_picoseconds_ = when + fenced * 1'000'000'000'000 / fences_.count;
    const core::Cycle cycle = std::max(wheel_.now(), core::cycles_covering(clock_, {when}));
    wheel_.at(
        cycle,
        [](void* target, u64 a, u64 port) {
          reinterpret_cast<AnswerPort*>(port)->link_.template send<Member>(memory::LinkDirection::to_device, 0,
                                                                           *static_cast<Device*>(target), a);
        },
        &device, slot, reinterpret_cast<u64>(this));
  }

 private:
  memory::HostLink& link_;
  core::TimeWheel& wheel_;
  const core::Kilohertz clock_;
  const core::BytesPerSecond fences_;
  u64 free_picoseconds_ = 0;
};

}  // namespace ew::media
