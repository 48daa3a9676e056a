#include "simt/system_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/symbol_name.hpp"
#include "ptx/register_need.hpp"
#include "simt/assist.hpp"
#include "simt/local_bytes.hpp"

namespace ew::simt {
namespace {

constexpr u64 longest_text = 4096;

/// Bytes of local memory that the current activation may touch.
u64 local_top(const Warp& warp) {
  const Frame& frame = warp.frames[warp.splits[warp.current].frame];
  return frame.local_base + warp.block->grid->kernel->functions[frame.function].frame_bytes;
}

u64 frame_value(const Warp& warp, u32 lane, u32 offset, u32 size) {
  const u64 at = warp.frames[warp.splits[warp.current].frame].local_base + offset;
  u64 value = 0;
  for (u32 i = 0; i < size && i < 8; ++i) value |= u64{local_byte(warp, lane, at + i)} << (i * 8);
  return value;
}

void set_frame_value(Warp& warp, u32 lane, u32 offset, u32 size, u64 value) {
  const u64 at = warp.frame().local_base + offset;
  for (u32 i = 0; i < size && i < 8; ++i) set_local_byte(warp, lane, at + i, static_cast<u8>(value >> (i * 8)));
}

u64 argument(const Warp& warp, const ptx::CallForm& form, u32 lane, u32 i) {
  if (i >= form.argument_offsets.size()) return 0;
  return frame_value(warp, lane, form.argument_offsets[i], form.argument_sizes[i]);
}

void answer(Warp& warp, const ptx::CallForm& form, u32 lane, u64 value) {
  if (!form.result_offsets.empty()) set_frame_value(warp, lane, form.result_offsets[0], form.result_sizes[0], value);
}

}  // namespace

/// `bytes` (or what there is) of the lane's memory at a generic address, as the host can read it; nullptr when it is
/// not there.
const u8* SystemCalls::readable(const Warp& warp, u32 lane, u64 address, u64 bytes, std::vector<u8>& copy) const {
  if (address - memory::local_window < memory::local_window_bytes) {
    const u64 begin = address - memory::local_window, top = local_top(warp);
    if (begin >= top) return nullptr;
    copy.clear();
    for (u64 at = begin; at < top && at - begin < bytes; ++at) copy.push_back(local_byte(warp, lane, at));
    copy.resize(copy.size() + 16);
    return copy.data();
  }
  const u8* host = nullptr;
  u64 available = 0;
  if (address - memory::shared_window < memory::shared_window_bytes) {
    const u64 begin = address - memory::shared_window, end = warp.block->grid->shared_bytes;
    if (begin >= end) return nullptr;
    host = warp.block->shared_data() + begin;
    available = end - begin;
  } else {
    const auto bounds = space_.bounds(address);
    if (!bounds.end) return nullptr;
    host = reinterpret_cast<const u8*>(address);
    available = bounds.end - address;
  }
  // A copy, so that a text that misses its end stops at the end of its allocation.
  copy.assign(host, host + std::min(bytes, available));
  copy.resize(copy.size() + 16);
  return copy.data();
}

bool SystemCalls::call(Warp& warp, const ptx::CallForm& form, LaneMask mask) {
  std::string failed;
  for (LaneMask left = mask; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    switch (form.system) {
      case ptx::SystemCall::vprintf:
        if (!print(warp, form, lane)) return false;
        break;
      case ptx::SystemCall::malloc:
        answer(warp, form, lane, services_.heap_allocate(argument(warp, form, lane, 0)));
        break;
      case ptx::SystemCall::free:
        if (!free(warp, lane, argument(warp, form, lane, 0))) return false;
        break;
      case ptx::SystemCall::assertfail:
        failed += assertion(warp, form, lane);
        break;
      case ptx::SystemCall::assist:
        if (!register_assist(warp, form, lane)) return false;
        break;
      case ptx::SystemCall::none:
        break;
    }
  }
  if (failed.empty()) return true;
  failed.pop_back();
  return faults_.refuse(warp, FaultKind::assert_failed, mask, failed);
}

bool SystemCalls::print(Warp& warp, const ptx::CallForm& form, u32 lane) {
  std::vector<u8> text, packed, referred;
  const u64 format_at = argument(warp, form, lane, 0), at = argument(warp, form, lane, 1);
  const u8* format = readable(warp, lane, format_at, longest_text, text);
  if (!format) return faults_.refuse_access(warp, {FaultKind::illegal_address, lane, format_at, 1});
  const u8* arguments = at ? readable(warp, lane, at, longest_text, packed) : nullptr;
  if (at && !arguments) return faults_.refuse_access(warp, {FaultKind::illegal_address, lane, at, 1});
  const ReadString read = [&](u64 address, std::string& string) {
    for (u64 bytes = 256;; bytes *= 16) {
      const u8* first = readable(warp, lane, address, bytes, referred);
      if (!first) return false;
      string = reinterpret_cast<const char*>(first);
      if (string.size() < bytes) return true;
    }
  };
  answer(warp, form, lane, static_cast<u32>(services_.print(reinterpret_cast<const char*>(format), arguments, read)));
  return true;
}

bool SystemCalls::free(Warp& warp, u32 lane, u64 address) {
  if (address == 0 || services_.heap_free(address)) return true;
  return faults_.refuse(warp, FaultKind::device_heap, LaneMask{1} << lane,
                        fmt::format("free of {:#x}, which is not a live block of the heap: freed before, or not from "
                                    "malloc or new in a kernel",
                                    address));
}

/// int __everwarp_assist(void (*routine)(void*), void* argument): answers what the machine has. With a null pointer it
/// only asks; where an SM has no slot for assist warps, too.
bool SystemCalls::register_assist(Warp& warp, const ptx::CallForm& form, u32 lane) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  const u64 address = argument(warp, form, lane, 0);
  answer(warp, form, lane, assist_.answer);
  if (address == 0 || assist_.warps == 0) return true;
  u32 routine = 1;
  while (routine < kernel.functions.size() && kernel.functions[routine].address != address) ++routine;
  const auto refuse = [&](const std::string& why) {
    return faults_.refuse(warp, FaultKind::illegal_instruction, LaneMask{1} << lane, why);
  };
  if (routine == kernel.functions.size())
    return refuse(fmt::format("assist routine at {:#x}, which is no function of this module", address));
  const ptx::Function& function = kernel.functions[routine];
  if (function.parameter_sizes != std::vector<u32>{8} || !function.return_sizes.empty())
    return refuse(
        fmt::format("assist routine {}: expected a void function of one pointer", core::readable_name(function.name)));
  if (const u32 needed = ptx::registers_given(function.registers); needed > assist_.registers)
    return refuse(
        fmt::format("assist routine {} needs {} registers a thread, but the machine keeps {} (assist.registers)",
                    core::readable_name(function.name), needed, assist_.registers));
  warp.block->assist.routine = routine;
  warp.block->assist.argument = argument(warp, form, lane, 1);
  return true;
}

/// CUDA's words about a lane whose assertion has failed.
std::string SystemCalls::assertion(Warp& warp, const ptx::CallForm& form, u32 lane) const {
  std::vector<u8> text;
  const auto words = [&](u32 i) {
    const u8* at = readable(warp, lane, argument(warp, form, lane, i), longest_text, text);
    return std::string(at ? reinterpret_cast<const char*>(at) : "?");
  };
  const Block& block = *warp.block;
  const u32* ids[3];
  for (u32 axis = 0; axis < 3; ++axis)
    ids[axis] = block.grid->thread_ids[axis].data() + std::size_t{warp.index} * warp_lanes;
  const std::string message = words(0), file = words(1), function = words(3);
  return fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n", file,
                     argument(warp, form, lane, 2), function, block.index.x, block.index.y, block.index.z, ids[0][lane],
                     ids[1][lane], ids[2][lane], message);
}

}  // namespace ew::simt
