// What every kernel of a module shares while the module is decoded: names to indices, the functions whose address is
// taken, matched forms by spelling, each function's flow. Made by load() for one module, which it refers to; forms and
// flows are found when they are first asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/ast.hpp"
#include "ptx/flow.hpp"
#include "ptx/opcodes.hpp"
#include "ptx/program.hpp"

namespace ew::ptx {

/// Every name in the operand, also of its elements.
template <class Visit>
void visit_symbols(const ast::Operand& operand, Visit&& visit) {
  if (operand.kind == ast::Operand::Kind::symbol) visit(operand.symbol);
  for (const auto& element : operand.elements) visit_symbols(element, visit);
}

/// The operand of a call that names what is called: after the list of returns, if there is one. Null: no call.
const ast::Operand* call_target(const ast::Instruction&);

struct ModuleIndex {
  const ast::Module& module;
  const AddressOf& address_of;
  std::unordered_map<std::string_view, u32> functions;
  std::unordered_map<std::string_view, const ast::Variable*> variables;
  std::vector<u32> address_taken;  // function indices, ascending
  std::unordered_map<std::string, std::vector<Match>> matches;
  std::vector<std::optional<Flow>> flows;  // by function

  ModuleIndex(const ast::Module&, const AddressOf&);
  const std::vector<Match>& matches_of(const ast::Instruction&);
  const Flow& flow_of(u32 function);
};

}  // namespace ew::ptx
