// The instructions that the decoder puts into a kernel's side tables: control, memory, barriers, warp operations,
// textures. Their qualifiers' lists, and one row a form with the decoding step that reads it (decode_*.cpp).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ptx/opcodes.hpp"

namespace ew::ptx {

enum class ControlForm : u8 {
  branch,
  branch_indexed,
  call,
  ret,
  exit,
  trap,
  breakpoint,
  nothing,
  nanosleep,
  load,
  store,
  atomic,
  reduction,
  prefetch,
  cache_policy,
  async_copy,
  async_commit,
  async_wait,
  async_wait_all,
  async_arrive,
  fence,
  membar,
  query_space,
  convert_address,
  barrier,
  barrier_reduce,
  warp_barrier,
  vote,
  shuffle,
  match,
  reduce,
  elect,
  active_mask,
  mbarrier_init,
  mbarrier_inval,
  mbarrier_arrive,
  mbarrier_expect,
  mbarrier_wait,
  mbarrier_pending,
  texture,
  gather,
  texture_query,
  surface_load,
  surface_store
};

struct ControlRow {
  std::string_view pattern;
  ControlForm control;
};

std::vector<Slot> control_slots();
std::span<const ControlRow> control_rows();

/// Instructions that PTX has and that are not executed: with this opcode, and this modifier unless it is empty.
struct RefusedFamily {
  std::string_view opcode, modifier, what;
};
std::span<const RefusedFamily> refused_families();

/// Why an instruction family is not executed ("matrix multiply"), or empty when the name is not known at all.
std::string_view refused_family(std::string_view opcode, std::span<const std::string> modifiers);

}  // namespace ew::ptx
