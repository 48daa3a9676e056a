// A parsed PTX module. Made by parser.hpp, merged by link() (program.hpp), read by the decoder and the flow analysis.
// Names are resolved: operands name registers by index, scopes are flattened (a name that two scopes declare is made
// unique), and every branch label is an index into the function's instructions.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace ew::ptx {

enum class Type : u8 {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f64,
  texref,
  samplerref,
  surfref
};
u32 size_of(Type);               // bytes; pred: 1
std::string_view name_of(Type);  // "f16x2"
std::optional<Type> type_named(std::string_view);

enum class Space : u8 { generic, global, shared, local, constant, param, reg };

enum class Special : u8 {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  globaltimer_lo,
  globaltimer_hi,
  dynamic_smem_size,
  total_smem_size,
  aggr_smem_size,
  envreg0,  // envreg0 .. envreg31 follow in order
  envreg31 = envreg0 + 31,
  count
};

namespace ast {

/// A place in the PTX text (1-based), and in the CUDA source by the last .loc (file 0: none).
struct Place {
  u32 ptx_line = 0, ptx_column = 0;
  u32 file = 0, line = 0;  // file: key of Module::files
};

struct Operand {
  enum class Kind : u8 {
    reg,        // registers[reg], `negated` for !%p, -1 lane selectors (.b0 …) in `part`
    immediate,  // `bits`; is_float: written 0f…/0d…/1.5 (bits holds the double, NaN payloads kept; the decoder narrows)
    special,  // %tid.x …
    symbol,   // variable or function name, plus `offset`
    label,    // branch target: instruction index in `bits`
    address,  // [reg+offset], [symbol+offset], [immediate]: base in elements[0], `offset` here; [tex, samp, {c0, c1}]:
              // the rest in elements[1..] as written (coordinates are one vector operand)
    vector,   // {a, b, …}
    pair,     // p|q
    list,     // (a, b) of a call
    sink      // _
  };
  Kind kind = Kind::sink;
  bool negated = false;  // !p, or a unary minus already folded for immediates
  bool is_float = false;
  Special special = Special::count;
  u32 reg = 0;
  u64 bits = 0;
  i64 offset = 0;
  std::string symbol;
  std::string part;  // "b0", "h1" … for the video instructions, else empty
  std::vector<Operand> elements;
};

struct Instruction {
  std::string opcode;                  // "ld"
  std::vector<std::string> modifiers;  // {"global", "v4", "f32"}, as written, without dots ("L2::128B" stays whole)
  std::optional<u32> guard;            // register index of @p
  bool guard_negated = false;
  std::vector<Operand> operands;
  Place place;
  std::string text;       // as written, for diagnostics
  bool noreturn = false;  // a direct call of a .noreturn function (set by the linker): control does not come back

  /// Written with this modifier, whole and without its dot.
  bool has(std::string_view modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
  }
};

struct Register {
  std::string name;
  Type type = Type::none;
};

struct Relocation {  // the address of `symbol` + addend goes to bytes [offset, offset + size) of the variable
  u64 offset = 0;
  u32 size = 8;
  std::string symbol;
  i64 addend = 0;
  bool generic = false;  // written generic(symbol)
  u32 shift = 0;         // mask() initialisers: which byte of the address
};

enum class Linkage : u8 { internal, external_declaration, visible, weak, common };

struct Variable {
  std::string name;
  Space space = Space::global;
  Type type = Type::b8;
  u32 alignment = 1;
  u64 size = 0;  // bytes in all; 0 with `unsized` for .extern .shared x[];
  bool unsized = false;
  bool managed = false;  // .attribute(.managed)
  Linkage linkage = Linkage::internal;
  std::vector<u8> data;  // initial bytes, shorter than size: the rest is zero
  std::vector<Relocation> relocations;
  Place place;
};

struct Prototype {  // .callprototype
  std::vector<Variable> returns, parameters;
  bool noreturn = false;
};

/// A stretch of instructions between .pragma "everwarp.NAME" and .pragma "everwarp.end": the simulator runs the named
/// operation instead.
struct Region {
  std::string name;
  u32 begin = 0, end = 0;  // instruction indices, end exclusive
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool has_body = false;
  bool noreturn = false;
  Linkage linkage = Linkage::internal;
  std::vector<Variable> returns, parameters;
  std::vector<Register> registers;
  std::vector<Variable>
      variables;  // .local, .shared, .param declared inside (.const and .global become module variables)
  std::vector<Instruction> body;
  std::map<std::string, u32> labels;                               // name -> instruction index (may be body.size())
  std::map<std::string, std::vector<std::string>> branch_targets;  // .branchtargets
  std::map<std::string, std::vector<std::string>> call_targets;    // .calltargets
  std::map<std::string, Prototype> prototypes;
  std::vector<Region> regions;
  std::optional<u32>
      carry;  // the condition code of add.cc and friends, as a register of type pred named "%cc", if any uses it
  Dim3 max_threads{0, 0, 0}, required_threads{0, 0, 0};  // .maxntid .reqntid; 0: not given
  u32 min_blocks = 0, max_registers = 0;                 // .minnctapersm .maxnreg
  Place place;
};

struct Alias {
  std::string name, target;
  Place place;
};

struct Module {
  std::string name;             // for diagnostics
  std::string version, target;  // "8.3", "sm_80"
  u32 address_size = 64;
  std::map<u32, std::string> files;
  std::vector<Variable> variables;
  std::vector<Function> functions;  // before linking a function may stand here twice: declared, then defined
  std::vector<Alias> aliases;       // none after linking
};

}  // namespace ast
}  // namespace ew::ptx
