// Loads, stores, atomics, prefetches, asynchronous copies, fences, address conversions, mbarriers.
#include <fmt/format.h>

#include "ptx/decode.hpp"

namespace ew::ptx {

using Kind = ast::Operand::Kind;

void FunctionDecoder::check_order(const Match& match, MemoryForm& form) {
  const bool ordered = form.order == Order::relaxed || form.order == Order::acquire || form.order == Order::release;
  if (match.value("mmio")) {
    if (form.order != Order::relaxed || form.scope != Scope::sys) fail(".mmio needs .relaxed.sys");
    form.order = Order::mmio;
  } else if (ordered && form.scope == Scope::none) {
    fail("a scope is missing: .cta, .gpu or .sys");
  } else if (!ordered && form.scope != Scope::none) {
    fail("a scope needs .relaxed, .acquire or .release");
  }
  if (form.scope == Scope::cluster) fail("not supported yet: thread-block clusters");
  if (ordered && form.hint != CacheHint::none) fail("an ordered access takes no cache operator");
}

void FunctionDecoder::set_window(const Match& match, MemoryForm& form, const Address& address) {
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
    if (space != Space::generic && space != declared) fail("the variable is in another state space");
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
      form.window = source_.is_entry ? Window::param : Window::local;
      break;
    case Space::reg:
      break;
  }
}

void FunctionDecoder::memory_data(MemoryForm& form, const ast::Operand& data, bool is_load) {
  const auto elements = data.kind == Kind::vector ? std::span(data.elements) : std::span(&data, 1);
  if (elements.size() != form.count) fail(fmt::format("{} registers expected, {} given", form.count, elements.size()));
  u32 register_bytes = 0;
  for (u32 i = 0; i < elements.size(); ++i) {
    form.data[i] = is_load ? destination(elements[i], form.type, true) : row(elements[i], form.type, true);
    if (elements[i].kind == Kind::reg) register_bytes = size_of(source_.registers[elements[i].reg].type);
  }
  if (register_bytes == 0) register_bytes = size_of(form.type);  // constants only
  for (u32 i = 0; i < elements.size(); ++i) {
    if (elements[i].kind == Kind::reg && size_of(source_.registers[elements[i].reg].type) != register_bytes)
      fail("the registers of a vector must have one size");
    if (elements[i].kind == Kind::immediate && register_bytes > 4 && size_of(form.type) <= 4)
      form.data[i] = build_.constant(immediate(elements[i], form.type), register_bytes);
  }
  form.register_bytes = static_cast<u8>(register_bytes);
}

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
  check_order(match, form);
  if (size_of(form.type) * form.count > 16) fail("a vector has at most 16 bytes");
  if (match.value("noncoherent")) {
    if (match.text("space") != "global") fail(".nc needs .global");
    form.hint = CacheHint::nc;
  }
  expect_operands(2, match.value("l2_hint") ? 3 : 2);
  const auto from = address(operand(1));
  set_window(match, form, from);
  memory_data(form, operand(0), true);
  emit_memory(form, from.row);
}

