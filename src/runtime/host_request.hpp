// An access of the host that is to be performed on the machine: of one instruction, or of a piece of a block.
#pragma once

#include "core/types.hpp"
#include "runtime/host_threads.hpp"

namespace ew::runtime {

struct HostRequest {
  HostThreads::Order thread = 0;
  u64 address = 0, bytes = 0;  // a store lies in two lines at most
  bool store = false;
  bool begun = false, over = false;  // set by the machine
};

}  // namespace ew::runtime
