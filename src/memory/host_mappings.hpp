// What the host program keeps at an address: for the report about a kernel that was given a host pointer.
#pragma once

#include <optional>
#include <string>

#include "core/types.hpp"

namespace ew::memory {

/// "the host's heap (malloc or new)", "the host's stack", "a variable or constant of ./a.out" …; nothing when the
/// process has no readable memory there. Looks at the operating system's list of mappings: slow.
std::optional<std::string> host_memory_at(u64 address);

}  // namespace ew::memory
