// The table of warp schedulers: what sm_timing.policy may be. A scheduler is one file beside this one and one line in
// models.cpp.
#pragma once

#include <span>
#include <vector>

#include "simt/warp_scheduler.hpp"

namespace ew::simt {

/// In the order in which they are documented.
std::span<const SchedulerPolicy> scheduler_policies();
std::vector<std::string_view> scheduler_names();
/// nullptr: there is none of that name.
const SchedulerPolicy* scheduler_policy(std::string_view name);

// One a file.
u32 greedy_then_oldest(const WarpChoice&);
u32 loose_round_robin(const WarpChoice&);
std::unique_ptr<SchedulerState> make_two_level(const SchedulerPlace&);

}  // namespace ew::simt
