// Host accesses of a program built with `ew build --trace-host`. clang's
// -fsanitize-coverage=edge,trace-loads,trace-stores calls the functions below before every load and store of the
// program; the C library's block functions come here by the linker's --wrap. An access to memory that kernels may touch
// meets the machine: it simulates one quantum, stands still, and the access is performed. So what the host sees depends
// on its own accesses and not on its speed (DESIGN.md, section 3). Any thread may call.
#include <cstring>

#include "runtime/process.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

inline void meet(const void* pointer) {
  Machine* machine = process().existing_machine();
  if (machine) machine->meet_host_access(reinterpret_cast<u64>(pointer));
}

}  // namespace

extern "C" {

/// Called before main() by every CUDA translation unit that was built so
/// (include/cuda/everwarp/prelude.cuh).
void __everwarpTraceHost(void) {
  process().trace_host();
}

void __sanitizer_cov_load1(u8* pointer) {
  meet(pointer);
}
void __sanitizer_cov_load2(u16* pointer) {
  meet(pointer);
}
void __sanitizer_cov_load4(u32* pointer) {
  meet(pointer);
}
void __sanitizer_cov_load8(u64* pointer) {
  meet(pointer);
}
void __sanitizer_cov_load16(unsigned __int128* pointer) {
  meet(pointer);
}
void __sanitizer_cov_store1(u8* pointer) {
  meet(pointer);
}
void __sanitizer_cov_store2(u16* pointer) {
  meet(pointer);
}
void __sanitizer_cov_store4(u32* pointer) {
  meet(pointer);
}
void __sanitizer_cov_store8(u64* pointer) {
  meet(pointer);
}
void __sanitizer_cov_store16(unsigned __int128* pointer) {
  meet(pointer);
}

void* __wrap_memcpy(void* to, const void* from, std::size_t count) {
  if (count > 0) meet(to), meet(from);
  return std::memcpy(to, from, count);
}
void* __wrap_memmove(void* to, const void* from, std::size_t count) {
  if (count > 0) meet(to), meet(from);
  return std::memmove(to, from, count);
}
void* __wrap_memset(void* to, int byte, std::size_t count) {
  if (count > 0) meet(to);
  return std::memset(to, byte, count);
}
int __wrap_memcmp(const void* a, const void* b, std::size_t count) {
  if (count > 0) meet(a), meet(b);
  return std::memcmp(a, b, count);
}

}  // extern "C"
