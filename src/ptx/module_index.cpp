#include "ptx/module_index.hpp"

#include <utility>

namespace ew::ptx {

const ast::Operand* call_target(const ast::Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (instruction.opcode != "call" || operands.empty()) return nullptr;
  const bool has_returns = operands[0].kind == ast::Operand::Kind::list && operands.size() > 1;
  return &operands[has_returns ? 1 : 0];
}

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
      const ast::Operand* target = call_target(instruction);
      for (const auto& operand : instruction.operands)
        if (&operand != target) visit_symbols(operand, take);
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

}  // namespace ew::ptx
