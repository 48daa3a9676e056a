#include "delayed_performer.hpp"

#include <algorithm>
#include <stdexcept>

namespace ew::test {

using ptx::MemoryKind;
using simt::Performed;
using simt::SyncKind;

simt::Performed DelayedPerformer::memory(simt::MemoryOp& op) {
  switch (op.form->kind) {
    case MemoryKind::load:
      ++(op.texture ? traffic_.texels : traffic_.loads);
      break;
    case MemoryKind::store:
      ++traffic_.stores;
      break;
    case MemoryKind::update:
      ++traffic_.updates;
      break;
    case MemoryKind::async_copy:
      ++traffic_.copies;
      break;
    default:
      ++traffic_.atomics;
      break;
  }
  Pending pending{.is_memory = true, .grid = op.warp->block->grid};
  const bool plain = op.form->kind == MemoryKind::load || op.form->kind == MemoryKind::store;
  if (goes_on_ && plain && !op.texture && !op.plan->polls) {
    const Performed performed = perform(op);
    if (performed == Performed::faulted) return performed;
    op.parks = false;
    pending.performed = true;
  }
  pending.memory = op;
  keep(pending);
  return Performed::pending;
}

simt::Performed DelayedPerformer::sync(simt::SyncOp& op) {
  u64* const count[] = {&traffic_.barriers, &traffic_.warp_barriers, &traffic_.fences,
                        &traffic_.sleeps,   &traffic_.commits,       &traffic_.waits};
  ++*count[static_cast<u32>(op.kind)];
  keep({.sync = op, .grid = op.warp->block->grid});
  return Performed::pending;
}

simt::Performed DelayedPerformer::perform(simt::MemoryOp& op) {
  guard_.open();
  const Performed performed = memory_.memory(op);
  guard_.close();
  return performed;
}

void DelayedPerformer::keep(const Pending& pending) {
  const auto* warp = pending.is_memory ? pending.memory.warp : pending.sync.warp;
  due_[(now_ + 1 + random_() % (due_.size() - 1)) % due_.size()].push_back(pending);
  traffic_.most_of_one_warp = std::max<u64>(traffic_.most_of_one_warp, warp->under_way + 1);
}

void DelayedPerformer::forget(const simt::Grid& grid) {
  for (auto& turn : due_) std::erase_if(turn, [&](const Pending& pending) { return pending.grid == &grid; });
}

void DelayedPerformer::step(simt::Finisher& finisher) {
  now_ = (now_ + 1) % due_.size();
  std::vector<Pending>& turn = due_[now_];
  std::shuffle(turn.begin(), turn.end(), random_);
  for (Pending& now : turn) {
    ++traffic_.finished;
    if (!now.is_memory) {
      finisher.finish(now.sync);
      continue;
    }
    const Performed performed = now.performed ? Performed::done : perform(now.memory);
    if (performed == Performed::pending) throw std::logic_error("a flat memory performs at once");
    finisher.finish(now.memory, performed);
  }
  turn.clear();
}

}  // namespace ew::test
