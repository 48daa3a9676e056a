#include "ptx/decode.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/symbol_name.hpp"

namespace ew::ptx {
namespace {

u64 align_up(u64 value, u64 alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

template <class Visit>
void visit_symbols(const ast::Operand& operand, Visit&& visit) {
  if (operand.kind == ast::Operand::Kind::symbol) visit(operand.symbol);
  for (const auto& element : operand.elements) visit_symbols(element, visit);
}

bool is_call(const ast::Instruction& instruction) {
  return instruction.opcode == "call";
}

/// The operand of a call that names what is called: after the list of returns, if there is one.
const ast::Operand& call_target(const ast::Instruction& instruction) {
  const bool has_returns = instruction.operands[0].kind == ast::Operand::Kind::list && instruction.operands.size() > 1;
  return instruction.operands[has_returns ? 1 : 0];
}

}  // namespace

ModuleIndex::ModuleIndex(const ast::Module& m, const AddressOf& addresses) : module(m), address_of(addresses) {
  for (u32 i = 0; i < module.functions.size(); ++i) functions.emplace(module.functions[i].name, i);
  for (const auto& variable : module.variables) variables.emplace(variable.name, &variable);
  flows.resize(module.functions.size());
  std::vector<bool> taken(module.functions.size());
  const auto take = [&](std::string_view name) {
    if (const auto found = functions.find(name); found != functions.end()) taken[found->second] = true;
  };
  for (const auto& variable : module.variables)
    for (const auto& relocation : variable.relocations) take(relocation.symbol);
  for (const auto& function : module.functions)
    for (const auto& instruction : function.body) {
      const bool call = is_call(instruction) && !instruction.operands.empty();
      for (const auto& operand : instruction.operands)
        if (!call || &operand != &call_target(instruction)) visit_symbols(operand, take);
    }
  for (u32 i = 0; i < taken.size(); ++i)
    if (taken[i] && module.functions[i].has_body) address_taken.push_back(i);
}

const std::vector<Match>& ModuleIndex::matches_of(const ast::Instruction& instruction) {
  std::string key = instruction.opcode;
  for (const auto& modifier : instruction.modifiers) key.append(".").append(modifier);
  const auto [place, inserted] = matches.try_emplace(std::move(key));
  if (inserted && instruction.modifiers.size() < 32)
    for (const auto* form : FormTable::instance().of(instruction.opcode))
      if (auto matched = match(*form, instruction.modifiers)) place->second.push_back(*matched);
  return place->second;
}

const Flow& ModuleIndex::flow_of(u32 function) {
  auto& flow = flows[function];
  if (!flow) flow = analyse(module.functions[function]);
  return *flow;
}

Row KernelBuild::constant(u64 bits, u32 bytes) {
  const bool is_wide = bytes == 8;
  if (bytes < 4) bits &= (u64{1} << bytes * 8) - 1;
  if (bytes == 4) bits &= 0xffffffff;
  if (is_wide) {
    if (const auto found = doubles.find(bits); found != doubles.end()) return found->second;
  } else if (const auto found = words.find(static_cast<u32>(bits)); found != words.end()) {
    return found->second;
  }
  if (is_wide && (kernel.constants.size() / warp_lanes) % 2)
    kernel.constants.insert(kernel.constants.end(), warp_lanes, 0);
  const auto first = kernel.constants.size() / warp_lanes;
  if (first + 2 >= constant_row)
    throw Error(fmt::format("kernel {} has more than 32,000 different constants", kernel.name));
  const auto row = static_cast<Row>(constant_row | first);
  if (is_wide) {
    for (u32 i = 0; i < warp_lanes; ++i) {
      kernel.constants.push_back(static_cast<u32>(bits));
      kernel.constants.push_back(static_cast<u32>(bits >> 32));
    }
    doubles.emplace(bits, row);
  } else {
    kernel.constants.insert(kernel.constants.end(), warp_lanes, static_cast<u32>(bits));
    words.emplace(static_cast<u32>(bits), row);
  }
  return row;
}

namespace {

/// Collects the functions that an entry can reach, in order of discovery, and whether calls can nest without bound.
class Reach {
 public:
  Reach(KernelBuild& build, u32 entry) : build_(build) { visit(entry); }
  std::vector<u32> order;

 private:
  enum class State : u8 { unseen, open, done };

  struct Step {
    u32 function;
    std::vector<u32> callees;  // in order of their calls
    std::size_t next = 0;
  };

  // A stack of its own: how deep calls nest is the module's choice.
  void visit(u32 entry) {
    enter(entry);
    while (!steps_.empty()) {
      Step& step = steps_.back();
      if (step.next < step.callees.size()) {
        enter(step.callees[step.next++]);
      } else {
        state_[step.function] = State::done;
        steps_.pop_back();
      }
    }
  }

