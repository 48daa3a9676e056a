// The instruction that an SM issues now. Owned by the SM; valid while it issues.
#pragma once

#include "simt/sm/readiness.hpp"

namespace ew::simt {

struct Issuing {
  u32 slot = 0;            // of its warp
  Readiness result = 0;    // of what it writes
  u32 leader = no_access;  // the first of its accesses that its registers wait for
};

}  // namespace ew::simt
