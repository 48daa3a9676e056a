// Lines of memory that will be looked at soon come into the caches of the computer that simulates. This decides nothing
// that is simulated.
#pragma once

namespace ew::core {

/// The line at this address, which need not be one of the program's. The empty statement is for g++ 12: it takes a
/// function that only prefetches for one without effects, and drops the calls.
inline void prefetch(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}
/// The same of a line that will be written.
inline void prefetch_to_write(const void* address) {
  __builtin_prefetch(address, 1);
  asm volatile("");
}

}  // namespace ew::core
