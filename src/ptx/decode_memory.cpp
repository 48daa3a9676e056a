// Loads, stores, atomics, prefetches, asynchronous copies, fences, address conversions, mbarriers.
#include <fmt/format.h>

#include "ptx/decode.hpp"

namespace ew::ptx {

namespace {

using Kind = ast::Operand::Kind;

void check_order(const InstructionOperands& operands, const Match& match, MemoryForm& form) {
  const bool ordered = form.order == Order::relaxed || form.order == Order::acquire || form.order == Order::release;
  if (match.value("mmio")) {
    if (form.order != Order::relaxed || form.scope != Scope::sys) operands.fail(".mmio needs .relaxed.sys");
    form.order = Order::mmio;
  } else if (ordered && form.scope == Scope::none) {
    operands.fail("a scope is missing: .cta, .gpu or .sys");
  } else if (!ordered && form.scope != Scope::none) {
    operands.fail("a scope needs .relaxed, .acquire or .release");
  }
  if (form.scope == Scope::cluster) operands.fail("not supported yet: thread-block clusters");
  if (ordered && form.hint != CacheHint::none) operands.fail("an ordered access takes no cache operator");
}

void set_window(const InstructionOperands& operands, const Match& match, MemoryForm& form,
                const InstructionOperands::Address& address) {
  const auto space_slot = match.has("space")            ? "space"
                          : match.has("atomic_space")   ? "atomic_space"
                          : match.has("prefetch_space") ? "prefetch_space"
                                                        : "global_space";
  auto space = match.has(space_slot) ? static_cast<Space>(match.value(space_slot)) : Space::generic;
  form.offset = address.offset;
  form.address_bytes = address.bytes;
  if (address.symbol) {
    const auto& where = *address.symbol;
    const auto declared = where.kind == Symbol::Kind::function ? Space::generic : where.space;
    if (space != Space::generic && space != declared) operands.fail("the variable is in another state space");
    space = declared;
    if (where.kind == Symbol::Kind::frame) {
      form.window = Window::frame;
      return;
    }
  }
  switch (space) {
    case Space::generic:
      form.window = Window::generic;
      break;
    case Space::global:
      form.window = Window::global;
      break;
    case Space::shared:
      form.window = Window::shared;
      break;
    case Space::local:
      form.window = Window::local;
      break;
    case Space::constant:
      form.window = Window::constant;
      break;
    case Space::param:
      form.window = operands.in_entry() ? Window::param : Window::local;
      break;
    case Space::reg:
      break;
  }
}

void memory_data(InstructionOperands& operands, MemoryForm& form, const ast::Operand& data, bool is_load) {
  const auto elements = data.kind == Kind::vector ? std::span(data.elements) : std::span(&data, 1);
  if (elements.size() != form.count)
    operands.fail(fmt::format("{} registers expected, {} given", form.count, elements.size()));
  u32 register_bytes = 0;
  for (u32 i = 0; i < elements.size(); ++i) {
    form.data[i] =
        is_load ? operands.destination(elements[i], form.type, true) : operands.row(elements[i], form.type, true);
    if (elements[i].kind == Kind::reg) register_bytes = size_of(operands.register_type(elements[i]));
  }
  if (register_bytes == 0) register_bytes = size_of(form.type);  // constants only
  for (u32 i = 0; i < elements.size(); ++i) {
    if (elements[i].kind == Kind::reg && size_of(operands.register_type(elements[i])) != register_bytes)
      operands.fail("the registers of a vector must have one size");
    if (elements[i].kind == Kind::immediate && register_bytes > 4 && size_of(form.type) <= 4)
      form.data[i] = operands.constant(operands.immediate(elements[i], form.type), register_bytes);
  }
  form.register_bytes = static_cast<u8>(register_bytes);
}

}  // namespace

void FunctionDecoder::emit_memory(MemoryForm form, Row address_row) {
  kernel_.memory.push_back(form);
  emit({.op = Op::memory, .a = address_row, .imm = static_cast<u32>(kernel_.memory.size() - 1)});
}

void FunctionDecoder::decode_load(const Match& match) {
  MemoryForm form{.kind = MemoryKind::load, .type = match.type()};
  form.count = std::max<u8>(match.value("vector"), 1);
  form.order = static_cast<Order>(match.value("order_of_load"));
  form.scope = static_cast<Scope>(match.value("scope"));
  form.hint = static_cast<CacheHint>(match.value("load_cache"));
  check_order(operands_, match, form);
  if (size_of(form.type) * form.count > 16) operands_.fail("a vector has at most 16 bytes");
  if (match.value("noncoherent")) {
    if (match.text("space") != "global") operands_.fail(".nc needs .global");
    form.hint = CacheHint::nc;
  }
  operands_.expect(2, match.value("l2_hint") ? 3 : 2);
  const auto from = operands_.address(operands_[1]);
  set_window(operands_, match, form, from);
  memory_data(operands_, form, operands_[0], true);
  emit_memory(form, from.row);
}

void FunctionDecoder::decode_store(const Match& match) {
  MemoryForm form{.kind = MemoryKind::store, .type = match.type()};
  form.count = std::max<u8>(match.value("vector"), 1);
  form.order = static_cast<Order>(match.value("order_of_store"));
  form.scope = static_cast<Scope>(match.value("scope"));
  form.hint = static_cast<CacheHint>(match.value("store_cache"));
  check_order(operands_, match, form);
  if (size_of(form.type) * form.count > 16) operands_.fail("a vector has at most 16 bytes");
  if (match.text("space") == "const") operands_.fail("the .const space cannot be stored to");
  operands_.expect(2, match.value("l2_hint") ? 3 : 2);
  const auto to = operands_.address(operands_[0]);
  set_window(operands_, match, form, to);
  if (form.window == Window::param) operands_.fail("the parameters of a kernel cannot be stored to");
  if (form.window == Window::constant) operands_.fail("the .const space cannot be stored to");
  memory_data(operands_, form, operands_[1], false);
  emit_memory(form, to.row);
}

namespace {

AtomicOp atomic_op(const Match& match) {
  for (const auto* slot : {"atomic_bits", "atomic_wrap", "atomic_order"})
    if (match.has(slot)) return static_cast<AtomicOp>(match.value(slot));
  for (const auto& part : match.form->parts) {
    if (part.literal == "exch") return AtomicOp::exch;
    if (part.literal == "cas") return AtomicOp::cas;
  }
  return AtomicOp::add;
}

}  // namespace

void FunctionDecoder::decode_atomic(const Match& match, bool has_result) {
  MemoryForm form{.kind = has_result ? MemoryKind::atomic : MemoryKind::reduction};
  form.atomic = atomic_op(match);
  form.type = match.has("atomic_wrap") ? Type::u32 : match.type();
  form.order = static_cast<Order>(match.value(has_result ? "order_of_atomic" : "order_of_reduction"));
  form.scope = match.has("scope") ? static_cast<Scope>(match.value("scope")) : Scope::gpu;
  if (form.scope == Scope::cluster) operands_.fail("not supported yet: thread-block clusters");
  const bool is_half = size_of(form.type) == 2 || form.type == Type::f16x2 || form.type == Type::bf16x2;
  if (form.atomic == AtomicOp::add && is_half && !match.value("noftz"))
    operands_.fail("atomic addition of this type needs .noftz");
  if (match.value("noftz") && !is_half) operands_.fail(".noftz is for 16-bit floating-point types");
  form.register_bytes = static_cast<u8>(size_of(form.type));
  u32 next = has_result ? 1 : 0;
  const u32 count = next + (form.atomic == AtomicOp::cas ? 3 : 2);
  operands_.expect(count, count + match.value("l2_hint"));
  if (has_result) form.data[0] = operands_.destination(operands_[0], form.type);
  const auto at = operands_.address(operands_[next++]);
  set_window(operands_, match, form, at);
  form.b = operands_.row(operands_[next++], form.type);
  if (form.atomic == AtomicOp::cas) form.c = operands_.row(operands_[next], form.type);
  emit_memory(form, at.row);
}

void FunctionDecoder::decode_prefetch(const Match& match) {
  if (match.form->control == ControlForm::cache_policy) {
    // A policy is an opaque hint; its value means nothing to this machine.
    operands_.expect(1, 2);
    const auto* move = FormTable::instance().of("mov").front();
    for (const auto* form : FormTable::instance().of("mov"))
      if (form->pattern == "mov{movable}") move = form;
    static const std::string wide[] = {"b64"};
    return emit({.op = ew::ptx::match(*move, wide)->op(),
                 .dst = operands_.destination(operands_[0], Type::b64),
                 .a = operands_.constant(0, 8)});
  }
  MemoryForm form{.kind = MemoryKind::prefetch, .type = Type::b8};
  const bool is_discard = match.form->opcode == "discard" || match.form->opcode == "applypriority";
  operands_.expect(is_discard ? 2 : 1, is_discard ? 2 : 1);
  const auto at = operands_.address(operands_[0]);
  set_window(operands_, match, form, at);
  emit_memory(form, at.row);
}

void FunctionDecoder::decode_async(const Match& match) {
  switch (match.form->control) {
    case ControlForm::async_commit:
      operands_.expect(0);
      return emit({.op = Op::async_commit});
    case ControlForm::async_wait_all:
      operands_.expect(0);
      return emit({.op = Op::async_wait});
    case ControlForm::async_wait:
      operands_.expect(1);
      return emit({.op = Op::async_wait, .imm = operands_.immediate_u32(operands_[0], "the number of groups")});
    default:
      break;
  }
  MemoryForm form{.kind = MemoryKind::async_copy, .window = Window::shared, .type = Type::b8};
  form.hint = static_cast<CacheHint>(match.value("async_cache"));
  operands_.expect(3, match.value("l2_hint") ? 5 : 4);
  const auto to = operands_.address(operands_[0]);
  const auto from = operands_.address(operands_[1]);
  form.address_bytes = to.bytes;
  form.offset = to.offset;
  if (to.symbol && to.symbol->kind != Symbol::Kind::shared) operands_.fail("the destination must be in shared memory");
  if (from.row != no_row && from.bytes != 8) operands_.fail("the source address must have 64 bits");
  form.b = from.row == no_row ? operands_.constant(0, 8) : from.row;
  form.source_offset = from.offset;
  form.bytes = operands_.immediate_u32(operands_[2], "the size of the copy");
  const bool legal =
      form.hint == CacheHint::cg ? form.bytes == 16 : form.bytes == 4 || form.bytes == 8 || form.bytes == 16;
  if (!legal) operands_.fail("cp.async copies 4, 8 or 16 bytes (.cg: 16)");
  const u32 sizes = operands_.count() - match.value("l2_hint");
  if (sizes == 4) form.c = operands_.row(operands_[3], Type::u32);
  emit_memory(form, to.row);
}

void FunctionDecoder::decode_fence(const Match& match) {
  FenceForm form;
  if (match.form->control == ControlForm::membar) {
    form.scope = static_cast<Scope>(match.value("membar_scope"));
  } else {
    form.sequentially_consistent = match.value("fence_order") != 0;
    if (!match.has("scope")) operands_.fail("a scope is missing: .cta, .gpu or .sys");
    form.scope = static_cast<Scope>(match.value("scope"));
    if (form.scope == Scope::cluster) operands_.fail("not supported yet: thread-block clusters");
  }
  operands_.expect(0);
  kernel_.fences.push_back(form);
  emit({.op = Op::fence, .imm = static_cast<u32>(kernel_.fences.size() - 1)});
}

void FunctionDecoder::decode_address(const Match& match) {
  operands_.expect(2);
  const u32 space = match.value("address_space");
  if (match.form->control == ControlForm::query_space)
    return emit({.op = Op::address_query,
                 .dst = operands_.destination_predicate(operands_[0]),
                 .a = operands_.row(operands_[1], Type::u64),
                 .imm = space});
  const bool to_space = match.form->pattern.starts_with("cvta.to");
  emit({.op = Op::convert_address,
        .dst = operands_.destination(operands_[0], Type::u64),
        .a = operands_.row(operands_[1], Type::u64),
        .b = static_cast<Row>(to_space),
        .imm = space});
}

void FunctionDecoder::decode_mbarrier(const Match& match) {
  MbarrierForm form;
  u32 next = 0;
  const auto count = operands_.count();
  const auto at = [&](const ast::Operand& operand) {
    const auto where = operands_.address(operand);
    form.address = where.row;
    form.address_bytes = where.bytes;
    form.offset = where.offset;
    form.shared = match.has("shared_space") || where.symbol;
  };
  if (static_cast<Scope>(match.value("mbarrier_scope")) == Scope::cluster)
    operands_.fail("not supported yet: thread-block clusters");
  switch (match.form->control) {
    case ControlForm::mbarrier_init:
      operands_.expect(2);
      at(operands_[0]);
      form.count = operands_.row(operands_[1], Type::u32);
      break;
    case ControlForm::mbarrier_inval:
      operands_.expect(1);
      form.kind = MbarrierKind::inval;
      at(operands_[0]);
      break;
    case ControlForm::mbarrier_arrive: {
      const bool no_complete = match.form->pattern.starts_with("mbarrier.arrive.noComplete");
      form.kind =
          no_complete ? MbarrierKind::arrive_no_complete : static_cast<MbarrierKind>(match.value("arrive_kind"));
      form.order = static_cast<Order>(match.value("arrive_order"));
      operands_.expect(no_complete ? 3 : 2, 3);
      form.dst = operands_.destination(operands_[next++], Type::b64);
      at(operands_[next++]);
      if (next < count) form.count = operands_.row(operands_[next], Type::u32);
      break;
    }
    case ControlForm::mbarrier_expect:
      operands_.expect(2);
      form.kind = MbarrierKind::expect_tx;
      form.order = Order::relaxed;
      at(operands_[0]);
      form.count = operands_.row(operands_[1], Type::u32);
      break;
    case ControlForm::mbarrier_wait:
      form.kind = static_cast<MbarrierKind>(match.value("wait_kind"));
      form.parity = match.value("parity") != 0;
      form.order = static_cast<Order>(match.value("wait_order"));
      operands_.expect(3, form.kind == MbarrierKind::try_wait ? 4 : 3);
      form.dst_predicate = operands_.destination_predicate(operands_[0]);
      at(operands_[1]);
      form.state = operands_.row(operands_[2], form.parity ? Type::u32 : Type::b64);
      break;
    case ControlForm::mbarrier_pending:
      operands_.expect(2);
      form.kind = MbarrierKind::pending_count;
      form.dst = operands_.destination(operands_[0], Type::u32);
      form.state = operands_.row(operands_[1], Type::b64);
      break;
    default:
      operands_.expect(1);
      form.kind = MbarrierKind::async_arrive;
      form.noinc = match.value("noinc") != 0;
      at(operands_[0]);
      break;
  }
  kernel_.mbarriers.push_back(form);
  emit({.op = Op::mbarrier, .imm = static_cast<u32>(kernel_.mbarriers.size() - 1)});
}

}  // namespace ew::ptx
