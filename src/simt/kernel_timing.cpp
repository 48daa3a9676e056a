#include "simt/kernel_timing.hpp"

#include <algorithm>

#include "simt/everwarp_regions.hpp"
#include "simt/executor.hpp"

namespace ew::simt {
namespace {

using memory::OrderClass;
using memory::PersistOrder;
using memory::Reached;
using ptx::MemoryKind;
using ptx::OpClass;
using ptx::Order;
using ptx::Window;

struct Cost {
  Unit unit = Unit::none;
  u32 latency = 1, interval = 1;
  u64 InstructionCounts::*issued = nullptr;
};

Cost cost_of(OpClass work, const SmTimingConfig& c) {
  using S = InstructionCounts;
  switch (work) {
    case OpClass::integer:
      return {Unit::integer, c.integer.latency, c.integer.interval, &S::integer};
    case OpClass::multiply:
      return {Unit::integer, c.multiply.latency, c.multiply.interval, &S::integer};
    case OpClass::integer_divide:
      return {Unit::integer, c.integer_divide.latency, c.integer_divide.interval, &S::integer};
    case OpClass::single:
      return {Unit::single, c.single.latency, c.single.interval, &S::single};
    case OpClass::single_divide:
      return {Unit::single, c.single_divide.latency, c.single_divide.interval, &S::single};
    case OpClass::half:
      return {Unit::single, c.half.latency, c.half.interval, &S::half};
    case OpClass::wide:
      return {Unit::wide, c.wide.latency, c.wide.interval, &S::wide};
    case OpClass::wide_divide:
      return {Unit::wide, c.wide_divide.latency, c.wide_divide.interval, &S::wide};
    case OpClass::special:
      return {Unit::special, c.special.latency, c.special.interval, &S::special};
    case OpClass::convert:
      return {Unit::special, c.convert.latency, c.convert.interval, &S::convert};
    case OpClass::shuffle:
      return {Unit::shuffle, c.shuffle.latency, c.shuffle.interval, &S::shuffle};
    case OpClass::vote:
      return {Unit::shuffle, c.vote_latency, c.shuffle.interval, &S::shuffle};
    case OpClass::branch:
      return {Unit::none, 1, 1, &S::branch};
    case OpClass::barrier:
    case OpClass::fence:
      return {Unit::none, 1, 1, &S::synchronising};
    case OpClass::memory:
      return {Unit::memory, 1, 1, &S::shared_accesses};
    case OpClass::texture:
      return {Unit::texture, 1, c.texture_interval, &S::texture};
    case OpClass::other:
      return {Unit::none, 1, 1, &S::other};
  }
  return {};
}

/// Arithmetic instructions that are executed at once, when the first issues.
constexpr u32 most_of_a_run = 32;

bool is_alone(ptx::Op op) {
  using ptx::Op;
  return op == Op::memory || op == Op::bra || op == Op::mov_special || op == Op::convert_address || op == Op::nop;
}

bool is_local(const ptx::MemoryForm& form) {
  return form.window == Window::local || form.window == Window::frame;
}

void memory_cost(PcTiming& pc, const ptx::Instr& instr, const ptx::MemoryForm& form, const SmTimingConfig& c) {
  using S = InstructionCounts;
  pc.unit = Unit::memory;
  // What a compiler for hardware keeps in registers or reads from the constant bank as an operand.
  if (form.window == Window::param || (form.window == Window::frame && instr.a == ptx::no_row)) {
    pc.unit = Unit::integer;
    pc.latency = static_cast<u16>(form.window == Window::param ? c.parameter_latency : c.integer.latency);
    pc.interval = static_cast<u16>(c.integer.interval);
    pc.issued = form.window == Window::param ? &S::constant_accesses : &S::local_accesses;
  } else if (is_local(form)) {
    pc.issued = &S::local_accesses;
  } else if (form.window == Window::shared && form.kind != MemoryKind::async_copy) {
    pc.issued = &S::shared_accesses;
  } else if (form.window == Window::constant) {
    pc.issued = &S::constant_accesses;
  } else if (form.kind == MemoryKind::store) {
    pc.issued = &S::global_stores;
    pc.stores = true;
  } else if (form.kind == MemoryKind::atomic || form.kind == MemoryKind::reduction) {
    pc.issued = &S::atomics;
    pc.stores = true;
  } else {
    pc.issued = &S::global_loads;
  }
}

OrderClass class_of(const ptx::MemoryForm& form) {
  const bool atomic = form.kind == MemoryKind::atomic || form.kind == MemoryKind::reduction;
  const bool store = form.kind == MemoryKind::store;
  switch (form.order) {
    case Order::weak:
      return atomic ? OrderClass::relaxed_atomic : store ? OrderClass::weak_store : OrderClass::weak_load;
    case Order::relaxed:
    case Order::is_volatile:
    case Order::mmio:
      return atomic ? OrderClass::relaxed_atomic : OrderClass::unpaired_atomic;
    case Order::acquire:
      return atomic ? OrderClass::paired_atomic : OrderClass::acquire;
    case Order::release:
      return atomic ? OrderClass::paired_atomic : OrderClass::release;
    case Order::acq_rel:
      return OrderClass::paired_atomic;
  }
  return OrderClass::weak_load;
}

/// PTX ISA: volatile and mmio are relaxed at system scope, an atomic without a scope is at gpu scope.
Scope scope_of(const ptx::MemoryForm& form) {
  if (form.order == Order::is_volatile || form.order == Order::mmio) return Scope::sys;
  if (form.scope != Scope::none) return form.scope;
  const bool atomic = form.kind == MemoryKind::atomic || form.kind == MemoryKind::reduction;
  return atomic || form.order != Order::weak ? Scope::gpu : Scope::none;
}

bool acquires(Order order) {
  return order == Order::acquire || order == Order::acq_rel;
}

bool releases(Order order) {
  return order == Order::release || order == Order::acq_rel;
}

/// What of the table concerns an instruction of class order.as: at a scope within the private cache, visible is
/// performed. release, acquire: what the instruction says itself; an atomic with a release has no acquire side.
void fill(Ordering& order, const memory::Consistency& model, bool release, bool acquire) {
  const bool wide = order.scope > model.widest_private;
  order.releases = wide && release && model.on(order.as).drains;
  order.acquires = wide && acquire && model.on(order.as).drops;
  for (u32 older = 0; older < memory::order_classes; ++older) {
    const Reached wanted = model.wait[older][static_cast<u32>(order.as)];
    if (wanted >= Reached::performed) order.performed |= u16{1} << older;
    const bool synchronised = model.all_synchronise && (memory::synchronising_writes >> older & 1);
    if (wanted >= Reached::visible && (wide || synchronised)) order.visible |= u16{1} << older;
  }
}

/// What a model takes a strong access for that synchronises whatever it says.
OrderClass synchronising(ptx::MemoryKind kind) {
  return kind == MemoryKind::load    ? OrderClass::acquire
         : kind == MemoryKind::store ? OrderClass::release
                                     : OrderClass::paired_atomic;
}

/// `most`: no scope is wider.
Ordering order_of(const ptx::Kernel& kernel, const ptx::Instr& instr, const memory::Consistency& model,
                  Scope most = Scope::sys) {
  Ordering order;
  switch (instr.op) {
    case ptx::Op::memory: {
      const ptx::MemoryForm& form = kernel.memory[instr.imm];
      if (form.window == Window::param || form.window == Window::constant || is_local(form) ||
          form.kind == MemoryKind::prefetch)
        return {};
      order.as = class_of(form);
      order.scope = std::min(std::max(scope_of(form), model.least_scope), most);
      order.strong = model.on(order.as).strong;
      if (model.all_synchronise && order.strong && form.kind != MemoryKind::async_copy) {
        order.as = synchronising(form.kind);
        fill(order, model, form.kind != MemoryKind::load, form.kind != MemoryKind::store);
      } else {
        fill(order, model, releases(form.order), acquires(form.order));
      }
      return order;
    }
    case ptx::Op::mbarrier: {
      const ptx::MbarrierForm& form = kernel.mbarriers[instr.imm];
      if (form.order == Order::weak || form.order == Order::relaxed) return {};
      order.as = releases(form.order) || form.kind == ptx::MbarrierKind::async_arrive ? OrderClass::release
                                                                                      : OrderClass::acquire;
      order.scope = std::max({form.scope, Scope::cta, model.least_scope});
      fill(order, model, releases(form.order), acquires(form.order));
      return order;
    }
    case ptx::Op::fence: {
      const ptx::FenceForm& form = kernel.fences[instr.imm];
      order.as = OrderClass::fence;
      order.scope = std::min(std::max(form.scope, model.least_scope), most);
      fill(order, model, true, true);
      return order;
    }
    case ptx::Op::barrier:
    case ptx::Op::warp_sync:
      order.as = OrderClass::fence;
      order.scope = Scope::cta;
      fill(order, model, false, false);
      return order;
    default:
      return {};
  }
}

/// What conventional operations ask of the persistency model.
void order_persists(const ptx::Kernel& kernel, const ptx::Instr& instr, PcTiming& pc) {
  Ordering& order = pc.order;
  const auto pair = [&](Order of) {
    if (releases(of)) order.before = PersistOrder::release;
    if (acquires(of)) order.after = PersistOrder::acquire;
  };
  switch (instr.op) {
    case ptx::Op::memory:
      if (order.scope != Scope::none) pair(kernel.memory[instr.imm].order);
      break;
    case ptx::Op::mbarrier:
      if (order.scope != Scope::none) pair(kernel.mbarriers[instr.imm].order);
      break;
    case ptx::Op::fence:
      order.before = PersistOrder::fence;
      break;
    case ptx::Op::barrier:
      order.before = PersistOrder::barrier;
      break;
    default:
      break;
  }
}

/// Regions that say more of their instructions than PTX can.
void apply_regions(const ptx::Kernel& kernel, const memory::Consistency& model, std::vector<PcTiming>& pcs) {
  for (ptx::Pc begin = 0; begin < pcs.size(); ++begin) {
    if (kernel.code[begin].op != ptx::Op::region) continue;
    const ptx::RegionForm& form = kernel.regions[kernel.code[begin].imm];
    const EverwarpRegion& region = *find_region(form.name);
    if (region.wakes) {  // what its warp has stored in shared memory is there before
      pcs[begin].order = {.as = OrderClass::fence, .scope = std::max(Scope::cta, model.least_scope)};
      fill(pcs[begin].order, model, false, false);
    }
    for (ptx::Pc at = begin + 1; at < form.end; ++at) {
      if (region.local && model.local_scopes) pcs[at].order = order_of(kernel, kernel.code[at], model, Scope::cta);
      pcs[at].order.declared = region.read_only;
    }
  }
}

/// The region's instructions stay as they are; its acquire is a pAcq.
void mark_acquire(const ptx::Kernel& kernel, ptx::Pc begin, std::vector<PcTiming>& pcs) {
  const ptx::RegionForm& region = kernel.regions[kernel.code[begin].imm];
  const PersistOrder kind = find_region(region.name)->operation;
  if (kind != PersistOrder::p_acquire) return;
  for (ptx::Pc at = begin + 1; at < region.end; ++at)
    if (kernel.code[at].op == ptx::Op::memory) pcs[at].order.after = kind;
}

/// An order operation takes the place of the fences in its region: a pRel comes before its store, a pAcq behind its
/// load.
void replace_region(const ptx::Kernel& kernel, ptx::Pc begin, const memory::Consistency& model,
                    std::vector<PcTiming>& pcs) {
  const ptx::RegionForm& region = kernel.regions[kernel.code[begin].imm];
  const PersistOrder kind = find_region(region.name)->operation;
  const Scope scope = find_region(region.name)->scope;
  if (kind == PersistOrder::none) return;
  if (kind != PersistOrder::p_acquire) {
    pcs[begin].order.before = kind;
    pcs[begin].order.scope = scope;
  }
  for (ptx::Pc at = begin + 1; at < region.end; ++at) {
    Ordering& order = pcs[at].order;
    if (kernel.code[at].op == ptx::Op::fence) order = {};
    if (kernel.code[at].op == ptx::Op::memory && kind == PersistOrder::p_release) order.flag = kind;
    if (kernel.code[at].op != ptx::Op::memory || kind != PersistOrder::p_acquire) continue;
    const bool strong = order.strong;
    order = {.as = OrderClass::p_acquire, .scope = scope, .strong = strong, .after = kind, .flag = kind};
    fill(order, model, false, false);
  }
}

void ask_persistency(const ptx::Kernel& kernel, const memory::Consistency& model, const PersistTiming& persists,
                     std::vector<PcTiming>& pcs) {
  for (ptx::Pc at = 0; at < pcs.size(); ++at) order_persists(kernel, kernel.code[at], pcs[at]);
  for (ptx::Pc at = 0; at < pcs.size(); ++at) {
    if (kernel.code[at].op != ptx::Op::region) continue;
    if (persists.regions)
      replace_region(kernel, at, model, pcs);
    else if (persists.model)
      mark_acquire(kernel, at, pcs);
  }
  for (PcTiming& pc : pcs) {
    Ordering& order = pc.order;
    if (order.before != PersistOrder::none)
      order.performed |= memory::writing_classes;  // what its warp has handed to the private cache
    const bool fence = order.before == PersistOrder::fence && order.scope > Scope::cta;
    const bool operation = order.before == PersistOrder::ofence || order.before == PersistOrder::dfence;
    if (fence || (persists.waits && operation)) pc.order_cycles = persists.fence_cycles;
  }
}

/// Regions have been applied: they widen and narrow scopes.
void fence_cost(PcTiming& pc, const SmTimingConfig& c) {
  if (pc.work != OpClass::fence || pc.order.as != OrderClass::fence) return;
  if (pc.order.scope == Scope::gpu) pc.fence_cycles = c.fence.device;
  pc.asks_gpu = pc.order.scope == Scope::sys && c.fence.system != 0;
}

/// Operands of stores and atomics, and source and sizes of copies, as rows 0 up of what is copied.
CapturedForm captured(const ptx::MemoryForm& form) {
  CapturedForm result{form, {}};
  const auto capture = [&](ptx::Row& row, u32 count) {
    if (row == ptx::no_row) return;
    const auto first = static_cast<ptx::Row>(result.rows.size());
    for (u32 i = 0; i < count; ++i)
      result.rows.push_back({static_cast<ptx::Row>(row + i), static_cast<ptx::Row>(first + i)});
    row = first | ptx::constant_row;
  };
  const auto rows = [](u32 bytes) { return bytes <= 4 ? 1u : bytes / 4; };
  if (form.kind == MemoryKind::store)
    for (u32 e = 0; e < form.count; ++e) capture(result.form.data[e], rows(form.register_bytes));
  if (form.kind == MemoryKind::atomic || form.kind == MemoryKind::reduction) {
    capture(result.form.b, rows(ptx::size_of(form.type)));
    capture(result.form.c, rows(ptx::size_of(form.type)));
  }
  return result;
}

/// printf writes, and the heap gives, in the order of calls.
bool calls_in_order(const ptx::Kernel& kernel) {
  return std::ranges::any_of(kernel.calls, [](const ptx::CallForm& call) {
    using enum ptx::SystemCall;
    return call.system == vprintf || call.system == malloc || call.system == free;
  });
}

}  // namespace

KernelTiming timing_of(const Grid& grid, const SmTimingConfig& config, const memory::Consistency& model,
                       const PersistTiming& persists) {
  const ptx::Kernel& kernel = *grid.kernel;
  KernelTiming timing{.code = kernel.code.data()};
  ptx::Operands operands;
  for (const ptx::Instr& instr : kernel.code) {
    PcTiming pc;
    pc.work = ptx::class_of(kernel, instr);
    const Cost cost = cost_of(pc.work, config);
    pc.unit = cost.unit;
    pc.latency = static_cast<u16>(cost.latency);
    pc.interval = static_cast<u16>(cost.interval);
    pc.issued = cost.issued;
    pc.arithmetic = Executor::is_arithmetic(grid, instr);
    pc.branches = pc.work == OpClass::branch;
    pc.alone = is_alone(instr.op);
    pc.waits_for_copies =
        instr.op == ptx::Op::async_wait ||
        (instr.op == ptx::Op::mbarrier && kernel.mbarriers[instr.imm].kind == ptx::MbarrierKind::async_arrive);
    if (instr.op == ptx::Op::memory) memory_cost(pc, instr, kernel.memory[instr.imm], config);
    pc.order = order_of(kernel, instr, model);

    operands.clear();
    ptx::list_operands(kernel, instr, operands);
    pc.index = static_cast<u32>(timing.pcs.size());
    pc.rows = static_cast<u32>(timing.rows.size());
    pc.written_rows = static_cast<u8>(operands.writes.size());
    pc.all_rows = static_cast<u8>(operands.writes.size() + operands.reads.size());
    timing.rows.insert(timing.rows.end(), operands.writes.begin(), operands.writes.end());
    timing.rows.insert(timing.rows.end(), operands.reads.begin(), operands.reads.end());
    for (u32 i = 0; i < pc.first_rows.size() && pc.all_rows; ++i)
      pc.first_rows[i] = timing.rows[pc.rows + std::min<u32>(i, pc.all_rows - 1u)];
    pc.predicates = static_cast<u32>(timing.predicates.size());
    pc.written_predicates = static_cast<u8>(operands.predicate_writes.size());
    pc.all_predicates = static_cast<u8>(operands.predicate_writes.size() + operands.predicate_reads.size());
    timing.predicates.insert(timing.predicates.end(), operands.predicate_writes.begin(),
                             operands.predicate_writes.end());
    timing.predicates.insert(timing.predicates.end(), operands.predicate_reads.begin(), operands.predicate_reads.end());
    timing.pcs.push_back(pc);
  }
  apply_regions(kernel, model, timing.pcs);
  if (persists.model) ask_persistency(kernel, model, persists, timing.pcs);
  for (PcTiming& pc : timing.pcs) fence_cost(pc, config);
  for (PcTiming& pc : timing.pcs) {
    const Ordering& order = pc.order;
    pc.ordered = order.performed || order.visible || order.releases || order.before != memory::PersistOrder::none ||
                 pc.waits_for_copies;
    pc.asks = order.releases || order.before != memory::PersistOrder::none || pc.waits_for_copies || pc.asks_gpu;
    pc.arithmetic &= !pc.ordered;
  }
  for (PcTiming& pc : timing.pcs) pc.straight = pc.arithmetic;
  for (const ptx::Pc meeting : kernel.reconverge)  // lanes meet behind a call, too: no arithmetic comes before that
    if (meeting != ptx::no_pc && meeting > 0) timing.pcs[meeting - 1].straight = false;
  for (std::size_t at = timing.pcs.size(); at-- > 0;) {
    PcTiming& pc = timing.pcs[at];
    if (!pc.arithmetic) continue;
    const u32 behind = pc.straight && at + 1 < timing.pcs.size() ? timing.pcs[at + 1].run : 0;
    pc.run = static_cast<u8>(std::min(1 + behind, most_of_a_run));
  }
  for (const ptx::MemoryForm& form : kernel.memory) timing.forms.push_back(captured(form));
  for (const ptx::MemoryForm& form : grid.made) timing.forms.push_back(captured(form));
  timing.in_step = calls_in_order(kernel);
  return timing;
}

}  // namespace ew::simt
