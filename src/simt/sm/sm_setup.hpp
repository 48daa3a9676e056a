// What the SMs of a timing machine are made of. It is the same for all of them and does not change while the machine
// runs. Owned by TimingGpu.
#pragma once

#include <functional>

#include "memory/address_map.hpp"
#include "memory/consistency.hpp"
#include "simt/kernel_timing.hpp"
#include "simt/occupancy.hpp"
#include "simt/warp_scheduler.hpp"

namespace ew::simt {

struct SmSetup {
  const GpuLimits& limits;
  const SmTimingConfig& config;
  const SchedulerPolicy& policy;
  const memory::Consistency& consistency;
  const std::function<void(u64 address, u64 bytes, bool written)>& meet_image;  // TimingGpuParts::meet_image
  PersistTiming persists;
  const memory::AddressMap* map = nullptr;  // says what is host memory
  u32 line = 128;                           // bytes of a private cache's line
  u32 private_latency = 20;                 // cycles of a hit in the private cache
  u64 seed = 0;                             // not 0: warps start with a skew, drawn from it
};

}  // namespace ew::simt
