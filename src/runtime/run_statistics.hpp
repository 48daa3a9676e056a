// What a run is counted in: the figures of `ew run --stats` and --json, described once for the file and for `ew
// explain`.
#pragma once

#include "core/types.hpp"

namespace ew::runtime {

struct RunStatistics {
#define STATISTICS "runtime/run_statistics.inc"
#include "core/statistics_set.inc"
};

}  // namespace ew::runtime
