// Where the local memory of threads lies on a timing machine: what threads keep to themselves has addresses, too, as
// the private caches hold it. Only its lines' time is simulated. Owned by TimingGpu.
#pragma once

#include "memory/address_space.hpp"
#include "simt/sm/grid_runs.hpp"

namespace ew::simt {

class ThreadLocalMemory {
 public:
  ThreadLocalMemory(memory::AddressSpace& space, u32 sms) : space_(space), sms_(sms) {}
  /// Gives the launch its place, the same for all: it grows with the deepest.
  void give(GridRun&);

 private:
  memory::AddressSpace& space_;
  u32 sms_;
  u64 begin_ = 0, bytes_ = 0;  // of each thread
};

}  // namespace ew::simt