void FunctionDecoder::decode_store(const Match& match) {
  MemoryForm form{.kind = MemoryKind::store, .type = match.type()};
  form.count = std::max<u8>(match.value("vector"), 1);
  form.order = static_cast<Order>(match.value("order_of_store"));
  form.scope = static_cast<Scope>(match.value("scope"));
  form.hint = static_cast<CacheHint>(match.value("store_cache"));
  check_order(match, form);
  if (size_of(form.type) * form.count > 16) fail("a vector has at most 16 bytes");
  if (match.text("space") == "const") fail("the .const space cannot be stored to");
  expect_operands(2, match.value("l2_hint") ? 3 : 2);
  const auto to = address(operand(0));
  set_window(match, form, to);
  if (form.window == Window::param) fail("the parameters of a kernel cannot be stored to");
  if (form.window == Window::constant) fail("the .const space cannot be stored to");
  memory_data(form, operand(1), false);
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
  if (form.scope == Scope::cluster) fail("not supported yet: thread-block clusters");
  const bool is_half = size_of(form.type) == 2 || form.type == Type::f16x2 || form.type == Type::bf16x2;
  if (form.atomic == AtomicOp::add && is_half && !match.value("noftz"))
    fail("atomic addition of this type needs .noftz");
  if (match.value("noftz") && !is_half) fail(".noftz is for 16-bit floating-point types");
  form.register_bytes = static_cast<u8>(size_of(form.type));
  u32 next = has_result ? 1 : 0;
  const u32 count = next + (form.atomic == AtomicOp::cas ? 3 : 2);
  expect_operands(count, count + match.value("l2_hint"));
  if (has_result) form.data[0] = destination(operand(0), form.type);
  const auto at = address(operand(next++));
  set_window(match, form, at);
  form.b = row(operand(next++), form.type);
  if (form.atomic == AtomicOp::cas) form.c = row(operand(next), form.type);
  emit_memory(form, at.row);
}

void FunctionDecoder::decode_prefetch(const Match& match) {
  if (match.form->control == ControlForm::cache_policy) {
    // A policy is an opaque hint; its value means nothing to this machine.
    expect_operands(1, 2);
    const auto* move = FormTable::instance().of("mov").front();
    for (const auto* form : FormTable::instance().of("mov"))
      if (form->pattern == "mov{movable}") move = form;
    static const std::string wide[] = {"b64"};
    return emit({.op = ew::ptx::match(*move, wide)->op(),
                 .dst = destination(operand(0), Type::b64),
                 .a = build_.constant(0, 8)});
  }
  MemoryForm form{.kind = MemoryKind::prefetch, .type = Type::b8};
  const bool is_discard = match.form->opcode == "discard" || match.form->opcode == "applypriority";
  expect_operands(is_discard ? 2 : 1, is_discard ? 2 : 1);
  const auto at = address(operand(0));
  set_window(match, form, at);
  emit_memory(form, at.row);
}

void FunctionDecoder::decode_async(const Match& match) {
  switch (match.form->control) {
    case ControlForm::async_commit:
      expect_operands(0, 0);
      return emit({.op = Op::async_commit});
    case ControlForm::async_wait_all:
      expect_operands(0, 0);
      return emit({.op = Op::async_wait});
    case ControlForm::async_wait:
      expect_operands(1, 1);
      return emit({.op = Op::async_wait, .imm = immediate_u32(operand(0), "the number of groups")});
    default:
      break;
  }
  MemoryForm form{.kind = MemoryKind::async_copy, .window = Window::shared, .type = Type::b8};
  form.hint = static_cast<CacheHint>(match.value("async_cache"));
  expect_operands(3, match.value("l2_hint") ? 5 : 4);
  const auto to = address(operand(0));
  const auto from = address(operand(1));
  form.address_bytes = to.bytes;
  form.offset = to.offset;
  if (to.symbol && to.symbol->kind != Symbol::Kind::shared) fail("the destination must be in shared memory");
  if (from.row != no_row && from.bytes != 8) fail("the source address must have 64 bits");
  form.b = from.row == no_row ? build_.constant(0, 8) : from.row;
  form.source_offset = from.offset;
  form.bytes = immediate_u32(operand(2), "the size of the copy");
  const bool legal =
      form.hint == CacheHint::cg ? form.bytes == 16 : form.bytes == 4 || form.bytes == 8 || form.bytes == 16;
  if (!legal) fail("cp.async copies 4, 8 or 16 bytes (.cg: 16)");
  const u32 sizes = static_cast<u32>(instruction_->operands.size()) - match.value("l2_hint");
  if (sizes == 4) form.c = row(operand(3), Type::u32);
  emit_memory(form, to.row);
}

