// What the device says about itself: one function fills cudaDeviceProp from the machine file, another answers
// attributes from it, so that the two never disagree.
#pragma once

#include <optional>

#include "driver_types.h"
#include "runtime/machine_config.hpp"

namespace ew::runtime {

cudaDeviceProp properties_of(const MachineConfig&);
/// Its limits of textures, which are the same on every device; the rest is zero.
cudaDeviceProp texture_limits();
/// Empty: no such attribute. The driver API's CUdevice_attribute has the same numbers.
std::optional<int> attribute_of(const cudaDeviceProp&, int attribute);

}  // namespace ew::runtime
