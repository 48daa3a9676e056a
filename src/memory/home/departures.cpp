#include "memory/home/departures.hpp"

namespace ew::memory {

void Departures::depart(const Request& message, Node to, u32 data_bytes, u32 more) {
  u32 number = free_;
  if (number == no_number) {
    number = static_cast<u32>(departures_.size());
    departures_.emplace_back();
  } else {
    free_ = departures_[number].next_free;
  }
  departures_[number] = {.message = message, .data_bytes = static_cast<u16>(data_bytes), .to = to};
  ++under_way_;
  wheel_.at<&Departures::send>(std::max(wheel_.now(), last_start_) + config_.latency + more, *this, number, 0,
                               &departures_[number]);
}

void Departures::send(u64 number, u64) {
  const Departure departure = departures_[number];
  departures_[number].next_free = free_;
  free_ = static_cast<u32>(number);
  --under_way_;
  network_.send(from_, departure.to, departure.message, departure.data_bytes, departure.message.traffic);
}

}  // namespace ew::memory
