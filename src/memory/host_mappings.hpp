// What the host program keeps at an address: for the report about a kernel that was given a host pointer, and for GPUs
// that reach such memory. Looks at the operating system's list of mappings: slow.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace ew::memory {

/// "the host's heap (malloc or new)", "the host's stack", "a variable or constant of ./a.out" …; nothing when the
/// process has no readable memory there.
std::optional<std::string> host_memory_at(u64 address);

struct HostMapping {
  u64 begin, end;
  bool writable;
};
/// All memory that the process may read, by address; neighbours of equal rights are one. Without the kernel's own pages
/// ([vdso], [vvar]).
std::vector<HostMapping> host_mappings();

}  // namespace ew::memory
