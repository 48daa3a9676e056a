// Branches, calls, barriers and the warp-synchronous operations.
#include <fmt/format.h>

#include "ptx/decode.hpp"

namespace ew::ptx {

using Kind = ast::Operand::Kind;

void FunctionDecoder::decode_branch(const Match& match) {
  const Pc begin = kernel_.functions[function_].begin;
  if (match.form->control == ControlForm::branch) {
    expect_operands(1, 1);
    if (operand(0).kind != Kind::label) fail("a label is expected");
    return emit({.op = Op::bra, .imm = begin + static_cast<Pc>(operand(0).bits)});
  }
  expect_operands(2, 2);
  const auto list = source_.branch_targets.find(operand(1).symbol);
  if (operand(1).kind != Kind::symbol || list == source_.branch_targets.end())
    fail("the name of a .branchtargets list is expected");
  std::vector<Pc> targets;
  for (const auto& label : list->second) {
    const auto found = source_.labels.find(label);
    if (found == source_.labels.end()) fail(fmt::format("label {} of {} is not defined", label, operand(1).symbol));
    targets.push_back(begin + found->second);
  }
  kernel_.branch_tables.push_back(std::move(targets));
  emit({.op = Op::brx, .a = row(operand(0), Type::u32), .imm = static_cast<u32>(kernel_.branch_tables.size() - 1)});
}

namespace {

SystemCall system_call_named(std::string_view name) {
  if (name == "vprintf") return SystemCall::vprintf;
  if (name == "malloc") return SystemCall::malloc;
  if (name == "free") return SystemCall::free;
  if (name == "__assertfail") return SystemCall::assertfail;
  return SystemCall::none;
}

}  // namespace

void FunctionDecoder::decode_call() {
  CallForm form;
  const auto& written = instruction_->operands;
  u32 next = 0;
  const auto variables = [&](const ast::Operand& list, std::vector<u32>& offsets, std::vector<u32>& sizes) {
    for (const auto& element : list.elements) {
      const auto found = element.kind == Kind::symbol ? frame_variables_.find(element.symbol) : frame_variables_.end();
      if (found == frame_variables_.end() || element.offset != 0)
        fail("arguments and results of a call must be .param variables of the caller");
      offsets.push_back(static_cast<u32>(names_.at(element.symbol).value));
      sizes.push_back(static_cast<u32>(found->second->size));
    }
  };
  if (written.size() > 1 && written[0].kind == Kind::list)
    variables(written[next++], form.result_offsets, form.result_sizes);
  const auto& target = operand(next++);
  if (next < written.size() && written[next].kind == Kind::list)
    variables(written[next++], form.argument_offsets, form.argument_sizes);
  const auto check = [&](const char* what, const std::vector<u32>& given, const std::vector<ast::Variable>& formals) {
    if (given.size() != formals.size())
      fail(fmt::format("{} {}s given, {} takes {}", given.size(), what, target.symbol, formals.size()));
    for (u32 i = 0; i < given.size(); ++i)
      if (given[i] < formals[i].size)
        fail(fmt::format("{} {} has {} bytes, {} expected", what, i + 1, given[i], formals[i].size));
  };
  if (target.kind == Kind::symbol) {
    const auto found = build_.index.functions.find(target.symbol);
    if (found == build_.index.functions.end()) fail(fmt::format("function {} is not declared", target.symbol));
    const auto& callee = build_.index.module.functions[found->second];
    check("argument", form.argument_sizes, callee.parameters);
    check("result", form.result_sizes, callee.returns);
    if (callee.has_body) {
      form.function = build_.function_of.at(found->second);
    } else {
      form.system = system_call_named(target.symbol);
      if (form.system == SystemCall::none) fail(fmt::format("function {} is not defined in any module", target.symbol));
    }
  } else if (target.kind == Kind::reg) {
    form.target = register_row(target, Type::u64, false);
  } else {
    fail("a function or a register with its address is expected");
  }
  kernel_.calls.push_back(std::move(form));
  emit({.op = Op::call, .imm = static_cast<u32>(kernel_.calls.size() - 1)});
}

void FunctionDecoder::decode_barrier(const Match& match) {
  if (match.form->control == ControlForm::warp_barrier) {
    expect_operands(1, 1);
    return emit({.op = Op::warp_sync, .a = row(operand(0), Type::b32)});
  }
  BarrierForm form;
  const bool is_bar = match.form->opcode == "bar";
  form.aligned = is_bar || match.has("aligned");
  const bool reduces = match.form->control == ControlForm::barrier_reduce;
  u32 next = 0;
  if (reduces && match.has("barrier_test")) {
    form.kind = static_cast<BarrierKind>(match.value("barrier_test"));
    form.dst_predicate = destination_predicate(operand(next++));
  } else if (reduces) {
    form.kind = BarrierKind::red_popc;
    form.dst = destination(operand(next++), Type::u32);
  } else {
    form.kind = static_cast<BarrierKind>(match.value("barrier_kind"));
  }
  const u32 sources = static_cast<u32>(instruction_->operands.size()) - next;
  const u32 least = form.kind == BarrierKind::arrive || reduces ? 2 : 1;
  expect_operands(next + least, next + (reduces ? 3 : 2));
  if (operand(next).kind == Kind::immediate && operand(next).bits > 15)
    fail(fmt::format("a block's barriers are numbered 0 to 15, not {}", operand(next).bits));
  form.id = row(operand(next++), Type::u32);
  if (reduces ? sources == 3 : sources == 2) form.threads = row(operand(next++), Type::u32);
  if (reduces) form.source = predicate(operand(next));
  kernel_.barriers.push_back(form);
  emit({.op = Op::barrier, .imm = static_cast<u32>(kernel_.barriers.size() - 1)});
}

void FunctionDecoder::decode_warp(const Match& match) {
  switch (match.form->control) {
    case ControlForm::active_mask:
      expect_operands(1, 1);
      return emit({.op = Op::activemask, .dst = destination(operand(0), Type::b32)});
    case ControlForm::elect: {
      expect_operands(2, 2);
      const auto& to = operand(0);
      const bool pair = to.kind == Kind::pair;
      if (!pair) fail("elect.sync writes d|p");
      return emit({.op = Op::elect,
                   .dst = destination(to.elements[0], Type::b32),
                   .a = row(operand(1), Type::b32),
                   .b = destination_predicate(to.elements[1])});
    }
    case ControlForm::vote: {
      VoteForm form;
      form.sync = match.has("sync");
      form.kind = match.has("vote_kind") ? static_cast<VoteKind>(match.value("vote_kind")) : VoteKind::ballot;
      expect_operands(form.sync ? 3 : 2, form.sync ? 3 : 2);
      if (form.kind == VoteKind::ballot)
        form.dst = destination(operand(0), Type::b32);
      else
        form.dst_predicate = destination_predicate(operand(0));
      form.source = predicate(operand(1));
      if (form.sync) form.mask = row(operand(2), Type::b32);
      kernel_.votes.push_back(form);
      return emit({.op = Op::vote, .imm = static_cast<u32>(kernel_.votes.size() - 1)});
    }
    case ControlForm::match: {
      MatchForm form;
      form.all = match.value("match_kind") != 0;
      form.wide = match.type() == Type::b64;
      expect_operands(3, 3);
      const bool pair = operand(0).kind == Kind::pair;
      if (pair && !form.all) fail("match.any has no predicate result");
      form.dst = destination(pair ? operand(0).elements[0] : operand(0), Type::b32);
      if (pair) form.dst_predicate = destination_predicate(operand(0).elements[1]);
      form.a = row(operand(1), match.type());
      form.mask = row(operand(2), Type::b32);
      kernel_.matches.push_back(form);
      return emit({.op = Op::match, .imm = static_cast<u32>(kernel_.matches.size() - 1)});
    }
    default:
      break;
  }
  ReduxForm form;
  form.kind = static_cast<ReduxKind>(match.has("redux_order") ? match.value("redux_order") : match.value("redux_bits"));
  form.is_signed = match.type() == Type::s32;
  expect_operands(3, 3);
  form.dst = destination(operand(0), Type::b32);
  form.a = row(operand(1), Type::b32);
  form.mask = row(operand(2), Type::b32);
  kernel_.reduxes.push_back(form);
  emit({.op = Op::redux, .imm = static_cast<u32>(kernel_.reduxes.size() - 1)});
}

void FunctionDecoder::decode_shuffle(const Match& match) {
  ShuffleForm form;
  form.sync = match.has("sync");
  form.kind = static_cast<ShuffleKind>(match.value("shuffle_kind"));
  const u32 count = form.sync ? 5 : 4;
  expect_operands(count, count);
  const auto& to = operand(0);
  const bool pair = to.kind == Kind::pair;
  form.dst = destination(pair ? to.elements[0] : to, Type::b32);
  if (pair) form.in_range = destination_predicate(to.elements[1]);
  form.a = row(operand(1), Type::b32);
  form.b = row(operand(2), Type::b32);
  form.c = row(operand(3), Type::b32);
  if (form.sync) form.mask = row(operand(4), Type::b32);
  kernel_.shuffles.push_back(form);
  emit({.op = Op::shfl, .imm = static_cast<u32>(kernel_.shuffles.size() - 1)});
}

}  // namespace ew::ptx
