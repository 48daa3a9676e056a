#include "simt/reports.hpp"

#include <fmt/format.h>

#include <bit>
#include <map>

#include "core/symbol_name.hpp"
#include "memory/host_mappings.hpp"
#include "simt/grid_barrier.hpp"
#include "simt/in_flight.hpp"
#include "simt/spinning.hpp"
#include "simt/warp_sync.hpp"

namespace ew::simt {

std::string source_line(const ptx::Kernel& kernel, ptx::Pc pc) {
  const ptx::SourceLine line = pc < kernel.lines.size() ? kernel.lines[pc] : ptx::SourceLine{};
  if (line.line && line.file < kernel.files.size() && line.file)
    return fmt::format("{}:{}", kernel.files[line.file], line.line);
  if (line.ptx_line) return fmt::format("PTX line {}", line.ptx_line);
  return fmt::format("instruction {}", pc);
}

namespace {

using core::readable_name;
using ptx::Window;

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::none:
      return "no fault";
    case FaultKind::illegal_address:
      return "illegal address";
    case FaultKind::misaligned_address:
      return "misaligned address";
    case FaultKind::write_to_constant:
      return "write to read-only memory";
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
    case FaultKind::deadlock:
      return "deadlock";
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

std::string counted(u64 number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

Dim3 thread_of(const Warp& warp, u32 lane) {
  const Grid& grid = *warp.block->grid;
  const std::size_t at = std::size_t{warp.index} * warp_lanes + lane;
  return {grid.thread_ids[0][at], grid.thread_ids[1][at], grid.thread_ids[2][at]};
}

std::string place(const ptx::Kernel& kernel, ptx::Pc pc) {
  if (pc >= kernel.code.size()) return "the end of the kernel";
  std::string result = source_line(kernel, pc);
  if (pc < kernel.texts.size() && !kernel.texts[pc].empty()) result += ": " + core::readable_text(kernel.texts[pc]);
  return result;
}

/// The functions that the split is in, from the innermost to the kernel.
std::string call_stack(const Warp& warp, const Split& split) {
  constexpr u32 deepest = 12;
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  std::string result;
  u32 lines = 0;
  for (u32 frame = split.frame; warp.frames[frame].parent != nothing;) {
    const Frame& activation = warp.frames[frame];
    u32 times = 0;  // recursion repeats itself
    const auto same = [&](const Frame& other) {
      return other.parent != nothing && other.function == activation.function && other.call_pc == activation.call_pc;
    };
    for (; same(warp.frames[frame]); frame = warp.frames[frame].parent) ++times;
    if (++lines > deepest) continue;
    result += fmt::format("\n    in {}, called at {}{}", readable_name(kernel.functions[activation.function].name),
                          source_line(kernel, activation.call_pc), times > 1 ? fmt::format(" ({} times)", times) : "");
  }
  if (lines > deepest) result += fmt::format("\n    and so on, {} more", counted(lines - deepest, "line"));
  return result;
}

std::string kernel_line(const Grid& grid) {
  return fmt::format("\n  in kernel {}, grid {}, blocks of {}", readable_name(grid.kernel->name),
                     text(grid.launch.grid), text(grid.launch.block));
}

std::string describe(const memory::Allocation& a) {
  const std::string label = a.label.empty() ? "unnamed" : readable_name(a.label);
  return fmt::format("allocation #{} ({}{}, {} at {:#x})", a.number,
                     a.region == memory::Region::constant ? "constant variable " : "", label, counted(a.size, "byte"),
                     a.begin);
}

std::string past_the_end(u64 past, std::string_view of) {
  return past ? fmt::format("{} past the end of {}", counted(past, "byte"), of)
              : fmt::format("just past the end of {}", of);
}

/// Where a global address lies, or what it just missed.
std::string neighbourhood(const memory::AddressSpace& space, u64 address, u32 bytes) {
  if (address < 4096) return "a null pointer, or a member of one";
  const auto found = space.neighbours(address);
  if (found.below && address < found.below->end()) {
    const u64 over = address + bytes > found.below->end() ? address + bytes - found.below->end() : 0;
    if (over)
      return fmt::format("its last {} past the end of {}", over == 1 ? "byte is" : counted(over, "byte") + " are",
                         describe(*found.below));
    return fmt::format("{} into {}{}", counted(address - found.below->begin, "byte"), describe(*found.below),
                       found.below->for_kernels
                           ? ""
                           : ", which only the host has mapped (gpm_map or cudaHostRegister gives it to kernels)");
  }
  if (found.freed)
    return fmt::format("{} into {}, which has been freed", counted(address - found.freed->begin, "byte"),
                       describe(*found.freed));
  constexpr u64 near = u64{1} << 30;
  const u64 past = found.below ? address - found.below->end() : ~u64{0};
  const u64 ahead = found.above ? found.above->begin - address : ~u64{0};
  if (past <= ahead && past < near) return past_the_end(past, describe(*found.below));
  if (ahead < near) return fmt::format("{} before {}", counted(ahead, "byte"), describe(*found.above));
  if (const auto host = memory::host_memory_at(address))
    return fmt::format(
        "{}, which kernels cannot reach: it is neither allocated by CUDA nor registered (cudaHostRegister)", *host);
  return "in no allocation, and none is near";
}

std::string numbers(u64 set) {
  std::string result;
  for (u32 i = 0; i < 64; ++i) {
    if (!((set >> i) & 1)) continue;
    u32 last = i;
    while (last + 1 < 64 && (set >> (last + 1)) & 1) ++last;
    result +=
        fmt::format("{}{}", result.empty() ? "" : ",", last > i ? fmt::format("{}-{}", i, last) : std::to_string(i));
    i = last;
  }
  return result;
}

std::string several(std::string_view thing, u64 set) {
  constexpr int most_runs = 4;
  if (std::popcount(set & ~(set << 1)) > most_runs) return fmt::format("{}s {:#x} (mask)", thing, set);
  return fmt::format("{}{} {}", thing, set & (set - 1) ? "s" : "", numbers(set));
}

void locate(Fault& fault, const ptx::Kernel& kernel, ptx::Pc pc) {
  if (pc >= kernel.lines.size() || !kernel.lines[pc].line) return;
  fault.line = kernel.lines[pc].line;
  if (kernel.lines[pc].file < kernel.files.size()) fault.file = kernel.files[kernel.lines[pc].file];
}

Fault compose(const Warp& warp, const Split& split, FaultKind kind, LaneMask lanes, std::string_view what) {
  const Grid& grid = *warp.block->grid;
  Fault fault{.kind = kind,
              .kernel = readable_name(grid.kernel->name),
              .where = {warp.block->index, thread_of(warp, lanes ? std::countr_zero(lanes) : 0)}};
  locate(fault, *grid.kernel, split.pc);
  const std::string more = lanes & (lanes - 1) ? fmt::format(" and {} more of its warp", std::popcount(lanes) - 1) : "";
  fault.report = fmt::format("{}: {}\n  block {}, thread {}{}\n  at {}{}{}", name_of(kind), what,
                             text(fault.where.block), text(fault.where.thread), more, place(*grid.kernel, split.pc),
                             call_stack(warp, split), kernel_line(grid));
  return fault;
}

/// The state space in which an access fell, as far as its form or its address says.
Window space_of(const ptx::MemoryForm* form, u64 address) {
  const Window window = form ? form->window : Window::generic;
  const auto inside = [&](u64 begin, u64 size) { return window == Window::generic && address - begin < size; };
  if (inside(memory::shared_window, memory::shared_window_bytes)) return Window::shared;
  if (inside(memory::local_window, memory::local_window_bytes)) return Window::local;
  if (inside(memory::parameter_window, memory::parameter_window_bytes)) return Window::param;
  return window == Window::frame ? Window::local : window;
}

std::string_view name_of(Window window) {
  switch (window) {
    case Window::global:
      return "global memory";
    case Window::shared:
      return "shared memory";
    case Window::local:
      return "local memory";
    case Window::constant:
      return "constant memory";
    case Window::param:
      return "the kernel's parameters";
    default:
      return "";
  }
}

/// "read of 4 bytes from shared memory at 0x40"
std::string access(const ptx::MemoryForm* form, Window window, const MemoryOp::Refusal& refusal) {
  std::string_view verb = "read", direction = "from";
  if (form && form->kind == ptx::MemoryKind::store) verb = "write", direction = "to";
  if (form && (form->kind == ptx::MemoryKind::atomic || form->kind == ptx::MemoryKind::reduction))
    verb = "atomic operation", direction = "on";
  if (form && form->kind == ptx::MemoryKind::update) verb = "mbarrier operation", direction = "on";
  const std::string_view space = name_of(window);
  return fmt::format("{} of {}{}{}{}{} at {:#x}", verb, counted(refusal.bytes, "byte"), space.empty() ? "" : " ",
                     space.empty() ? "" : direction, space.empty() ? "" : " ", space, refusal.address);
}

/// Where in a thread's or block's own memory of `size` bytes the byte `offset` lies.
std::string within_own(u64 offset, u64 size, std::string_view whose) {
  if (offset < size)
    return fmt::format("its last bytes are past the end of {}, which has {}", whose, counted(size, "byte"));
  return past_the_end(offset - size, fmt::format("{}, which has {}", whose, counted(size, "byte")));
}

}  // namespace

Fault FaultReports::take() {
  Fault fault = std::move(*fault_);
  fault_.reset();
  return fault;
}

Fault fault_of(const Warp& warp, FaultKind kind, std::string_view what) {
  const Split& split = warp.splits[warp.current < warp.split_count ? warp.current : 0];
  return compose(warp, split, kind, split.mask & -split.mask, what);
}

bool FaultReports::refuse(const Warp& warp, FaultKind kind, LaneMask lanes, std::string_view what) {
  return refuse(warp, warp.splits[warp.current], kind, lanes, what);
}

bool FaultReports::refuse(const Warp& warp, const Split& split, FaultKind kind, LaneMask lanes, std::string_view what) {
  fault_ = compose(warp, split, kind, lanes, what);
  if (kind == FaultKind::assert_failed) fault_->report = what;  // CUDA's own words: programs look for them
  return false;
}

bool FaultReports::refuse_at(u64 address, const Warp& warp, FaultKind kind, LaneMask lanes, std::string_view what) {
  refuse(warp, kind, lanes, what);
  fault_->address = address;
  return false;
}

bool FaultReports::refuse_access(const Warp& warp, const MemoryOp::Refusal& refusal) {
  return refuse_access(warp, warp.splits[warp.current], nullptr, refusal);
}

bool FaultReports::refuse_access(const MemoryOp& op) {
  const Split split{.pc = op.pc, .mask = op.lanes, .frame = op.frame};
  const MemoryOp::Refusal& refusal = op.refusal;
  if (refusal.kind == FaultKind::illegal_instruction)
    return refuse(*op.warp, split, refusal.kind, LaneMask{1} << refusal.lane,
                  fmt::format("mbarrier arrival of {} where {} are pending", refusal.arrivals, refusal.expected));
  return refuse_access(*op.warp, split, op.form, refusal);
}

bool FaultReports::refuse_access(const Warp& warp, const Split& split, const ptx::MemoryForm* form,
                                 const MemoryOp::Refusal& refusal) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  const Window window = space_of(form, refusal.address);
  const bool generic = !form || form->window == Window::generic;
  const Grid& grid = *warp.block->grid;
  std::string where;
  if (refusal.kind == FaultKind::misaligned_address) {
    where = fmt::format("the address must be a multiple of {}", refusal.bytes);
    if (window == Window::global || window == Window::generic)
      where += "; " + neighbourhood(space_, refusal.address, refusal.bytes);
  } else if (window == Window::shared) {
    where = grid.shared_bytes == 0
                ? "the block has no shared memory: dynamic shared memory is the third argument of <<<...>>>"
                : within_own(refusal.address - (generic ? memory::shared_window : 0), grid.shared_bytes,
                             "the block's shared memory");
  } else if (window == Window::local) {
    const Frame& frame = warp.frames[split.frame];
    where = within_own(refusal.address - (generic ? memory::local_window : 0),
                       frame.local_base + kernel.functions[frame.function].frame_bytes, "the thread's local memory");
  } else if (window == Window::param) {
    where = within_own(refusal.address - (generic ? memory::parameter_window : 0), grid.launch.parameters.size(),
                       "the parameters");
  } else {
    where = neighbourhood(space_, refusal.address, refusal.bytes);
  }
  refuse(warp, split, refusal.kind, LaneMask{1} << refusal.lane, access(form, window, refusal) + "\n  " + where);
  fault_->address = refusal.address;
  fault_->bytes = refusal.bytes;
  return false;
}

std::string DeadlockReports::what_it_polls(const Warp& warp, const Split& split, bool& scope_bug) const {
  const Spinning& spin = warp.spin;
  const LaneMask polling = split.mask & spin.spins;
  const u32 lane = static_cast<u32>(std::countr_zero(polling));
  if (!polling || !spin.by_lane().when[lane]) return "a value that does not come";
  const u64 place = spin.by_lane().words.place[lane];
  const std::string found = fmt::format("to change, which is {} at each poll", spin.by_lane().words.found[lane]);
  if (in_shared_memory(place, *warp.block))
    return fmt::format("the word at {:#x} of shared memory {}", shared_offset(place, *warp.block), found);
  const std::string newer =
      performer_.newer_elsewhere(warp.block->sm->index, place, static_cast<u32>(spin.by_lane().words.found[lane]));
  scope_bug |= !newer.empty();
  return fmt::format("the word at {:#x} ({}) {}{}{}", place, neighbourhood(space_, place, 1), found,
                     newer.empty() ? "" : ";\n    ", newer);
}

std::string DeadlockReports::what_it_waits_for(const Warp& warp, const Split& split, bool& scope_bug) const {
  if (split.state != SplitState::at_barrier && grid_barrier::synchronizes_grid(warp, split))
    return "the grid-wide barrier";
  const Block& block = *warp.block;
  switch (split.state) {
    case SplitState::at_barrier: {
      const BlockBarrier& barrier = block.barriers[split.barrier];
      return fmt::format("barrier {} ({} of {} threads have come)", split.barrier, barrier.arrived,
                         barrier.all_threads ? block.live_threads : barrier.expected);
    }
    case SplitState::at_warp_sync: {
      const LaneMask missing = missing_lanes(warp, split);
      return fmt::format("{} of its warp", missing ? several("lane", missing) : "other lanes");
    }
    case SplitState::asleep:
      return warp.spin.spins & split.mask ? what_it_polls(warp, split, scope_bug) : "the end of its sleep";
    case SplitState::at_performer:
      return "memory";
    case SplitState::running:
      return what_it_polls(warp, split, scope_bug);
  }
  return "nothing";
}

Fault DeadlockReports::report(const Block& block, std::string_view what, FaultKind kind) const {
  const Grid& grid = *block.grid;
  const ptx::Kernel& kernel = *grid.kernel;
  Fault fault{.kind = kind, .kernel = readable_name(kernel.name)};
  fault.where.block = block.index;
  // Warps that wait alike share a line.
  std::map<std::tuple<ptx::Pc, LaneMask, std::string>, u64> waiting;
  bool first = true;
  for (const Warp* warp : block.warps) {
    for (u32 s = 0; warp && s < warp->split_count; ++s) {
      const Split& split = warp->splits[s];
      const std::string at = fmt::format("{}\n    at {}{}", what_it_waits_for(*warp, split, fault.scope_bug),
                                         place(kernel, split.pc), call_stack(*warp, split));
      waiting[{split.pc, split.mask, at}] |= u64{1} << warp->index;
      if (!first) continue;
      fault.where.thread = thread_of(*warp, std::countr_zero(split.mask));
      locate(fault, kernel, split.pc);
      first = false;
    }
  }
  fault.report = fmt::format("{}: {}", name_of(fault.kind), what);
  for (const auto& [how, warps] : waiting) {
    const auto& [pc, lanes, cause] = how;
    const Warp& warp = *block.warps[std::countr_zero(warps)];
    fault.report +=
        fmt::format("\n  {}{}, from thread {}: {} for {}", several("warp", warps),
                    lanes == warp.live ? "" : ", " + several("lane", lanes),
                    text(thread_of(warp, std::countr_zero(lanes))), warps & (warps - 1) ? "wait" : "waits", cause);
  }
  fault.report += kernel_line(grid);
  return fault;
}

Fault DeadlockReports::report(const Block& block) const {
  return report(block, fmt::format("no thread of block {} can go on", text(block.index)), FaultKind::barrier_deadlock);
}

}  // namespace ew::simt
