#include "simt/livelock.hpp"

#include <fmt/format.h>

#include <utility>

namespace ew::simt {
namespace {

// Loops that count their polls may end by themselves: they have so many times sm_timing.livelock_cycles.
constexpr u64 loops = 8;

}  // namespace

std::string Livelock::look(core::Cycle now, const PollsLook& look, bool alone, u64 stores, u64 changes) {
  alone &= std::exchange(stores_before_, stores) == stores;
  // Between two looks all polls may be on their way, or be held back below: time in which no warp did anything does not
  // count, and ends nothing.
  const core::Cycle passed = now - std::exchange(looked_at_, now);
  if (!look.any_loops) looping_since_ += passed;
  if (!look.any_spins) spinning_since_ += passed;
  if (!alone || !look.only_loops || look.timed) looping_since_ = now;
  if (look.any_loops && now - looping_since_ >= loops * cycles_) {
    looping_since_ = now;
    return fmt::format(
        "for {} cycles no warp has left the loop in which it polls: each counts, or takes and gives back what others "
        "wait for, and finds the same again and again",
        loops * cycles_);
  }
  const bool changed = std::exchange(changes_before_, changes) != changes;
  if (!alone || changed || !look.only_spins) {
    spinning_since_ = now;
  } else if (look.any_spins && now - spinning_since_ >= cycles_) {
    spinning_since_ = now;
    return fmt::format("for {} cycles all warps have polled values that nobody changes", cycles_);
  }
  return {};
}

}  // namespace ew::simt
