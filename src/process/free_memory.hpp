// How much memory programs may still take on this computer.
#pragma once

#include "core/types.hpp"

namespace ew::process {

/// Bytes that Linux would give without swapping (MemAvailable). If it does not say, the largest number.
u64 free_memory();

}  // namespace ew::process
