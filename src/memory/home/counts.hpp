// What a home counts.
#pragma once

#include "core/accounts.hpp"

namespace ew::memory {

struct HomeStatistics {
#define STATISTICS "memory/home/statistics.inc"
#include "core/statistics_set.inc"
};

using HomeCounts = core::CurrentAccount<HomeStatistics>;

}  // namespace ew::memory
