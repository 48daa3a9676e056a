// The table of warp schedulers: what sm_timing.policy may be. A scheduler is one file beside this one and one line in
// models.inc.
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

namespace schedulers {
#define MODEL(name) SchedulerPolicy name();
#include "simt/schedulers/models.inc"
#undef MODEL
}  // namespace schedulers

}  // namespace ew::simt
