#include "memory/networks/ported_network.hpp"

namespace ew::memory {

PortedNetwork::PortedNetwork(const Shape& shape, const NetworkParts& parts, u32 jitter)
    : wheel_(parts.wheel),
      shape_(shape),
      agents_(parts.agents),
      ratio_(core::ClockRatio::of_clock(parts.clock, shape.clock, shape.width)),
      messages_(parts.agents + parts.homes),
      jitter_(jitter, parts.seed, parts.agents + parts.homes),
      injection_(shape.injection_ports),
      ejection_(shape.ejection_ports) {}

const NetworkStatistics& PortedNetwork::statistics() const {
  statistics_ = accounts_.total();
  statistics_.delivered = messages_.delivered();
  statistics_.busy_cycles = ratio_.cycle_at(busy_ticks_);
  statistics_.waited_cycles = ratio_.cycle_at(waited_ticks_);
  return statistics_;
}

u64 PortedNetwork::begin(u64& free, u64 tick, u64 length) {
  const u64 start = std::max(free, tick);
  waited_ticks_ += start - tick;
  free = start + length;
  return start;
}

core::Cycle PortedNetwork::occupy(u32 injection, u32 ejection, bool to_home, u32 data_bytes) {
  messages_.count_delivered();
  u64& free = to_home ? ejection_[ejection].free : injection_[injection];
  const u64 now = ratio_.tick_at(wheel_.now());
  return ratio_.cycle_at(now + begin(free, now, length(data_bytes)) - now) - wheel_.now();
}

NetworkMessages::Message& PortedNetwork::inject(u32 index, u32 data_bytes, u32 port, u64 latency) {
  Message& message = messages_[index];
  message.length = static_cast<u32>(length(data_bytes));
  message.tick = begin(injection_[port], ratio_.tick_at(wheel_.now()), message.length) + latency;
  if (jitter_.on()) {
    const u64 delayed = message.tick + ratio_.ticks_within(jitter_.cycles());
    message.tick = jitter_.behind_earlier(message.from, message.to, delayed, message.length);
  }
  return message;
}

void PortedNetwork::eject(u32 index, u32 port) {
  const Message& message = messages_[index];
  decide<&PortedNetwork::arrive>(ratio_.cycle_at(message.tick + message.length), *this, index, port);
}

void PortedNetwork::arrive(u64 index, u64 number) {
  const Message& message = messages_[static_cast<u32>(index)];
  EjectionPort& port = ejection_[number];
  const core::Cycle end = ratio_.cycle_at(begin(port.free, message.tick, message.length) + message.length);
  if (messages_.inbox_of(static_cast<u32>(index))) return messages_.post(static_cast<u32>(index), end);
  // Where the network's clock is the faster one, several may end in one cycle: they stay in order.
  if (end <= wheel_.now() && port.waiting == 0) return messages_.deliver(static_cast<u32>(index));
  ++port.waiting;
  messages_.comes(static_cast<u32>(index));
  wheel_.at<&PortedNetwork::deliver>(std::max(end, wheel_.now()), *this, index, number);
}

void PortedNetwork::deliver(u64 index, u64 port) {
  --ejection_[port].waiting;
  messages_.expect_next();
  messages_.deliver(static_cast<u32>(index));
}

}  // namespace ew::memory
