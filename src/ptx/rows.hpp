// Gives registers whose live ranges do not meet the same row of a warp's register file.
#pragma once

#include <span>
#include <vector>

#include "ptx/liveness.hpp"

namespace ew::ptx {

/// A register that wants `width` consecutive rows (1, 2 or 4, aligned to the width) during its intervals.
struct RowRequest {
  u32 id = 0;  // the caller's
  u32 width = 1;
  std::span<const Interval> intervals;
};

struct RowAssignment {
  std::vector<u32> row;  // per request
  u32 rows = 0;
};

/// REQUIRES: no request has an empty list of intervals.
RowAssignment assign_rows(std::span<const RowRequest>);

}  // namespace ew::ptx
