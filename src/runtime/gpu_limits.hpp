// The limits of SMs and launches, in the shape that simt/ wants.
#pragma once

#include "runtime/machine_config.hpp"
#include "simt/gpu.hpp"

namespace ew::runtime {

/// What a machine file says of SMs and launches. Of functional machines and of timing machines.
simt::GpuLimits gpu_limits(const MachineConfig&);

}  // namespace ew::runtime
