#include "ptx/kernel_build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <vector>

#include "core/symbol_name.hpp"
#include "ptx/decode.hpp"

namespace ew::ptx {

u64 align_up(u64 value, u64 alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

u32 bytes_within(u64 most, u64 bytes, std::string_view function, std::string_view what) {
  if (bytes <= most) return static_cast<u32>(bytes);
  throw Error(fmt::format("{}: its {} take {} bytes; at most {} are supported", core::readable_name(function), what,
                          bytes, most));
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
  /// The same, in groups that call each other in a circle, or of one function; those that are called come first.
  /// (Tarjan, "Depth-first search and linear graph algorithms", 1972. Calls by pointer are not followed twice.)
  std::vector<std::vector<u32>> groups;

 private:
  struct State {
    bool seen = false, open = false, grouped = false;
    u32 number = 0;  // in order of discovery
    u32 lowest = 0;  // number that can be reached from here, of those without a group
  };

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
        continue;
      }
      const u32 function = step.function;
      state_[function].open = false;
      steps_.pop_back();
      if (!steps_.empty()) lower(steps_.back().function, state_[function].lowest);
      if (state_[function].lowest == state_[function].number) close_group(function);
    }
  }

  void enter(u32 function) {
    State& state = state_[function];
    if (state.open) build_.kernel.recursive = true;
    if (state.seen) {
      if (!state.grouped) lower(steps_.back().function, state.number);
      return;
    }
    const auto number = static_cast<u32>(order.size());
    state = {.seen = true, .open = true, .number = number, .lowest = number};
    build_.function_of.emplace(function, number);
    order.push_back(function);
    ungrouped_.push_back(function);
    steps_.push_back({function, callees_of(function)});
  }

  void lower(u32 function, u32 number) { state_[function].lowest = std::min(state_[function].lowest, number); }

  /// All that stand behind it are of its group.
  void close_group(u32 function) {
    const auto first = std::ranges::find(ungrouped_, function);
    for (auto member = first; member != ungrouped_.end(); ++member) state_[*member].grouped = true;
    groups.emplace_back(first, ungrouped_.end());
    ungrouped_.erase(first, ungrouped_.end());
  }

  std::vector<u32> callees_of(u32 function) {
    std::vector<u32> callees;
    for (const auto& instruction : build_.index.module.functions[function].body) {
      const ast::Operand* target = call_target(instruction);
      if (!target) continue;
      if (target->kind == ast::Operand::Kind::symbol) {
        const auto found = build_.index.functions.find(target->symbol);
        if (target->symbol == "__everwarp_assist")  // the SM calls what it is given
          add_address_taken(callees);
        else if (found != build_.index.functions.end() && build_.index.module.functions[found->second].has_body)
          callees.push_back(found->second);
      } else if (!build_.calls_indirectly) {
        build_.calls_indirectly = build_.kernel.recursive = true;
        add_address_taken(callees);
      }
    }
    return callees;
  }

  void add_address_taken(std::vector<u32>& callees) const {
    for (const u32 taken : build_.index.address_taken)
      if (!build_.index.module.functions[taken].is_entry) callees.push_back(taken);
  }

  KernelBuild& build_;
  std::unordered_map<u32, State> state_;
  std::vector<Step> steps_;
  std::vector<u32> ungrouped_;
};

// Far above what any GPU has, and fits 32 bits.
constexpr u64 most_shared_bytes = u64{1} << 30;

bool is_below_sm_70(std::string_view target) {
  u32 architecture = 70;
  if (target.starts_with("sm_")) std::from_chars(target.data() + 3, target.data() + target.size(), architecture);
  return architecture < 70;
}

/// PTX ISA, "Kernel Function Parameters": at most 32,764 bytes, below sm_70 at most 4,096.
void lay_out_entry_parameters(Kernel& kernel, const ast::Function& entry, const std::string& target) {
  const bool old = is_below_sm_70(target);
  const u64 most = old ? 4096 : 32'764;
  const std::string what = old ? "parameters, built for " + target + "," : "parameters";
  for (const auto& parameter : entry.parameters) {
    const u32 alignment = std::max(parameter.alignment, 1u);
    const u64 offset = align_up(u64{kernel.parameter_bytes}, alignment);
    kernel.parameter_bytes = bytes_within(most, offset + parameter.size, entry.name, what);
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

/// Counts the registers of functions with what they call.
class CallRegisters {
 public:
  CallRegisters(KernelBuild& build, const std::vector<std::vector<u32>>& groups) : build_(build) {
    count(groups);
    // Now it is known what a call by pointer may need; what such calls need in turn is left out.
    for (const u32 taken : build.index.address_taken) by_pointer_ = std::max(by_pointer_, needed_by(taken));
    if (by_pointer_) count(groups);
  }

 private:
  static constexpr u32 return_address = 2;

  /// A call keeps the caller's registers, and adds those of the called function. In a circle, these are saved on the
  /// stack instead, so the largest counts.
  void count(const std::vector<std::vector<u32>>& groups) {
    for (const auto& group : groups) {
      for (const u32 member : group) build_.kernel.functions[build_.function_of.at(member)].registers = 0;
      u32 most = 0;
      for (const u32 member : group) most = std::max(most, need_of(member));
      for (const u32 member : group) build_.kernel.functions[build_.function_of.at(member)].registers = most;
    }
  }

  u32 need_of(u32 caller) const {
    const RegisterNeed& need = build_.index.flow_of(caller).need;
    u32 most = need.most;
    for (const auto& call : need.calls) {
      const auto& instruction = build_.index.module.functions[caller].body[call.instruction];
      most = std::max(most, call.kept + return_address + callee(*call_target(instruction)));
    }
    return most;
  }

  u32 callee(const ast::Operand& target) const {
    if (target.kind != ast::Operand::Kind::symbol) return by_pointer_;
    const auto found = build_.index.functions.find(target.symbol);
    return found == build_.index.functions.end() || is_system_call(target.symbol) ? 0 : needed_by(found->second);
  }

  u32 needed_by(u32 module_function) const {
    const auto found = build_.function_of.find(module_function);
    return found == build_.function_of.end() ? 0 : build_.kernel.functions[found->second].registers;
  }

  KernelBuild& build_;
  u32 by_pointer_ = 0;
};

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
  const Reach reach(build, entry);
  const auto& order = reach.order;
  lay_out_entry_parameters(*kernel, source, index.module.target);
  lay_out_shared(build, order);
  kernel->functions.resize(order.size());
  for (u32 i = 0; i < order.size(); ++i) {
    kernel->functions[i].name = index.module.functions[order[i]].name;
    kernel->functions[i].address = code_base + 16 * u64{order[i]};
  }
  for (u32 i = 0; i < order.size(); ++i) FunctionDecoder(build, order[i], i).decode();
  CallRegisters(build, reach.groups);
  kernel->registers_per_thread = registers_given(kernel->functions[0].registers);
  kernel->local_bytes = kernel->functions[0].frame_bytes;
  return kernel;
}

}  // namespace

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
