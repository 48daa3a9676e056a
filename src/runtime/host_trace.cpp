// Host accesses of a program built with `ew build --trace-host`. clang's
// -fsanitize-coverage=edge,trace-loads,trace-stores calls the functions below before every load and store of the
// program; the C library's block functions come here by the linker's --wrap. An access to memory that kernels may touch
// meets the machine: it simulates one quantum, stands still, and the access is performed. So what the host sees depends
// on its own accesses and not on its speed. Any thread may call. A thread of host_parallel() is a core's of the
// simulated host (host/traced_core.hpp), which takes its accesses itself, whatever memory they are of; traced_code.cpp
// has the rest of what such a thread does.
#include <algorithm>
#include <cstring>
#include <vector>

#include "host/traced_core.hpp"
#include "runtime/process.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

inline void meet(const void* pointer, u64 bytes, bool store) {
  if (host::TracedCore* const core = host::TracedCore::running())
    return core->access(reinterpret_cast<u64>(pointer), bytes, store);
  if (in_untimed_code()) return;
  Machine* machine = process().existing_machine();
  if (machine) machine->host_accesses().meet(reinterpret_cast<u64>(pointer), bytes, store);
}

/// A block stored by a core of the host: a line at a time, whose loop costs instructions.
template <class Piece>
void write(host::TracedCore& core, void* to, std::size_t count, Piece&& piece) {
  constexpr u32 instructions = 8;  // two loads and two stores of 32 bytes, and the loop
  const u64 address = reinterpret_cast<u64>(to);
  for (u64 at = 0, bytes; at < count; at += bytes) {
    bytes = std::min<u64>(count - at, host::line_of(address + at) + host::host_line - (address + at));
    core.instructions(instructions);
    core.access(address + at, bytes, true);
    piece(at, bytes);
  }
}

/// Stores a block: piece(offset, bytes) stores a part of it.
template <class Piece>
void write(void* to, std::size_t count, Piece&& piece) {
  if (host::TracedCore* const core = host::TracedCore::running()) return write(*core, to, count, piece);
  Machine* machine = in_untimed_code() ? nullptr : process().existing_machine();
  if (!machine || count == 0) return piece(0, count);
  const u64 address = reinterpret_cast<u64>(to);
  for (u64 at = 0, bytes; at < count; at += bytes) {
    bytes = std::min<u64>(count - at, machine->host_accesses().piece(address + at));
    machine->host_accesses().meet(address + at, bytes, true);
    piece(at, bytes);
  }
}

void* copy(void* to, const void* from, std::size_t count) {
  if (count > 0) meet(from, count, false);
  write(to, count, [&](std::size_t at, std::size_t bytes) {
    std::memmove(static_cast<u8*>(to) + at, static_cast<const u8*>(from) + at, bytes);
  });
  return to;
}

}  // namespace

extern "C" {

/// Called before main() by every CUDA translation unit that was built so
/// (include/cuda/everwarp/prelude.cuh).
void __everwarpTraceHost(void) {
  process().trace_host();
}

void __sanitizer_cov_load1(u8* pointer) {
  meet(pointer, 1, false);
}
void __sanitizer_cov_load2(u16* pointer) {
  meet(pointer, 2, false);
}
void __sanitizer_cov_load4(u32* pointer) {
  meet(pointer, 4, false);
}
void __sanitizer_cov_load8(u64* pointer) {
  meet(pointer, 8, false);
}
void __sanitizer_cov_load16(unsigned __int128* pointer) {
  meet(pointer, 16, false);
}
void __sanitizer_cov_store1(u8* pointer) {
  meet(pointer, 1, true);
}
void __sanitizer_cov_store2(u16* pointer) {
  meet(pointer, 2, true);
}
void __sanitizer_cov_store4(u32* pointer) {
  meet(pointer, 4, true);
}
void __sanitizer_cov_store8(u64* pointer) {
  meet(pointer, 8, true);
}
void __sanitizer_cov_store16(unsigned __int128* pointer) {
  meet(pointer, 16, true);
}

void* __wrap_memcpy(void* to, const void* from, std::size_t count) {
  return copy(to, from, count);
}
void* __wrap_memmove(void* to, const void* from, std::size_t count) {
  const u64 begin = reinterpret_cast<u64>(from), distance = reinterpret_cast<u64>(to) - begin;
  if (distance == 0 || distance >= count) return copy(to, from, count);
  meet(from, count, false);  // pieces would be overwritten before they are read
  const std::vector<u8> bytes(static_cast<const u8*>(from), static_cast<const u8*>(from) + count);
  return copy(to, bytes.data(), count);
}
void* __wrap_memset(void* to, int byte, std::size_t count) {
  write(to, count, [&](std::size_t at, std::size_t bytes) { std::memset(static_cast<u8*>(to) + at, byte, bytes); });
  return to;
}
int __wrap_memcmp(const void* a, const void* b, std::size_t count) {
  if (count > 0) meet(a, count, false), meet(b, count, false);
  return std::memcmp(a, b, count);
}

}  // extern "C"
