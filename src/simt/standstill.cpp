#include "simt/standstill.hpp"

#include <bit>

#include "simt/spinning.hpp"

namespace ew::simt {
namespace {

bool may_run(const Split& split) {
  return split.state == SplitState::running || split.state == SplitState::asleep ||
         split.state == SplitState::at_performer;
}

/// How likely it helps to let these lanes go, the likeliest first.
enum Rank : u32 { has_helped, left_with_it, not_tried, has_failed, no_rank };

Rank rank_of(const Warp& warp, const Split& split, const Reconvergence& meeting) {
  const BranchMemory& branches = warp.block->grid->branches;
  if (branches.separates(meeting.branch)) return has_helped;
  if (may_run(split) && left_with_what_they_want(warp, split, meeting)) return left_with_it;
  return branches.failures(meeting.branch) ? has_failed : not_tried;
}

}  // namespace

bool Standstill::waits(const Block& block) const {
  for (u64 left = block.unfinished; left; left &= left - 1) {
    const Warp* warp = block.warps[static_cast<u32>(std::countr_zero(left))];
    if (!warp) return false;  // not begun
    const LaneMask spun = warp->spin.spun_look == watch_.look ? warp->spin.spun : 0;
    for (u32 s = 0; s < warp->split_count; ++s)
      if (may_run(warp->splits[s]) && ((warp->splits[s].mask & ~spun) || !warp->in_its_loop(warp->splits[s])))
        return false;
  }
  return true;
}

bool Standstill::everyone_waits() {
  const u32 count = static_cast<u32>(sms_.size());
  for (u32 i = 0; i < count; ++i) {
    const u32 at = (busy_sm_ + i) % count;
    for (const auto& block : sms_[at].blocks) {
      if (waits(*block)) continue;
      busy_sm_ = at;
      return false;
    }
  }
  return true;
}

bool Standstill::look(u64 now, u64 patience) {
  if (changes_ != watch_.changes) {
    changes_ = watch_.changes;
    ++watch_.look;
    looks_ = 0;
    return false;
  }
  if (!everyone_waits()) return false;
  ++watch_.look;
  if (++looks_ == 1) since_ = now;
  return looks_ >= 2 && now - since_ >= patience;
}

void Standstill::collect(Block& block) {
  for (Warp* warp : block.warps) {
    if (!warp || !warp->used_reconvergences) continue;
    Candidate best;
    u32 best_rank = no_rank;
    for (u32 s = 0; s < warp->split_count; ++s) {
      const u32 meeting = warp->who_waits_for(warp->splits[s]);
      if (meeting == nothing) continue;
      const u32 rank = rank_of(*warp, warp->splits[s], warp->reconvergences[meeting]);
      if (rank >= best_rank) continue;
      best_rank = rank;
      best = {warp, meeting, s};
    }
    if (best_rank > rank_ || best_rank == no_rank) continue;
    if (best_rank < rank_) candidates_.clear();
    rank_ = best_rank;
    candidates_.push_back(best);
  }
}

bool Standstill::let_go() {
  released_.clear();
  candidates_.clear();
  rank_ = no_rank;
  for (Sm& sm : sms_)
    for (auto& block : sm.blocks) {
      block->grid->branches.all_trials_failed();
      collect(*block);
    }
  if (!candidates_.empty()) looks_ = 0;
  // Nothing says that it would help: one is tried, so that the others stay together if it does.
  if (rank_ == not_tried) candidates_.resize(1);
  for (const Candidate& one : candidates_) {
    Warp& warp = *one.warp;
    const Split& split = warp.splits[one.split];
    warp.block->grid->branches.begin_trial(warp.reconvergences[one.meeting].branch, warp,
                                           may_run(split) ? split.mask : 0, warp.spin.by_lane().words);
    warp.release(one.meeting);
    warp.spin.by_lane().since.fill(warp.block->sm->cycle);
    warp.block->ready |= u64{1} << warp.index;
    released_.push_back(&warp);
  }
  return !released_.empty();
}

namespace {

/// Calls `visit(warp, lane)` for each lane that spins on a word, until it answers true; whether it did.
template <class Visit>
bool any_polling_lane(const Block& block, Visit visit) {
  for (const Warp* warp : block.warps)
    for (LaneMask left = warp ? warp->spin.spins & warp->live : 0; left; left &= left - 1) {
      const u32 lane = static_cast<u32>(std::countr_zero(left));
      if (warp->spin.by_lane().when[lane] && visit(*warp, lane)) return true;
    }
  return false;
}

}  // namespace

bool Standstill::polls_host_memory(const memory::AddressSpace& space) const {
  for (const Sm& sm : sms_)
    for (const auto& block : sm.blocks)
      if (any_polling_lane(*block, [&](const Warp& warp, u32 lane) {
            const u64 place = warp.spin.by_lane().words.place[lane];
            if (in_shared_memory(place, *block)) return false;
            const auto found = space.find(place);
            return !found || (found->region != memory::Region::device && found->region != memory::Region::internal &&
                              found->region != memory::Region::constant);
          }))
        return true;
  return false;
}

const Block& Standstill::block_to_report() const {
  const Block* found = nullptr;
  bool found_spins = false;
  for (const Sm& sm : sms_)
    for (const auto& block : sm.blocks) {
      const bool spins = any_polling_lane(*block, [](const Warp&, u32) { return true; });
      const bool older = !found || block->grid->id < found->grid->id;
      if (!older && (block->grid != found->grid || found_spins || !spins)) continue;
      found = block.get();
      found_spins = spins;
    }
  return *found;
}

}  // namespace ew::simt
