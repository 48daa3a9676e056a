// Functions that the simulator answers: printf, the device heap, assert. Arguments lie in the caller's frame, in local
// memory.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "simt/executor.hpp"

namespace ew::simt {
namespace {

constexpr u64 longest_text = 4096;

u8 local_byte(const Warp& warp, u32 lane, u64 offset) {
  return static_cast<u8>(warp.local.data()[offset / 4 * warp_lanes + lane] >> (offset % 4 * 8));
}

void set_local_byte(Warp& warp, u32 lane, u64 offset, u8 value) {
  u32& word = warp.local.data()[offset / 4 * warp_lanes + lane];
  const u32 shift = offset % 4 * 8;
  word = (word & ~(0xffu << shift)) | u32{value} << shift;
}

/// Bytes of local memory that the current activation may touch.
u64 local_top(const Warp& warp) {
  const Frame& frame = warp.frames[warp.splits[warp.current].frame];
  return frame.local_base + warp.block->grid->kernel->functions[frame.function].frame_bytes;
}

}  // namespace

u64 Executor::frame_value(const Warp& warp, u32 lane, u32 offset, u32 size) const {
  const u64 at = warp.frames[warp.splits[warp.current].frame].local_base + offset;
  u64 value = 0;
  for (u32 i = 0; i < size && i < 8; ++i) value |= u64{local_byte(warp, lane, at + i)} << (i * 8);
  return value;
}

void Executor::set_frame_value(Warp& warp, u32 lane, u32 offset, u32 size, u64 value) {
  const u64 at = warp.frame().local_base + offset;
  for (u32 i = 0; i < size && i < 8; ++i) set_local_byte(warp, lane, at + i, static_cast<u8>(value >> (i * 8)));
}

void Executor::copy_frame(Warp& warp, u32 from, u32 to, u32 size, LaneMask mask) {
  u32* words = warp.local.data();
  u32 i = 0;
  if (from % 4 == 0 && to % 4 == 0) {
    for (; i + 4 <= size; i += 4) {
      u32* target = words + (to + i) / 4 * warp_lanes;
      const u32* source = words + (from + i) / 4 * warp_lanes;
      for (u32 lane = 0; lane < warp_lanes; ++lane) target[lane] = (mask >> lane) & 1 ? source[lane] : target[lane];
    }
  }
  for (; i < size; ++i)
    for (LaneMask left = mask; left; left &= left - 1) {
      const u32 lane = std::countr_zero(left);
      set_local_byte(warp, lane, to + i, local_byte(warp, lane, from + i));
    }
}

/// `bytes` (or what there is) of the lane's memory at a generic address, as the host can read it; nullptr when it is
/// not there.
const u8* Executor::readable(Warp& warp, u32 lane, u64 address, u64 bytes, std::vector<u8>& copy) {
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

bool Executor::system_call(Warp& warp, const ptx::CallForm& form, LaneMask mask) {
  const auto argument = [&](u32 lane, u32 i) -> u64 {
    return i < form.argument_offsets.size() ? frame_value(warp, lane, form.argument_offsets[i], form.argument_sizes[i])
                                            : 0;
  };
  const auto answer = [&](u32 lane, u64 value) {
    if (!form.result_offsets.empty()) set_frame_value(warp, lane, form.result_offsets[0], form.result_sizes[0], value);
  };
  std::vector<u8> text, packed, referred;
  std::string failed;
  for (LaneMask left = mask; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    const LaneMask only_lane = LaneMask{1} << lane;
    switch (form.system) {
      case ptx::SystemCall::vprintf: {
        const u8* format = readable(warp, lane, argument(lane, 0), longest_text, text);
        if (!format) return refuse_access(warp, {FaultKind::illegal_address, lane, argument(lane, 0), 1});
        const u64 at = argument(lane, 1);
        const u8* arguments = at ? readable(warp, lane, at, longest_text, packed) : nullptr;
        if (at && !arguments) return refuse_access(warp, {FaultKind::illegal_address, lane, at, 1});
        const ReadString read = [&](u64 address, std::string& string) {
          for (u64 bytes = 256;; bytes *= 16) {
            const u8* first = readable(warp, lane, address, bytes, referred);
            if (!first) return false;
            string = reinterpret_cast<const char*>(first);
            if (string.size() < bytes) return true;
          }
        };
        answer(lane, static_cast<u32>(services_.print(reinterpret_cast<const char*>(format), arguments, read)));
        break;
      }
      case ptx::SystemCall::malloc:
        answer(lane, services_.heap_allocate(argument(lane, 0)));
        break;
      case ptx::SystemCall::free: {
        const u64 address = argument(lane, 0);
        if (address == 0 || services_.heap_free(address)) break;
        return refuse(warp, FaultKind::device_heap, only_lane,
                      fmt::format("free of {:#x}, which is not a live block of the heap: freed before, or not from "
                                  "malloc or new in a kernel",
                                  address));
      }
      case ptx::SystemCall::assertfail: {
        const auto words = [&](u32 i) {
          const u8* at = readable(warp, lane, argument(lane, i), longest_text, text);
          return std::string(at ? reinterpret_cast<const char*>(at) : "?");
        };
        const Block& block = *warp.block;
        const u32* ids[3];
        for (u32 axis = 0; axis < 3; ++axis)
          ids[axis] = block.grid->thread_ids[axis].data() + std::size_t{warp.index} * warp_lanes;
        const std::string message = words(0), file = words(1), function = words(3);
        failed += fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n", file,
                              argument(lane, 2), function, block.index.x, block.index.y, block.index.z, ids[0][lane],
                              ids[1][lane], ids[2][lane], message);
        break;
      }
      case ptx::SystemCall::none:
        break;
    }
  }
  if (!failed.empty()) {
    failed.pop_back();
    return refuse(warp, FaultKind::assert_failed, mask, failed);
  }
  return true;
}

}  // namespace ew::simt
