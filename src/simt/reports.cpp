// What a person reads when a kernel goes wrong.
#include <fmt/format.h>

#include <bit>

#include "simt/executor.hpp"

namespace ew::simt {
namespace {

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::none:
      return "no fault";
    case FaultKind::illegal_address:
      return "illegal address";
    case FaultKind::misaligned_address:
      return "misaligned address";
    case FaultKind::write_to_constant:
      return "write to constant memory";
    case FaultKind::invalid_address_space:
      return "address of the wrong state space";
    case FaultKind::stack_overflow:
      return "stack overflow";
    case FaultKind::trap:
      return "trap";
    case FaultKind::assert_failed:
      return "assertion failed";
    case FaultKind::illegal_instruction:
      return "illegal instruction";
    case FaultKind::barrier_deadlock:
      return "barrier deadlock";
    case FaultKind::instruction_limit:
      return "instruction limit reached";
    case FaultKind::device_heap:
      return "device heap";
    case FaultKind::texture:
      return "texture access";
  }
  return "fault";
}

std::string text(Dim3 d) {
  return fmt::format("({},{},{})", d.x, d.y, d.z);
}

Dim3 thread_of(const Warp& warp, u32 lane) {
  const Grid& grid = *warp.block->grid;
  const std::size_t at = std::size_t{warp.index} * warp_lanes + lane;
  return {grid.thread_ids[0][at], grid.thread_ids[1][at], grid.thread_ids[2][at]};
}

std::string place(const ptx::Kernel& kernel, ptx::Pc pc) {
  if (pc >= kernel.code.size()) return "at the end of the kernel";
  std::string result;
  const ptx::SourceLine line = pc < kernel.lines.size() ? kernel.lines[pc] : ptx::SourceLine{};
  if (line.line && line.file < kernel.files.size() && line.file)
    result = fmt::format("{}:{}", kernel.files[line.file], line.line);
  else if (line.ptx_line)
    result = fmt::format("PTX line {}", line.ptx_line);
  else
    result = fmt::format("instruction {}", pc);
  if (pc < kernel.texts.size() && !kernel.texts[pc].empty()) result += ": " + kernel.texts[pc];
  return result;
}

std::string describe(const memory::Allocation& a) {
  return fmt::format("allocation #{} ({}, {} bytes at {:#x})", a.number, a.label.empty() ? "unnamed" : a.label, a.size,
                     a.begin);
}

/// Where a global address lies, or what it just missed.
std::string neighbourhood(const memory::AddressSpace& space, u64 address, u32 bytes) {
  if (address < 4096) return "a null pointer (or a member of one)";
  const auto found = space.neighbours(address);
  if (found.below && address < found.below->end()) {
    const u64 over = address + bytes > found.below->end() ? address + bytes - found.below->end() : 0;
    if (over) return fmt::format("its last {} bytes are past the end of {}", over, describe(*found.below));
    return fmt::format("{} bytes into {}", address - found.below->begin, describe(*found.below));
  }
  if (found.freed)
    return fmt::format("{} bytes into {}, which has been freed", address - found.freed->begin, describe(*found.freed));
  constexpr u64 near = u64{1} << 30;
  const u64 past = found.below ? address - found.below->end() : ~u64{0};
  const u64 ahead = found.above ? found.above->begin - address : ~u64{0};
  if (past <= ahead && past < near) return fmt::format("{} bytes past the end of {}", past, describe(*found.below));
  if (ahead < near) return fmt::format("{} bytes before {}", ahead, describe(*found.above));
  return "in no allocation, and none is near";
}

std::string lanes_text(LaneMask lanes) {
  if (lanes == all_lanes) return "all lanes";
  std::string result;
  for (u32 i = 0; i < warp_lanes; ++i) {
    if (!((lanes >> i) & 1)) continue;
    u32 last = i;
    while (last + 1 < warp_lanes && (lanes >> (last + 1)) & 1) ++last;
    result +=
        fmt::format("{}{}", result.empty() ? "" : ",", last > i ? fmt::format("{}-{}", i, last) : std::to_string(i));
    i = last;
  }
  return (lanes & (lanes - 1) ? "lanes " : "lane ") + result;
}

void locate(Fault& fault, const ptx::Kernel& kernel, ptx::Pc pc) {
  if (pc >= kernel.lines.size() || !kernel.lines[pc].line) return;
  fault.line = kernel.lines[pc].line;
  if (kernel.lines[pc].file < kernel.files.size()) fault.file = kernel.files[kernel.lines[pc].file];
}

}  // namespace

Fault Executor::take_fault() {
  Fault fault = std::move(*fault_);
  fault_.reset();
  return fault;
}

