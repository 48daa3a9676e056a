// When a persist that nothing orders may leave the buffer: the policies of the SBRP paper, section 6.2. Owned by the
// sbrp model, which asks for each entry from the oldest on.
//
// A persist that a warp waits for leaves whatever the policy says: so does everything before the place that was wanted
// last. With caps_all (sbrp_artifact.hpp) the window holds for these persists, too.
#pragma once

#include <algorithm>
#include <utility>

#include "memory/persistency.hpp"
#include "persistency/persist_buffer.hpp"
#include "persistency/sbrp_config.hpp"

namespace ew::persistency {

class SbrpLeaving {
 public:
  using Place = PersistBuffer::Place;

  SbrpLeaving(const SbrpConfig& config, bool caps_all, memory::PersistMachinery& machinery)
      : machinery_(machinery),
        window_(config.window),
        policy_(config.policy == "eager"  ? Policy::eager
                : config.policy == "lazy" ? Policy::lazy
                                          : Policy::window),
        caps_all_(caps_all) {}

  /// A warp waits until everything before this place has left.
  void want(Place place) { wanted_ = std::max(wanted_, place); }
  /// What is before this place leaves whatever a cap says.
  void make_room(Place place) { makes_room_ = place; }
  /// An order operation is the youngest entry, before `tail`.
  void ordered(Place tail) {
    if (policy_ == Policy::lazy) want(tail);
  }
  Place wanted() const { return wanted_; }

  bool lets_go(Place place) {
    if (policy_ == Policy::eager || place < (caps_all_ ? makes_room_ : wanted_)) return true;
    if (policy_ == Policy::lazy) return false;
    if (machinery_.in_flight() < window_) return true;
    if (!std::exchange(window_full_, true)) machinery_.window_full(true);
    return false;
  }
  /// Behind a round of lets_go(): tells when the oldest persist no longer waits for the window alone.
  void close_round(bool buffer_empty) {
    if (!window_full_ || (machinery_.in_flight() >= window_ && !buffer_empty)) return;
    window_full_ = false;
    machinery_.window_full(false);
  }

 private:
  enum class Policy : u8 { window, eager, lazy };

  memory::PersistMachinery& machinery_;
  const u32 window_;  // persists in flight
  const Policy policy_;
  const bool caps_all_;
  Place wanted_ = 0, makes_room_ = 0;
  bool window_full_ = false;
};

}  // namespace ew::persistency