  void enter(u32 function) {
    auto& state = state_[function];
    if (state == State::open) build_.kernel.recursive = true;
    if (state != State::unseen) return;
    state = State::open;
    build_.function_of.emplace(function, static_cast<u32>(order.size()));
    order.push_back(function);
    steps_.push_back({function, callees_of(function)});
  }

  std::vector<u32> callees_of(u32 function) {
    std::vector<u32> callees;
    for (const auto& instruction : build_.index.module.functions[function].body) {
      if (!is_call(instruction) || instruction.operands.empty()) continue;
      const auto& target = call_target(instruction);
      if (target.kind == ast::Operand::Kind::symbol) {
        const auto found = build_.index.functions.find(target.symbol);
        if (found != build_.index.functions.end() && build_.index.module.functions[found->second].has_body)
          callees.push_back(found->second);
      } else if (!build_.calls_indirectly) {
        build_.calls_indirectly = build_.kernel.recursive = true;
        for (const u32 taken : build_.index.address_taken)
          if (!build_.index.module.functions[taken].is_entry) callees.push_back(taken);
      }
    }
    return callees;
  }

  KernelBuild& build_;
  std::unordered_map<u32, State> state_;
  std::vector<Step> steps_;
};

// PTX ISA, "Kernel Function Parameters": at most 32,764 bytes. CUDA C++ Programming Guide, "Technical Specifications":
// at most 512 KiB of local memory a thread. Shared memory is far above what any GPU has, and fits 32 bits.
constexpr u64 most_parameter_bytes = 32'764, most_shared_bytes = u64{1} << 30, most_frame_bytes = u64{512} << 10;

u32 bytes_within(u64 most, u64 bytes, std::string_view function, std::string_view what) {
  if (bytes <= most) return static_cast<u32>(bytes);
  throw Error(fmt::format("{}: its {} take {} bytes; at most {} are supported", core::readable_name(function), what,
                          bytes, most));
}

void lay_out_entry_parameters(Kernel& kernel, const ast::Function& entry) {
  for (const auto& parameter : entry.parameters) {
    const u32 alignment = std::max(parameter.alignment, 1u);
    const u64 offset = align_up(u64{kernel.parameter_bytes}, alignment);
    kernel.parameter_bytes = bytes_within(most_parameter_bytes, offset + parameter.size, entry.name, "parameters");
    kernel.parameters.push_back({static_cast<u32>(offset), static_cast<u32>(parameter.size), alignment});
  }
}

/// Places the .shared variables of the kernel's functions and the module's that they name.
void lay_out_shared(KernelBuild& build, const std::vector<u32>& order) {
  auto& kernel = build.kernel;
  std::vector<const ast::Variable*> dynamic;
  const auto place = [&](const std::string& key, const ast::Variable& variable) {
    if (build.shared_offset.contains(key)) return;
    if (variable.unsized || variable.size == 0) {
      dynamic.push_back(&variable);
      kernel.dynamic_shared_alignment = std::max(kernel.dynamic_shared_alignment, variable.alignment);
      build.shared_offset.emplace(key, 0);
      return;
    }
    const u64 offset = align_up(u64{kernel.static_shared}, std::max(variable.alignment, 1u));
    build.shared_offset.emplace(key, static_cast<u32>(offset));
    kernel.static_shared =
        bytes_within(most_shared_bytes, offset + variable.size, kernel.name, "variables in shared memory");
  };
  for (const u32 f : order) {
    const auto& function = build.index.module.functions[f];
    for (const auto& variable : function.variables)
      if (variable.space == Space::shared) place(function.name + '\n' + variable.name, variable);
    const auto use = [&](const std::string& name) {
      const auto found = build.index.variables.find(name);
      if (found != build.index.variables.end() && found->second->space == Space::shared) place(name, *found->second);
    };
    for (const auto& instruction : function.body)
      for (const auto& operand : instruction.operands) visit_symbols(operand, use);
  }
  const auto end = static_cast<u32>(align_up(kernel.static_shared, kernel.dynamic_shared_alignment));
  for (auto& [key, offset] : build.shared_offset)
    for (const auto* variable : dynamic)
      if (key == variable->name || key.ends_with('\n' + variable->name)) offset = end;
}

u32 constant_bytes_of(const ast::Module& module) {
  u64 bytes = 0;
  for (const auto& variable : module.variables)
    if (variable.space == Space::constant) bytes = align_up(bytes, std::max(variable.alignment, 1u)) + variable.size;
  return static_cast<u32>(bytes);
}

std::unique_ptr<Kernel> build_kernel(ModuleIndex& index, u32 entry) {
  auto kernel = std::make_unique<Kernel>();
  const auto& source = index.module.functions[entry];
  kernel->name = source.name;
  kernel->files.emplace_back();
  kernel->max_threads = source.max_threads;
  kernel->required_threads = source.required_threads;
  kernel->min_blocks = source.min_blocks;
  kernel->max_registers = source.max_registers;
  kernel->constant_bytes = constant_bytes_of(index.module);
  KernelBuild build{index, *kernel};
  const auto order = Reach(build, entry).order;
  lay_out_entry_parameters(*kernel, source);
  lay_out_shared(build, order);
  kernel->functions.resize(order.size());
  for (u32 i = 0; i < order.size(); ++i) {
    kernel->functions[i].name = index.module.functions[order[i]].name;
    kernel->functions[i].address = code_base + 16 * u64{order[i]};
  }
  for (u32 i = 0; i < order.size(); ++i) FunctionDecoder(build, order[i], i).decode();
  for (const auto& function : kernel->functions)
    kernel->registers_per_thread = std::max(kernel->registers_per_thread, function.live_registers);
  kernel->registers_per_thread = std::max(kernel->registers_per_thread, 1u);
  kernel->local_bytes = kernel->functions[0].frame_bytes;
  return kernel;
}

}  // namespace

FunctionDecoder::FunctionDecoder(KernelBuild& build, u32 module_function, u32 kernel_function)
    : build_(build),
      kernel_(build.kernel),
      source_(build.index.module.functions[module_function]),
      flow_(build.index.flow_of(module_function)),
      function_(kernel_function) {}

namespace {

/// First and last instruction that names a variable, when every use is a whole ld/st/call operand.
struct Extent {
  u32 first = ~0u, last = 0;
  bool escapes = false;
};

}  // namespace

/// Formals and returns first, then .local variables, then the .param variables of calls; two of the last kind share
/// bytes when the stretches of code that name them do not meet.
void FunctionDecoder::lay_out_frame() {
  auto& function = kernel_.functions[function_];
  u64 bytes = 0;
  const auto place = [&](const ast::Variable& variable, u64 at) {
    const u64 offset = align_up(at, std::max(variable.alignment, 1u));
    names_[variable.name] = {Symbol::Kind::frame, offset, variable.space, variable.size};
    frame_variables_[variable.name] = &variable;
    return offset;
  };
  const auto formals = [&](const std::vector<ast::Variable>& list, std::vector<u32>& offsets, std::vector<u32>& sizes) {
    for (const auto& variable : list) {
      if (variable.space == Space::reg)
        throw Error(fmt::format("function {} (PTX line {}): formals in registers are not supported; use .param",
                                source_.name, variable.place.ptx_line));
      const u64 offset = place(variable, bytes);
      offsets.push_back(static_cast<u32>(offset));
      sizes.push_back(static_cast<u32>(variable.size));
      bytes = offset + variable.size;
    }
  };
  if (source_.is_entry) {
    for (u32 i = 0; i < source_.parameters.size(); ++i)
      names_[source_.parameters[i].name] = {Symbol::Kind::parameter, kernel_.parameters[i].offset, Space::param,
                                            source_.parameters[i].size};
  } else {
    formals(source_.returns, function.return_offsets, function.return_sizes);
    formals(source_.parameters, function.parameter_offsets, function.parameter_sizes);
  }
  std::unordered_map<std::string_view, Extent> extents;
  for (const auto& variable : source_.variables) {
    if (variable.space == Space::shared)
      names_[variable.name] = {Symbol::Kind::shared, build_.shared_offset.at(source_.name + '\n' + variable.name),
                               Space::shared, variable.size};
    if (variable.space == Space::local) bytes = place(variable, bytes) + variable.size;
    if (variable.space == Space::param) extents[variable.name];
  }
  for (u32 i = 0; i < source_.body.size(); ++i) {
    const auto& instruction = source_.body[i];
    for (const auto& operand : instruction.operands)
      visit_symbols(operand, [&](const std::string& name) {
        const auto found = extents.find(name);
        if (found == extents.end()) return;
        found->second.first = std::min(found->second.first, i);
        found->second.last = i;
        found->second.escapes |= instruction.opcode == "mov" || instruction.opcode == "cvta";
      });
  }
  u64 start = bytes, cursor = bytes, busy_until = 0;
  for (const auto& variable : source_.variables) {
    if (variable.space != Space::param) continue;
    const auto& extent = extents[variable.name];
    if (extent.escapes || extent.first == ~0u) continue;
    if (extent.first > busy_until) cursor = start;
    busy_until = std::max<u64>(busy_until, extent.last);
    cursor = place(variable, cursor) + variable.size;
    bytes = std::max(bytes, cursor);
  }
  for (const auto& variable : source_.variables)
    if (variable.space == Space::param && !names_.contains(variable.name))
      bytes = place(variable, bytes) + variable.size;
  function.frame_bytes = bytes_within(most_frame_bytes, align_up(bytes, 16), source_.name, "local variables");
}

void FunctionDecoder::decode() {
  lay_out_frame();
  auto& function = kernel_.functions[function_];
  function.begin = static_cast<Pc>(kernel_.code.size());
  function.rows = flow_.rows;
  function.predicates = flow_.predicates;
  function.live_registers = flow_.live_registers;
  if (flow_.rows >= constant_row)
    throw Error(fmt::format("function {} needs more than 32,767 registers", core::readable_name(source_.name)));
  for (u32 i = 0; i < source_.body.size(); ++i) {
    decode_instruction(source_.body[i]);
    const bool branches = kernel_.code.back().op == Op::bra || kernel_.code.back().op == Op::brx;
    const Pc reconverge = branches ? flow_.reconverge[i] : no_pc;
    kernel_.reconverge.push_back(reconverge == no_pc ? no_pc : function.begin + reconverge);
  }
  // Control that falls off the end returns.
  static const ast::Instruction end_of_function{.opcode = "ret", .text = "ret; // end of the function"};
  ast::Instruction end = end_of_function;
  if (!source_.body.empty()) end.place = source_.body.back().place;
  decode_instruction(end);
  kernel_.reconverge.push_back(no_pc);
  function.end = static_cast<Pc>(kernel_.code.size());
  for (const auto& region : source_.regions) {
    if (region.begin >= region.end) continue;
    auto& instr = kernel_.code[function.begin + region.begin];
    instr = Instr{.op = Op::region, .imm = static_cast<u32>(kernel_.regions.size())};
    kernel_.reconverge[function.begin + region.begin] = no_pc;
    kernel_.regions.push_back({region.name, function.begin + region.end});
  }
}

void FunctionDecoder::emit(Instr instr) {
  if (instruction_->guard) {
    const u16 number = flow_.predicate_of[*instruction_->guard];
    instr.guard = static_cast<Predicate>(number | (instruction_->guard_negated ? negated : 0));
  }
  const auto& place = instruction_->place;
  u32 file = 0;
  if (const auto name = build_.index.module.files.find(place.file);
      place.file && name != build_.index.module.files.end()) {
    const auto [known, inserted] = build_.files.try_emplace(place.file, static_cast<u32>(kernel_.files.size()));
    if (inserted) kernel_.files.push_back(name->second);
    file = known->second;
  }
  kernel_.code.push_back(instr);
  kernel_.lines.push_back({file, place.line, place.ptx_line});
  kernel_.texts.push_back(instruction_->text);
}

void FunctionDecoder::decode_instruction(const ast::Instruction& instruction) {
  instruction_ = &instruction;
  if (const auto at = static_cast<std::size_t>(&instruction - source_.body.data());
      at < source_.body.size() && !flow_.reachable[at])
    return emit({});  // its registers may have no rows
  const auto& matches = build_.index.matches_of(instruction);
  for (const auto& matched : matches) {
    if (matched.form->is_alu && !fits(matched)) continue;
    if (!matched.form->is_alu) return decode_control(matched, instruction);
    return decode_alu(matched);
  }
  if (!matches.empty()) fail("no form of this instruction takes these operands");
  refuse_form();
}

void FunctionDecoder::decode_control(const Match& matched, const ast::Instruction&) {
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
      expect_operands(1, 1);
      return emit({.op = Op::nanosleep, .a = row(operand(0), Type::u32)});
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

void FunctionDecoder::refuse_form() const {
  const auto& instruction = *instruction_;
  if (const auto family = refused_family(instruction.opcode, instruction.modifiers); !family.empty())
    fail(fmt::format("not supported yet: {}", family));
  fail(fmt::format("this instruction is not supported; the nearest supported form is {}",
                   FormTable::instance().nearest(instruction.opcode, instruction.modifiers)));
}

void FunctionDecoder::fail(const std::string& message) const {
  const auto& place = instruction_->place;
  const auto& module = build_.index.module;
  std::string where;
  if (const auto file = module.files.find(place.file); place.file && file != module.files.end())
    where = fmt::format("{}:{}: ", file->second, place.line);
  throw Error(fmt::format("{}{}\n  {}\n  in {} {}, PTX line {}{}", where, message, instruction_->text,
                          source_.is_entry ? "kernel" : "function", core::readable_name(source_.name), place.ptx_line,
                          module.name.empty() ? "" : " of " + module.name));
}

const Kernel* Program::find(std::string_view name) const {
  for (const auto& kernel : kernels)
    if (kernel->name == name) return kernel.get();
  return nullptr;
}

Program load(const ast::Module& module, const AddressOf& address_of) {
  ModuleIndex index(module, address_of);
  Program program;
  for (u32 i = 0; i < module.functions.size(); ++i)
    if (module.functions[i].is_entry && module.functions[i].has_body) program.kernels.push_back(build_kernel(index, i));
  return program;
}

}  // namespace ew::ptx
