#include "ptx/decode.hpp"

#include <fmt/format.h>

#include "core/symbol_name.hpp"

namespace ew::ptx {

FunctionDecoder::FunctionDecoder(KernelBuild& build, u32 module_function, u32 kernel_function)
    : build_(build),
      kernel_(build.kernel),
      source_(build.index.module.functions[module_function]),
      flow_(build.index.flow_of(module_function)),
      function_(build.kernel.functions[kernel_function]),
      frame_(build, source_, function_),
      operands_(build, source_, flow_, frame_) {}

void FunctionDecoder::decode() {
  function_.begin = static_cast<Pc>(kernel_.code.size());
  function_.rows = flow_.rows;
  function_.predicates = flow_.predicates;
  if (flow_.rows >= constant_row)
    throw Error(fmt::format("function {} needs more than 32,767 registers", core::readable_name(source_.name)));
  for (u32 i = 0; i < source_.body.size(); ++i) {
    decode_instruction(source_.body[i]);
    const bool branches = kernel_.code.back().op == Op::bra || kernel_.code.back().op == Op::brx;
    const Pc reconverge = branches ? flow_.reconverge[i] : no_pc;
    kernel_.reconverge.push_back(reconverge == no_pc ? no_pc : function_.begin + reconverge);
  }
  // Control that falls off the end returns.
  static const ast::Instruction end_of_function{.opcode = "ret", .text = "ret; // end of the function"};
  ast::Instruction end = end_of_function;
  if (!source_.body.empty()) end.place = source_.body.back().place;
  decode_instruction(end);
  kernel_.reconverge.push_back(no_pc);
  function_.end = static_cast<Pc>(kernel_.code.size());
  decode_regions();
}

/// The parser has left a place for each in front of its instructions.
void FunctionDecoder::decode_regions() {
  for (const auto& region : source_.regions) {
    if (region.begin >= region.end) continue;
    auto& instr = kernel_.code[function_.begin + region.begin];
    instr = Instr{.op = Op::region, .imm = static_cast<u32>(kernel_.regions.size())};
    kernel_.reconverge[function_.begin + region.begin] = no_pc;
    kernel_.regions.push_back({region.name, function_.begin + region.end});
  }
}

/// The number of the place's source file in the kernel; 0: unknown.
u32 FunctionDecoder::file_of(const ast::Place& place) {
  const auto& names = build_.index.module.files;
  const auto name = names.find(place.file);
  if (!place.file || name == names.end()) return 0;
  const auto [known, inserted] = build_.files.try_emplace(place.file, static_cast<u32>(kernel_.files.size()));
  if (inserted) kernel_.files.push_back(name->second);
  return known->second;
}

void FunctionDecoder::emit(Instr instr) {
  const auto& instruction = operands_.instruction();
  if (instruction.guard) {
    const u16 number = flow_.predicate_of[*instruction.guard];
    instr.guard = static_cast<Predicate>(number | (instruction.guard_negated ? negated : 0));
  }
  const u32 file = file_of(instruction.place);
  kernel_.code.push_back(instr);
  kernel_.lines.push_back({file, instruction.place.line, instruction.place.ptx_line});
  kernel_.texts.push_back(instruction.text);
}

void FunctionDecoder::decode_instruction(const ast::Instruction& instruction) {
  operands_.begin(instruction);
  if (const auto at = static_cast<std::size_t>(&instruction - source_.body.data());
      at < source_.body.size() && !flow_.reachable[at])
    return emit({});  // its registers may have no rows
  const auto& matches = build_.index.matches_of(instruction);
  for (const auto& matched : matches) {
    if (matched.form->is_alu && !fits(matched)) continue;
    refuse_parts(matched);
    if (!matched.form->is_alu) return decode_control(matched);
    return decode_alu(matched);
  }
  if (!matches.empty()) operands_.fail("no form of this instruction takes these operands");
  refuse_form();
}

void FunctionDecoder::decode_control(const Match& matched) {
  using C = ControlForm;
  switch (matched.form->control) {
    case C::branch:
    case C::branch_indexed:
      return decode_branch(matched);
    case C::call:
      return decode_call();
    case C::ret:
      return emit({.op = source_.is_entry ? Op::exit : Op::ret});
    case C::exit:
      return emit({.op = Op::exit});
    case C::trap:
      return emit({.op = Op::trap});
    case C::breakpoint:
      return emit({.op = Op::brkpt});
    case C::nothing:
      return emit({.op = Op::nop});
    case C::nanosleep:
      operands_.expect(1);
      return emit({.op = Op::nanosleep, .a = operands_.row(operands_[0], Type::u32)});
    case C::load:
      return decode_load(matched);
    case C::store:
      return decode_store(matched);
    case C::atomic:
      return decode_atomic(matched, true);
    case C::reduction:
      return decode_atomic(matched, false);
    case C::prefetch:
    case C::cache_policy:
      return decode_prefetch(matched);
    case C::async_copy:
    case C::async_commit:
    case C::async_wait:
    case C::async_wait_all:
      return decode_async(matched);
    case C::fence:
    case C::membar:
      return decode_fence(matched);
    case C::query_space:
    case C::convert_address:
      return decode_address(matched);
    case C::barrier:
    case C::barrier_reduce:
    case C::warp_barrier:
      return decode_barrier(matched);
    case C::vote:
    case C::match:
    case C::reduce:
    case C::elect:
    case C::active_mask:
      return decode_warp(matched);
    case C::shuffle:
      return decode_shuffle(matched);
    case C::async_arrive:
    case C::mbarrier_init:
    case C::mbarrier_inval:
    case C::mbarrier_arrive:
    case C::mbarrier_expect:
    case C::mbarrier_wait:
    case C::mbarrier_pending:
      return decode_mbarrier(matched);
    case C::texture:
    case C::gather:
    case C::texture_query:
      return decode_texture(matched);
    case C::surface_load:
    case C::surface_store:
      return decode_surface(matched);
  }
}

/// Bytes and halves of registers belong to the video instructions.
void FunctionDecoder::refuse_parts(const Match& matched) const {
  const auto& taken = matched.form->operands;
  if (!taken.empty() && taken[0].kind == OperandForm::Kind::part) return;
  for (const auto& operand : operands_.instruction().operands)
    if (!operand.part.empty())
      operands_.fail(fmt::format("only a video instruction (vadd …) takes a part of a register: .{}", operand.part));
}

void FunctionDecoder::refuse_form() const {
  const auto& instruction = operands_.instruction();
  if (const auto family = refused_family(instruction.opcode, instruction.modifiers); !family.empty())
    operands_.fail(fmt::format("not supported yet: {}", family));
  operands_.fail(fmt::format("this instruction is not supported; the nearest supported form is {}",
                             FormTable::instance().nearest(instruction.opcode, instruction.modifiers)));
}

}  // namespace ew::ptx
