// When a home's messages leave: each request takes its turn, and what it causes leaves some cycles behind it, never
// before what was decided earlier. Owned by the home.
#pragma once

#include <algorithm>

#include "memory/home/lines.hpp"
#include "memory/network.hpp"

namespace ew::memory {

class Departures {
 public:
  Departures(const HomeConfig& config, core::TimeWheel& wheel, Network& network, Node from)
      : config_(config), wheel_(wheel), network_(network), from_(from) {}

  /// Cycles until the next turn.
  core::Cycle wait() const {
    const core::Cycle now = wheel_.now();
    return std::max(turn_ / config_.requests_per_cycle, now) - now;
  }
  /// A request takes so many turns, of which a cycle has requests_per_cycle.
  void take(u64 turns) {
    turn_ = std::max(turn_, wheel_.now() * config_.requests_per_cycle);
    last_start_ = turn_ / config_.requests_per_cycle;
    turn_ += turns;
  }
  /// Leaves `latency` cycles after the last turn, and `more`.
  void depart(const Request&, Node to, u32 data_bytes, u32 more = 0);
  u32 under_way() const { return under_way_; }

 private:
  void send(u64 kept, u64 how);

  const HomeConfig& config_;
  core::TimeWheel& wheel_;
  Network& network_;
  Node from_;
  u32 under_way_ = 0;
  u64 turn_ = 0;  // in cycles times requests_per_cycle
  core::Cycle last_start_ = 0;
};

}  // namespace ew::memory
