// Keys of a machine file that belong to one model alone, where the machine has another model.
#pragma once

#include <string>
#include <string_view>

#include "runtime/machine_config.hpp"

namespace ew::runtime {

/// Why nothing reads this section of the machine: it is of a model that was not chosen. Empty: it is read.
std::string why_unused(std::string_view section, const MachineConfig&);

}  // namespace ew::runtime