Fault Executor::fault_of(const Warp& warp, FaultKind kind, std::string what) {
  const Grid& grid = *warp.block->grid;
  const ptx::Kernel& kernel = *grid.kernel;
  const Split& split = warp.splits[warp.current < warp.split_count ? warp.current : 0];
  const u32 lane = split.mask ? std::countr_zero(split.mask) : 0;
  Fault fault{.kind = kind, .kernel = kernel.name, .where = {warp.block->index, thread_of(warp, lane)}};
  locate(fault, kernel, split.pc);
  fault.report = fmt::format("{} in kernel {}: {}\n  block {}, thread {}\n  at {}", name_of(kind), kernel.name, what,
                             text(fault.where.block), text(fault.where.thread), place(kernel, split.pc));
  return fault;
}

bool Executor::refuse(Warp& warp, FaultKind kind, LaneMask lanes, std::string what) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  const Split& split = warp.split();
  Fault fault{.kind = kind,
              .kernel = kernel.name,
              .where = {warp.block->index, thread_of(warp, lanes ? std::countr_zero(lanes) : 0)}};
  locate(fault, kernel, split.pc);
  fault.report =
      fmt::format("{} in kernel {}: {}\n  block {}, thread {}{}\n  at {}", name_of(kind), kernel.name, what,
                  text(fault.where.block), text(fault.where.thread),
                  lanes & (lanes - 1) ? fmt::format(" and {} more of its warp", std::popcount(lanes) - 1) : "",
                  place(kernel, split.pc));
  if (kind == FaultKind::assert_failed) fault.report = what;
  fault_ = std::move(fault);
  return false;
}

bool Executor::refuse_access(Warp& warp, const MemoryOp::Refusal& refusal) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  const Split& split = warp.split();
  const ptx::Instr& instr = kernel.code[split.pc];
  const ptx::MemoryForm* form = instr.op == ptx::Op::memory ? &kernel.memory[instr.imm] : nullptr;
  const ptx::Window window = form ? form->window : ptx::Window::generic;
  const u64 address = refusal.address;
  std::string verb = "access";
  if (form && form->kind == ptx::MemoryKind::load) verb = "read";
  if (form && form->kind == ptx::MemoryKind::store) verb = "write";
  if (form && (form->kind == ptx::MemoryKind::atomic || form->kind == ptx::MemoryKind::reduction))
    verb = "atomic operation";
  std::string where;
  const u32 shared_bytes = warp.block->grid->shared_bytes;
  const auto in_window = [&](u64 begin, u64 size) { return window == ptx::Window::generic && address - begin < size; };
  if (refusal.kind == FaultKind::misaligned_address) {
    where = fmt::format("the address must be a multiple of {}", refusal.bytes);
  } else if (window == ptx::Window::shared || in_window(memory::shared_window, memory::shared_window_bytes)) {
    where = fmt::format("the block's shared memory has {} bytes", shared_bytes);
  } else if (window == ptx::Window::local || window == ptx::Window::frame ||
             in_window(memory::local_window, memory::local_window_bytes)) {
    const Frame& frame = warp.frame();
    where = fmt::format("the thread's local memory has {} bytes",
                        frame.local_base + kernel.functions[frame.function].frame_bytes);
  } else if (window == ptx::Window::param || in_window(memory::parameter_window, memory::parameter_window_bytes)) {
    where = fmt::format("the kernel's parameters have {} bytes", warp.block->grid->launch.parameters.size());
  } else {
    where = neighbourhood(space_, address, refusal.bytes);
  }
  refuse(warp, refusal.kind, LaneMask{1} << refusal.lane,
         fmt::format("{} of {} bytes at {:#x}", verb, refusal.bytes, address));
  fault_->address = address;
  fault_->bytes = refusal.bytes;
  fault_->report += "\n  " + where;
  return false;
}

Fault Executor::deadlock(const Block& block) {
  const ptx::Kernel& kernel = *block.grid->kernel;
  Fault fault{.kind = FaultKind::barrier_deadlock, .kernel = kernel.name};
  fault.where.block = block.index;
  fault.report =
      fmt::format("barrier deadlock in kernel {}: no thread of block {} can go on", kernel.name, text(block.index));
  bool first = true;
  for (const Warp* warp : block.warps) {
    if (!warp) continue;
    for (u32 s = 0; s < warp->split_count; ++s) {
      const Split& split = warp->splits[s];
      if (first) {
        fault.where.thread = thread_of(*warp, std::countr_zero(split.mask));
        locate(fault, kernel, split.pc);
        first = false;
      }
      std::string what = "other lanes of its warp";
      if (split.state == SplitState::at_barrier) {
        const BlockBarrier& barrier = block.barriers[split.barrier];
        what = fmt::format("barrier {} ({} of {} threads have come)", split.barrier, barrier.arrived,
                           barrier.all_threads ? block.live_threads : barrier.expected);
      }
      fault.report +=
          fmt::format("\n  warp {}, {} (thread {} first): waits for {} at {}", warp->index, lanes_text(split.mask),
                      text(thread_of(*warp, std::countr_zero(split.mask))), what, place(kernel, split.pc));
    }
  }
  return fault;
}

}  // namespace ew::simt