void FunctionDecoder::decode_fence(const Match& match) {
  FenceForm form;
  if (match.form->control == ControlForm::membar) {
    form.scope = static_cast<Scope>(match.value("membar_scope"));
  } else {
    form.sequentially_consistent = match.value("fence_order") != 0;
    if (!match.has("scope")) fail("a scope is missing: .cta, .gpu or .sys");
    form.scope = static_cast<Scope>(match.value("scope"));
    if (form.scope == Scope::cluster) fail("not supported yet: thread-block clusters");
  }
  expect_operands(0, 0);
  kernel_.fences.push_back(form);
  emit({.op = Op::fence, .imm = static_cast<u32>(kernel_.fences.size() - 1)});
}

void FunctionDecoder::decode_address(const Match& match) {
  expect_operands(2, 2);
  const u32 space = match.value("address_space");
  if (match.form->control == ControlForm::query_space)
    return emit({.op = Op::address_query,
                 .dst = destination_predicate(operand(0)),
                 .a = row(operand(1), Type::u64),
                 .imm = space});
  const bool to_space = match.form->pattern.starts_with("cvta.to");
  emit({.op = Op::convert_address,
        .dst = destination(operand(0), Type::u64),
        .a = row(operand(1), Type::u64),
        .b = static_cast<Row>(to_space),
        .imm = space});
}

void FunctionDecoder::decode_mbarrier(const Match& match) {
  MbarrierForm form;
  u32 next = 0;
  const auto count = static_cast<u32>(instruction_->operands.size());
  const auto at = [&](const ast::Operand& operand) {
    const auto where = address(operand);
    form.address = where.row;
    form.address_bytes = where.bytes;
    form.offset = where.offset;
    form.shared = match.has("shared_space") || where.symbol;
  };
  if (static_cast<Scope>(match.value("mbarrier_scope")) == Scope::cluster)
    fail("not supported yet: thread-block clusters");
  switch (match.form->control) {
    case ControlForm::mbarrier_init:
      expect_operands(2, 2);
      at(operand(0));
      form.count = row(operand(1), Type::u32);
      break;
    case ControlForm::mbarrier_inval:
      expect_operands(1, 1);
      form.kind = MbarrierKind::inval;
      at(operand(0));
      break;
    case ControlForm::mbarrier_arrive: {
      const bool no_complete = match.form->pattern.starts_with("mbarrier.arrive.noComplete");
      form.kind =
          no_complete ? MbarrierKind::arrive_no_complete : static_cast<MbarrierKind>(match.value("arrive_kind"));
      form.order = static_cast<Order>(match.value("arrive_order"));
      expect_operands(no_complete ? 3 : 2, 3);
      form.dst = destination(operand(next++), Type::b64);
      at(operand(next++));
      if (next < count) form.count = row(operand(next), Type::u32);
      break;
    }
    case ControlForm::mbarrier_expect:
      expect_operands(2, 2);
      form.kind = MbarrierKind::expect_tx;
      form.order = Order::relaxed;
      at(operand(0));
      form.count = row(operand(1), Type::u32);
      break;
    case ControlForm::mbarrier_wait:
      form.kind = static_cast<MbarrierKind>(match.value("wait_kind"));
      form.parity = match.value("parity") != 0;
      form.order = static_cast<Order>(match.value("wait_order"));
      expect_operands(3, form.kind == MbarrierKind::try_wait ? 4 : 3);
      form.dst_predicate = destination_predicate(operand(0));
      at(operand(1));
      form.state = row(operand(2), form.parity ? Type::u32 : Type::b64);
      break;
    case ControlForm::mbarrier_pending:
      expect_operands(2, 2);
      form.kind = MbarrierKind::pending_count;
      form.dst = destination(operand(0), Type::u32);
      form.state = row(operand(1), Type::b64);
      break;
    default:
      expect_operands(1, 1);
      form.kind = MbarrierKind::async_arrive;
      form.noinc = match.value("noinc") != 0;
      at(operand(0));
      break;
  }
  kernel_.mbarriers.push_back(form);
  emit({.op = Op::mbarrier, .imm = static_cast<u32>(kernel_.mbarriers.size() - 1)});
}

}  // namespace ew::ptx
