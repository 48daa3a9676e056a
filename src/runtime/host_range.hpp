// What the host has mapped: whether memory that the program names by address and size is there at all. A copy that runs
// off its end would end the process by a signal.
#pragma once

#include "core/checked.hpp"

namespace ew::runtime {

/// Is every page of it mapped? Some nanoseconds a page; a page that nobody may read counts as mapped.
bool is_mapped(u64 begin, core::Checked bytes);

/// The same for `count` elements that a caller's pointer names; true for none.
template <class T>
bool has_elements(const T* list, u64 count) {
  return count == 0 || (list && is_mapped(reinterpret_cast<u64>(list), core::Checked(count) * sizeof(T)));
}

/// May the program read (and write) all of it? Reads the kernel's list of mappings: some microseconds.
enum class HostAccess : u8 { none, read, write };
HostAccess host_access(u64 begin, u64 bytes);

}  // namespace ew::runtime
