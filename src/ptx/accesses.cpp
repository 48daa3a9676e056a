#include "ptx/accesses.hpp"

#include <algorithm>
#include <string_view>

namespace ew::ptx {

namespace {

using Kind = ast::Operand::Kind;

/// What an instruction does with its first operand if that is a register (an address is always read).
enum class First : u8 { written, read, both };

struct Role {
  std::string_view opcode;
  std::string_view modifier;  // the row holds only with this one; empty: always
  First first;
};

// Everything that is not here writes its first operand and reads the others. The first row that fits counts.
constexpr Role roles[] = {
    {"bar", "red", First::written},
    {"bar", "", First::read},
    {"barrier", "red", First::written},
    {"barrier", "", First::read},
    {"bra", "", First::read},
    {"brx", "", First::read},
    {"brkpt", "", First::read},
    {"cp", "", First::read},
    {"discard", "", First::read},
    {"applypriority", "", First::read},
    {"exit", "", First::read},
    {"fence", "", First::read},
    {"griddepcontrol", "", First::read},
    {"membar", "", First::read},
    {"multimem", "ld_reduce", First::written},
    {"multimem", "", First::read},
    {"nanosleep", "", First::read},
    {"pmevent", "", First::read},
    {"prefetch", "", First::read},
    {"prefetchu", "", First::read},
    {"red", "", First::read},
    {"ret", "", First::read},
    {"setmaxnreg", "", First::read},
    {"st", "", First::read},
    {"stackrestore", "", First::read},
    {"sured", "", First::read},
    {"sust", "", First::read},
    {"trap", "", First::read},
    {"wgmma", "mma_async", First::both},
    {"wgmma", "", First::read},
};

// Look at other lanes' registers, or write their destination when the memory answers: sources must outlive the first
// write.
constexpr std::string_view kept_apart[] = {"activemask", "atom",  "call",     "elect", "ld",    "ldmatrix",
                                           "ldu",        "match", "mbarrier", "mma",   "redux", "shfl",
                                           "suld",       "tex",   "tld4",     "txq",   "vote",  "wmma"};
static_assert(std::is_sorted(std::begin(kept_apart), std::end(kept_apart)));

First first_operand(const ast::Instruction& instruction) {
  for (const auto& role : roles) {
    if (role.opcode != instruction.opcode) continue;
    if (role.modifier.empty() || instruction.has(role.modifier)) return role.first;
  }
  return First::written;
}

void visit(const ast::Operand& operand, First role, Accesses& accesses) {
  if (operand.kind == Kind::reg) {
    if (role != First::written) accesses.list.push_back({operand.reg, true, false});
    if (role != First::read) accesses.list.push_back({operand.reg, false, true});
    return;
  }
  const First inner = operand.kind == Kind::address ? First::read : role;
  for (const auto& element : operand.elements) visit(element, inner, accesses);
}

void visit_carry(u32 carry, const ast::Instruction& instruction, Accesses& accesses) {
  const std::string_view opcode = instruction.opcode;
  if (opcode == "addc" || opcode == "subc" || opcode == "madc") accesses.list.push_back({carry, true, false});
  if (instruction.has("cc")) accesses.list.push_back({carry, false, true});
}

/// Two registers in one row's lanes can only be worked on in place if their elements are equally wide.
bool mixes_widths(const ast::Function& function, const Accesses& accesses) {
  u32 written = 0, writes = 0;
  for (const auto& access : accesses.list) {
    const Type type = function.registers[access.reg].type;
    if (!access.writes || type == Type::pred) continue;
    written = rows_of(type);
    ++writes;
  }
  if (writes == 0) return false;
  return std::any_of(accesses.list.begin(), accesses.list.end(), [&](const Access& access) {
    const Type type = function.registers[access.reg].type;
    return type != Type::pred && rows_of(type) != written;
  });
}

}  // namespace

u32 rows_of(Type type) {
  const u32 bytes = size_of(type);
  return bytes <= 4 ? 1 : bytes / 4;
}

void find_accesses(const ast::Function& function, const ast::Instruction& instruction, Accesses& accesses) {
  accesses.list.clear();
  accesses.guarded = instruction.guard.has_value();
  if (instruction.guard) accesses.list.push_back({*instruction.guard, true, false});
  const auto& operands = instruction.operands;
  const bool is_call = std::string_view(instruction.opcode) == "call";
  // call (results), target, (arguments): a list in front holds results only if a target follows.
  const bool has_results =
      is_call && operands.size() > 1 && operands[0].kind == Kind::list && operands[1].kind != Kind::list;
  const First first = is_call ? (has_results ? First::written : First::read) : first_operand(instruction);
  for (std::size_t i = 0; i < operands.size(); ++i) visit(operands[i], i == 0 ? first : First::read, accesses);
  if (function.carry) visit_carry(*function.carry, instruction, accesses);
  const auto writes =
      std::count_if(accesses.list.begin(), accesses.list.end(), [](const Access& a) { return a.writes; });
  accesses.apart = writes > 0 && (writes > 1 || mixes_widths(function, accesses) ||
                                  std::binary_search(std::begin(kept_apart), std::end(kept_apart), instruction.opcode));
}

}  // namespace ew::ptx
