// The threads of a campaign, which take numbered trials from a common counter.
#pragma once

#include <atomic>
#include <functional>

#include "core/types.hpp"

namespace ew::check {

/// `work` runs in `jobs` threads, this one among them; it takes numbers from `next` until they reach `end`. A mistake
/// (core::UserError, or what else is thrown) ends all of them and is thrown here as a core::UserError.
void run_jobs(unsigned jobs, std::atomic<u64>& next, u64 end, const std::function<void()>& work);

}  // namespace ew::check
