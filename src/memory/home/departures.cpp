#include "memory/home/departures.hpp"

namespace ew::memory {

void Departures::depart(const Request& message, Node to, u32 data_bytes, u32 more) {
  ++under_way_;
  wheel_.at<&Departures::send>(std::max(wheel_.now(), last_start_) + config_.latency + more, *this,
                               network_.keep(from_, to, message),
                               u64{data_bytes} << 8 | static_cast<u8>(message.traffic));
}

void Departures::send(u64 kept, u64 how) {
  --under_way_;
  network_.go(static_cast<u32>(kept), static_cast<u32>(how >> 8), static_cast<Traffic>(how & 0xff));
}

}  // namespace ew::memory
