#include "ptx/register_need.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "ptx/accesses.hpp"
#include "ptx/liveness.hpp"

namespace ew::ptx {

namespace {

using Kind = ast::Operand::Kind;

constexpr i64 most_address_offset = 1 << 23;  // machine code has 24 bits for it, with a sign

/// The same for all threads of a block, whenever it is read.
bool same_in_block(Special special) {
  return (special >= Special::ntid_x && special <= Special::nctaid_z) || special == Special::smid ||
         special == Special::nsmid || special == Special::nwarpid || special == Special::gridid ||
         special == Special::dynamic_smem_size || special == Special::total_smem_size ||
         special == Special::aggr_smem_size;
}

/// Integer arithmetic that a warp can do once for all its lanes.
bool is_integer_arithmetic(const ast::Instruction& instruction) {
  static constexpr std::string_view opcodes[] = {"add", "sub", "mul", "mad", "shl", "shr",
                                                 "and", "or",  "xor", "not", "neg", "cvt"};
  if (std::find(std::begin(opcodes), std::end(opcodes), instruction.opcode) == std::end(opcodes)) return false;
  return std::none_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                      [](std::string_view modifier) { return modifier[0] == 'f' || modifier.starts_with("bf"); });
}

/// Of which register does each have the value?
class Values {
 public:
  explicit Values(const ast::Function& function) : function_(function), of_(function.registers.size()) {
    std::iota(of_.begin(), of_.end(), 0u);
    count_writes();
    find_addresses();
    // Compilers write most values in front of their uses. A second look finds those of blocks that stand behind.
    for (int look = 0; look < 2; ++look)
      for (u32 i = 0; i < function.body.size(); ++i) look_at(i);
    for (u32& value : of_) value = root(value);
  }
  std::vector<u32> of() && { return std::move(of_); }

 private:
  static constexpr u32 nowhere = 0xffffffff;

  /// Where a register is written, if there is one such place, and it writes all lanes that come there.
  void count_writes() {
    written_at_.assign(of_.size(), nowhere);
    std::vector<bool> written(of_.size());
    Accesses accesses;
    for (u32 i = 0; i < function_.body.size(); ++i) {
      find_accesses(function_, function_.body[i], accesses);
      for (const Access& access : accesses.list) {
        if (!access.writes) continue;
        written_at_[access.reg] = written[access.reg] || accesses.guarded ? nowhere : i;
        written[access.reg] = true;
      }
    }
  }

  /// A constant on top of another register.
  static bool is_offset(const ast::Instruction& instruction) {
    const auto& operands = instruction.operands;
    if (instruction.opcode != "add" || operands.size() != 3) return false;
    if (operands[1].kind != Kind::reg || operands[2].kind != Kind::immediate) return false;
    const auto offset = static_cast<i64>(operands[2].bits);
    return -most_address_offset < offset && offset < most_address_offset;
  }

  /// Registers that are read as the base of an address, or with a constant on top, and nowhere else.
  void find_addresses() {
    is_address_.assign(of_.size(), true);
    for (u32 i = 0; i < function_.body.size(); ++i)
      if (!is_offset(function_.body[i]))
        for (const ast::Operand& operand : function_.body[i].operands) mark_other_uses(operand, i);
  }
  void mark_other_uses(const ast::Operand& operand, u32 at) {
    if (operand.kind == Kind::reg && written_at_[operand.reg] != at) is_address_[operand.reg] = false;
    if (operand.kind == Kind::address) return;
    for (const ast::Operand& element : operand.elements) mark_other_uses(element, at);
  }

  bool is_free(const ast::Operand& operand) const {
    return operand.kind == Kind::immediate || operand.kind == Kind::symbol ||
           (operand.kind == Kind::special && same_in_block(operand.special)) ||
           (operand.kind == Kind::reg && root(operand.reg) == no_register);
  }

  /// Of the kernel, at the same place for all lanes. What a call answers is read from .param, too.
  bool reads_own_parameter(const ast::Operand& address) const {
    if (!function_.is_entry || address.kind != Kind::address || address.elements.empty()) return false;
    const ast::Operand& base = address.elements[0];
    if (base.kind == Kind::reg) return root(base.reg) == no_register;
    return base.kind == Kind::symbol &&
           std::ranges::find(function_.parameters, base.symbol, &ast::Variable::name) != function_.parameters.end();
  }

  /// Finds out what the register that this instruction writes has the value of.
  void look_at(u32 at) {
    const ast::Instruction& instruction = function_.body[at];
    const auto& operands = instruction.operands;
    if (operands.size() < 2) return;
    if (instruction.opcode == "ld" && instruction.has("param") && reads_own_parameter(operands[1])) {
      if (operands[0].kind == Kind::reg) put_free(operands[0], at);
      for (const ast::Operand& element : operands[0].elements) put_free(element, at);
    }
    if (operands[0].kind != Kind::reg) return;
    const u32 reg = operands[0].reg;
    if (written_at_[reg] != at || of_[reg] != reg) return;
    const bool copies = instruction.opcode == "mov" || instruction.opcode == "cvta";
    const auto free = [this](const ast::Operand& source) { return is_free(source); };
    if ((copies || is_integer_arithmetic(instruction)) && std::all_of(operands.begin() + 1, operands.end(), free))
      return put_free(operands[0], at);
    const ast::Operand& source = operands[1];
    if (source.kind != Kind::reg || !source.part.empty() || written_at_[source.reg] == nowhere) return;
    if (copies && operands.size() == 2) return put(reg, source.reg);
    if (is_offset(instruction) && is_address_[reg]) put(reg, source.reg);
  }
  void put_free(const ast::Operand& written, u32 at) {
    if (written.kind == Kind::reg && written_at_[written.reg] == at) of_[written.reg] = no_register;
  }
  void put(u32 reg, u32 value) {
    value = root(value);
    if (value != reg) of_[reg] = value;  // else they go round in a circle
  }
  u32 root(u32 reg) const {
    while (reg != no_register && of_[reg] != reg) reg = of_[reg];
    return reg;
  }

  const ast::Function& function_;
  std::vector<u32> of_, written_at_;
  std::vector<bool> is_address_;
};

}  // namespace

RegisterNeed register_need(const ast::Function& function, const Graph& graph) {
  const auto values = Values(function).of();
  const LiveRanges ranges(function, graph, values);
  std::vector<i64> live(2 * function.body.size() + 3, 0);
  for (u32 reg = 0; reg < function.registers.size(); ++reg) {
    const Type type = function.registers[reg].type;
    if (type == Type::pred) continue;
    for (const auto& interval : ranges.of(reg)) {
      live[interval.begin] += rows_of(type);
      live[interval.end] -= rows_of(type);
    }
  }
  std::partial_sum(live.begin(), live.end(), live.begin());
  RegisterNeed need;
  need.most = static_cast<u32>(*std::max_element(live.begin(), live.end()));
  for (u32 i = 0; i < function.body.size(); ++i)
    if (function.body[i].opcode == "call" && graph.reachable[graph.node_of[i]])
      need.calls.push_back({i, static_cast<u32>(std::min(live[2 * i], live[2 * i + 1]))});
  return need;
}

u32 registers_given(u32 needed) {
  return std::max(needed + 2, std::min(needed + 6, 32u));
}

}  // namespace ew::ptx
