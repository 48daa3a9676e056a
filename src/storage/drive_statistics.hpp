// The counts of drives.
#pragma once

#include "core/types.hpp"

namespace ew::storage {

struct DriveStatistics {
#define STATISTICS "storage/statistics.inc"
#include "core/statistics_set.inc"
};

}  // namespace ew::storage
