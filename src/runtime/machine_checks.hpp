// What runtime::check() asks about, apart from what each field says alone. Each throws a UserError that names a field.
#pragma once

#include "runtime/machine_config.hpp"

namespace ew::runtime {

/// What programs are told of L2 and memory is what is simulated.
void check_what_is_told(const MachineConfig&);
/// A machine of this size can be held in a host's memory, and its figures can work together.
void check_sizes(const MachineConfig&);

}  // namespace ew::runtime
