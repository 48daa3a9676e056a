#include "simt/deadlock_watch.hpp"

#include <utility>

#include "simt/grid_barrier.hpp"

namespace ew::simt {
namespace {

// Rounds in which nobody does anything but wait, before lanes that wait for others of their warp are let go.
constexpr u64 rounds_of_patience = 4;
// Rounds without a change of any register of a warp that polls in vain, before that is a deadlock: more than the
// longest sequence of polls that is seen to repeat; more still where another thread of the host may bring something.
constexpr u64 rounds_of_a_deadlock = 512, rounds_beside_threads = u64{1} << 20;

}  // namespace

DeadlockWatch::DeadlockWatch(Executor& executor, Residency& residency, const memory::AddressSpace& addresses)
    : executor_(executor),
      residency_(residency),
      addresses_(addresses),
      standstill_(executor.watch(), residency.sms()) {}

void DeadlockWatch::set_unattended(bool unattended, std::function<bool()> no_other_thread) {
  unattended_ = unattended;
  no_other_thread_ = std::move(no_other_thread);
}

std::optional<DeadlockWatch::Deadlock> DeadlockWatch::look_at_spinning(u64 round) {
  if (standstill_.look(round, rounds_of_patience) && !standstill_.let_go()) return look_for_deadlock();
  if (standstill_.broken()) executor_.watch().judges = false;
  return std::nullopt;
}

/// Every warp polls in vain, or waits, and no lane is left that could be let go.
std::optional<DeadlockWatch::Deadlock> DeadlockWatch::look_for_deadlock() {
  SpinWatch& watch = executor_.watch();
  const bool judged = std::exchange(watch.judges, true);
  if (std::exchange(watch.moves, 0) || !judged) stuck_rounds_ = 0;
  if (!unattended_ || ++stuck_rounds_ < rounds_of_a_deadlock) return std::nullopt;
  if (!(no_other_thread_ && no_other_thread_())) {
    if (stuck_rounds_ < rounds_beside_threads || standstill_.polls_host_memory(addresses_)) return std::nullopt;
  }
  const Block& block = standstill_.block_to_report();
  watch.judges = false;
  return Deadlock{block.grid,
                  executor_.deadlock(block, "every warp waits, and nobody is left who could change what they poll",
                                     FaultKind::deadlock)};
}

std::optional<DeadlockWatch::Deadlock> DeadlockWatch::look_at_grid_barriers() {
  for (auto& grid : residency_.grids()) {
    if (!grid->workspace || !grid_barrier::stands_still(*grid, residency_.sms())) continue;
    const Block& block = grid_barrier::block_to_report(*grid, residency_.sms());
    return Deadlock{grid.get(), executor_.deadlock(block, grid_barrier::what_it_waits_for(*grid, block))};
  }
  return std::nullopt;
}

}  // namespace ew::simt
