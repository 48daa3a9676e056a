// Branches, calls, barriers and the warp-synchronous operations.
#include <fmt/format.h>

#include "ptx/decode.hpp"

namespace ew::ptx {

using Kind = ast::Operand::Kind;

void FunctionDecoder::decode_branch(const Match& match) {
  const Pc begin = function_.begin;
  if (match.form->control == ControlForm::branch) {
    operands_.expect(1);
    if (operands_[0].kind != Kind::label) operands_.fail("a label is expected");
    return emit({.op = Op::bra, .imm = begin + static_cast<Pc>(operands_[0].bits)});
  }
  operands_.expect(2);
  const auto list = source_.branch_targets.find(operands_[1].symbol);
  if (operands_[1].kind != Kind::symbol || list == source_.branch_targets.end())
    operands_.fail("the name of a .branchtargets list is expected");
  std::vector<Pc> targets;
  for (const auto& label : list->second) {
    const auto found = source_.labels.find(label);
    if (found == source_.labels.end())
      operands_.fail(fmt::format("label {} of {} is not defined", label, operands_[1].symbol));
    targets.push_back(begin + found->second);
  }
  kernel_.branch_tables.push_back(std::move(targets));
  emit({.op = Op::brx,
        .a = operands_.row(operands_[0], Type::u32),
        .imm = static_cast<u32>(kernel_.branch_tables.size() - 1)});
}

namespace {

SystemCall system_call_named(std::string_view name) {
  if (name == "vprintf") return SystemCall::vprintf;
  if (name == "malloc") return SystemCall::malloc;
  if (name == "free") return SystemCall::free;
  if (name == "__assertfail") return SystemCall::assertfail;
  if (name == "__everwarp_assist") return SystemCall::assist;
  return SystemCall::none;
}

}  // namespace

void FunctionDecoder::decode_call() {
  CallForm form;
  const auto& written = operands_.instruction().operands;
  u32 next = 0;
  const auto variables = [&](const ast::Operand& list, std::vector<u32>& offsets, std::vector<u32>& sizes) {
    for (const auto& element : list.elements) {
      const auto* variable = element.kind == Kind::symbol ? frame_.find_in_frame(element.symbol) : nullptr;
      if (!variable || element.offset != 0)
        operands_.fail("arguments and results of a call must be .param variables of the caller");
      offsets.push_back(static_cast<u32>(frame_.find(element.symbol)->value));
      sizes.push_back(static_cast<u32>(variable->size));
    }
  };
  if (written.size() > 1 && written[0].kind == Kind::list)
    variables(written[next++], form.result_offsets, form.result_sizes);
  const auto& target = operands_[next++];
  if (next < written.size() && written[next].kind == Kind::list)
    variables(written[next++], form.argument_offsets, form.argument_sizes);
  const auto check = [&](const char* what, const std::vector<u32>& given, const std::vector<ast::Variable>& formals) {
    if (given.size() != formals.size())
      operands_.fail(fmt::format("{} {}s given, {} takes {}", given.size(), what, target.symbol, formals.size()));
    for (u32 i = 0; i < given.size(); ++i)
      if (given[i] < formals[i].size)
        operands_.fail(fmt::format("{} {} has {} bytes, {} expected", what, i + 1, given[i], formals[i].size));
  };
  if (target.kind == Kind::symbol) {
    const auto found = build_.index.functions.find(target.symbol);
    if (found == build_.index.functions.end())
      operands_.fail(fmt::format("function {} is not declared", target.symbol));
    const auto& callee = build_.index.module.functions[found->second];
    check("argument", form.argument_sizes, callee.parameters);
    check("result", form.result_sizes, callee.returns);
    // Its body says what a GPU without assist warps answers.
    const bool answered = system_call_named(target.symbol) == SystemCall::assist;
    if (callee.has_body && !answered) {
      form.function = build_.function_of.at(found->second);
    } else {
      form.system = system_call_named(target.symbol);
      if (form.system == SystemCall::none)
        operands_.fail(fmt::format("function {} is not defined in any module", target.symbol));
    }
  } else if (target.kind == Kind::reg) {
    form.target = operands_.register_row(target, Type::u64, false);
  } else {
    operands_.fail("a function or a register with its address is expected");
  }
  kernel_.calls.push_back(std::move(form));
  emit({.op = Op::call, .imm = static_cast<u32>(kernel_.calls.size() - 1)});
}

void FunctionDecoder::decode_barrier(const Match& match) {
  if (match.form->control == ControlForm::warp_barrier) {
    operands_.expect(1);
    return emit({.op = Op::warp_sync, .a = operands_.row(operands_[0], Type::b32)});
  }
  BarrierForm form;
  const bool is_bar = match.form->opcode == "bar";
  form.aligned = is_bar || match.has("aligned");
  const bool reduces = match.form->control == ControlForm::barrier_reduce;
  u32 next = 0;
  if (reduces && match.has("barrier_test")) {
    form.kind = static_cast<BarrierKind>(match.value("barrier_test"));
    form.dst_predicate = operands_.destination_predicate(operands_[next++]);
  } else if (reduces) {
    form.kind = BarrierKind::red_popc;
    form.dst = operands_.destination(operands_[next++], Type::u32);
  } else {
    form.kind = static_cast<BarrierKind>(match.value("barrier_kind"));
  }
  const u32 sources = operands_.count() - next;
  const u32 least = form.kind == BarrierKind::arrive || reduces ? 2 : 1;
  operands_.expect(next + least, next + (reduces ? 3 : 2));
  if (operands_[next].kind == Kind::immediate && operands_[next].bits > 15)
    operands_.fail(fmt::format("a block's barriers are numbered 0 to 15, not {}", operands_[next].bits));
  form.id = operands_.row(operands_[next++], Type::u32);
  if (reduces ? sources == 3 : sources == 2) form.threads = operands_.row(operands_[next++], Type::u32);
  if (reduces) form.source = operands_.predicate(operands_[next]);
  kernel_.barriers.push_back(form);
  emit({.op = Op::barrier, .imm = static_cast<u32>(kernel_.barriers.size() - 1)});
}

void FunctionDecoder::decode_warp(const Match& match) {
  switch (match.form->control) {
    case ControlForm::active_mask:
      operands_.expect(1);
      return emit({.op = Op::activemask, .dst = operands_.destination(operands_[0], Type::b32)});
    case ControlForm::elect: {
      operands_.expect(2);
      const auto& to = operands_[0];
      const bool pair = to.kind == Kind::pair;
      if (!pair) operands_.fail("elect.sync writes d|p");
      return emit({.op = Op::elect,
                   .dst = operands_.destination(to.elements[0], Type::b32),
                   .a = operands_.row(operands_[1], Type::b32),
                   .b = operands_.destination_predicate(to.elements[1])});
    }
    case ControlForm::vote: {
      VoteForm form;
      form.sync = match.has("sync");
      form.kind = match.has("vote_kind") ? static_cast<VoteKind>(match.value("vote_kind")) : VoteKind::ballot;
      operands_.expect(form.sync ? 3 : 2, form.sync ? 3 : 2);
      if (form.kind == VoteKind::ballot)
        form.dst = operands_.destination(operands_[0], Type::b32);
      else
        form.dst_predicate = operands_.destination_predicate(operands_[0]);
      form.source = operands_.predicate(operands_[1]);
      if (form.sync) form.mask = operands_.row(operands_[2], Type::b32);
      kernel_.votes.push_back(form);
      return emit({.op = Op::vote, .imm = static_cast<u32>(kernel_.votes.size() - 1)});
    }
    case ControlForm::match: {
      MatchForm form;
      form.all = match.value("match_kind") != 0;
      form.wide = match.type() == Type::b64;
      operands_.expect(3);
      const bool pair = operands_[0].kind == Kind::pair;
      if (pair && !form.all) operands_.fail("match.any has no predicate result");
      form.dst = operands_.destination(pair ? operands_[0].elements[0] : operands_[0], Type::b32);
      if (pair) form.dst_predicate = operands_.destination_predicate(operands_[0].elements[1]);
      form.a = operands_.row(operands_[1], match.type());
      form.mask = operands_.row(operands_[2], Type::b32);
      kernel_.matches.push_back(form);
      return emit({.op = Op::match, .imm = static_cast<u32>(kernel_.matches.size() - 1)});
    }
    default:
      break;
  }
  ReduxForm form;
  form.kind = static_cast<ReduxKind>(match.has("redux_order") ? match.value("redux_order") : match.value("redux_bits"));
  form.is_signed = match.type() == Type::s32;
  operands_.expect(3);
  form.dst = operands_.destination(operands_[0], Type::b32);
  form.a = operands_.row(operands_[1], Type::b32);
  form.mask = operands_.row(operands_[2], Type::b32);
  kernel_.reduxes.push_back(form);
  emit({.op = Op::redux, .imm = static_cast<u32>(kernel_.reduxes.size() - 1)});
}

void FunctionDecoder::decode_shuffle(const Match& match) {
  ShuffleForm form;
  form.sync = match.has("sync");
  form.kind = static_cast<ShuffleKind>(match.value("shuffle_kind"));
  const u32 count = form.sync ? 5 : 4;
  operands_.expect(count, count);
  const auto& to = operands_[0];
  const bool pair = to.kind == Kind::pair;
  form.dst = operands_.destination(pair ? to.elements[0] : to, Type::b32);
  if (pair) form.in_range = operands_.destination_predicate(to.elements[1]);
  form.a = operands_.row(operands_[1], Type::b32);
  form.b = operands_.row(operands_[2], Type::b32);
  form.c = operands_.row(operands_[3], Type::b32);
  if (form.sync) form.mask = operands_.row(operands_[4], Type::b32);
  kernel_.shuffles.push_back(form);
  emit({.op = Op::shfl, .imm = static_cast<u32>(kernel_.shuffles.size() - 1)});
}

}  // namespace ew::ptx
