// Why a kernel ended early, as the runtime and the person at the terminal hear it.
#pragma once

#include <string>

#include "core/types.hpp"

namespace ew::simt {

struct FaultThread {
  Dim3 block, thread;
};

enum class FaultKind : u8 {
  none,
  illegal_address,  // out of bounds, null, unmapped, freed
  misaligned_address,
  write_to_constant,
  invalid_address_space,
  stack_overflow,
  trap,
  assert_failed,
  illegal_instruction,  // a bad indirect call target, a shuffle outside its mask …
  barrier_deadlock,
  deadlock,  // warps that poll for ever, or a machine that gives them nothing
  instruction_limit,
  device_heap,
  texture
};

/// `report` is the whole readable text for stderr: kernel, block, thread, source line, address, the allocation it
/// belongs to or just missed; for a deadlock who waits where.
struct Fault {
  FaultKind kind = FaultKind::none;
  std::string kernel;
  FaultThread where;
  std::string file;
  u32 line = 0;
  u64 address = 0;
  u32 bytes = 0;
  std::string report;
  bool scope_bug = false;  // a deadlock: a warp polls a value that is older than what memory has
};

}  // namespace ew::simt
