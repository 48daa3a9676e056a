// Asynchronous events (NVMe Base Specification 1.4, section 5.2): something has happened without a command of the host.
// An event completes an Asynchronous Event Request that waits. If no request waits, the event waits for one. No second
// event of the same type is reported before the host has read the log page of the first. Owned by the controller.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "storage/controller_config.hpp"

namespace ew::storage {

class Events {
 public:
  struct Event {
    u8 type = 0, information = 0, log_page = 0;
    u32 result() const { return u32{log_page} << 16 | u32{information} << 8 | type; }
  };
  static constexpr Event invalid_doorbell{0, 0, 1}, invalid_doorbell_value{0, 1, 1}, hot{1, 1, 2};

  /// The request in this slot waits from now on. False: too many wait already.
  bool wait(u32 slot) {
    if (requests_.size() == event_limit) return false;
    requests_.push_back(slot);
    return true;
  }
  /// The request ends without an event. False: it does not wait.
  bool withdraw(u32 slot) { return std::erase(requests_, slot) != 0; }
  void happens(Event event) {
    for (const Event& other : pending_)
      if (other.type == event.type && other.information == event.information) return;
    pending_.push_back(event);
  }
  /// The host has read the log page.
  void read(u8 log_page) {
    for (u32 type = 0; type < masked_.size(); ++type)
      if (masked_[type] == log_page) masked_[type] = 0;
  }

  struct Report {
    u32 slot, result;
  };
  /// A request that an event completes now; nothing if there is none.
  std::optional<Report> next() {
    if (requests_.empty()) return {};
    for (auto event = pending_.begin(); event != pending_.end(); ++event) {
      if (masked_[event->type] != 0) continue;
      const Report report{requests_.front(), event->result()};
      requests_.erase(requests_.begin());
      masked_[event->type] = event->log_page;
      pending_.erase(event);
      return report;
    }
    return {};
  }

 private:
  std::vector<u32> requests_;
  std::deque<Event> pending_;
  std::array<u8, 2> masked_{};  // for each type of event, the log page that the host must read first; 0: none
};

}  // namespace ew::storage
