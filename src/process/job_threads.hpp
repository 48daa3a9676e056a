// Threads that take numbered pieces of work from a common counter.
#pragma once

#include <atomic>
#include <functional>

#include "core/types.hpp"

namespace ew::process {

/// `work` runs in `jobs` threads, this one among them; it takes numbers from `next` until they reach `end`. The first
/// exception ends all of them and is thrown on.
void run_jobs(unsigned jobs, std::atomic<u64>& next, u64 end, const std::function<void()>& work);

/// Calls `work(i)` for every i below `count`, `jobs` at once.
void for_each_number(u64 count, unsigned jobs, const std::function<void(u64)>& work);

}  // namespace ew::process
