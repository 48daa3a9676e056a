#include "persistency/unbuffered.hpp"

#include <fmt/format.h>

namespace ew::persistency {

/// Which bytes of a line are dirty is the private cache's to know; whether these joined others it counts itself.
bool Unbuffered::stored(u32, u32) {
  return false;
}

bool Unbuffered::was_told(u64 warps) {
  if ((told_ & warps) != warps) return false;
  told_ &= ~warps;
  return true;
}

bool Unbuffered::wait_until_durable(u64 warps) {
  const u64 fresh = warps & ~waiting_;
  if (!fresh) return false;
  if (machinery_.when_durable(fresh)) return true;
  waiting_ |= fresh;
  return false;
}

bool Unbuffered::epoch_barrier(Barrier barrier, u64 warps) {
  if (!was_told(warps) && (barrier.always || waiting_ & warps || machinery_.take_accessed(warps))) {
    machinery_.flush_persistent();
    if (barrier.volatile_too) machinery_.flush_volatile();
    if (!wait_until_durable(warps)) return false;
  }
  machinery_.invalidate(barrier.volatile_too);
  return true;
}

void Unbuffered::on_durable() {
  if (!draining_ || machinery_.in_flight()) return;
  draining_ = false;
  machinery_.drained();
}

void Unbuffered::durable_so_far(u64 warps) {
  waiting_ &= ~warps;
  told_ |= warps;
  machinery_.resume(warps);
}

bool Unbuffered::drain() {
  machinery_.flush_persistent();
  draining_ = machinery_.in_flight() != 0;
  return !draining_;
}

std::string Unbuffered::what_is_under_way() const {
  if (!waiting_) return {};
  return fmt::format("warp slots {:#x} wait for {} persists to become durable\n", waiting_, machinery_.in_flight());
}

}  // namespace ew::persistency
