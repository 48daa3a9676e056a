// The decoder's own state. decode.cpp makes a kernel of an entry and the functions it can reach; a FunctionDecoder
// turns one function's instructions into Instrs of that kernel and rows of its side tables (decode_*.cpp, by subject).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/ast.hpp"
#include "ptx/control_forms.hpp"
#include "ptx/flow.hpp"
#include "ptx/kernel.hpp"
#include "ptx/opcodes.hpp"
#include "ptx/program.hpp"

namespace ew::ptx {

/// What every kernel of a module shares: names to indices, functions whose address is taken, matched forms by spelling.
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

/// The kernel in the making: its functions, where its shared variables lie, and its constant pool.
struct KernelBuild {
  ModuleIndex& index;
  Kernel& kernel;
  std::unordered_map<u32, u32> function_of{};  // module index -> kernel index
  std::unordered_map<std::string, u32> shared_offset{};
  std::unordered_map<u32, Row> words{};
  std::unordered_map<u64, Row> doubles{};
  std::unordered_map<u32, u32> files{};
  bool calls_indirectly = false;

  Row constant(u64 bits, u32 bytes);
};

/// Where a name points.
struct Symbol {
  enum class Kind : u8 { absolute, shared, frame, parameter, function };
  Kind kind = Kind::absolute;
  u64 value = 0;  // address, byte offset, or (function) index in the module
  Space space = Space::global;
  u64 size = 0;
};

class FunctionDecoder {
 public:
  FunctionDecoder(KernelBuild&, u32 module_function, u32 kernel_function);
  void decode();

 private:
  // decode.cpp
  void lay_out_frame();
  void decode_instruction(const ast::Instruction&);
  void emit(Instr);
  void decode_control(const Match&, const ast::Instruction&);
  [[noreturn]] void refuse_form() const;
  [[noreturn]] void fail(const std::string& message) const;
  // operands, decode_operands.cpp
  const ast::Operand& operand(u32 index) const;
  void expect_operands(u32 least, u32 most) const;
  Row row(const ast::Operand&, Type, bool wider = false);
  Row destination(const ast::Operand&, Type, bool wider = false);
  Row register_row(const ast::Operand&, Type, bool wider);
  Predicate predicate(const ast::Operand&);
  Predicate destination_predicate(const ast::Operand&);
  u64 immediate(const ast::Operand&, Type);
  u32 immediate_u32(const ast::Operand&, const char* what);
  Symbol symbol(const std::string& name);
  /// The address register (or no_row) and what is added to it.
  struct Address {
    Row row = no_row;
    u8 bytes = 8;
    i64 offset = 0;
    std::optional<Symbol> symbol;
  };
  Address address(const ast::Operand&);
  // ALU forms, decode_alu.cpp
  bool fits(const Match&) const;
  void decode_alu(const Match&);
  bool decode_move(const Match&);
  // decode_memory.cpp
  void decode_load(const Match&);
  void decode_store(const Match&);
  void decode_atomic(const Match&, bool has_result);
  void decode_prefetch(const Match&);
  void decode_async(const Match&);
  void decode_fence(const Match&);
  void decode_address(const Match&);
  void decode_mbarrier(const Match&);
  void check_order(const Match&, MemoryForm&);
  void set_window(const Match&, MemoryForm&, const Address&);
  void memory_data(MemoryForm&, const ast::Operand&, bool is_load);
  void emit_memory(MemoryForm, Row address);
  // decode_flow.cpp
  void decode_branch(const Match&);
  void decode_call();
  void decode_barrier(const Match&);
  void decode_warp(const Match&);
  void decode_shuffle(const Match&);
  // decode_texture.cpp
  void decode_texture(const Match&);
  void decode_surface(const Match&);
  void texture_handle(TextureForm&, const ast::Operand&);

  KernelBuild& build_;
  Kernel& kernel_;
  const ast::Function& source_;
  const Flow& flow_;
  u32 function_;
  std::unordered_map<std::string, Symbol> names_;
  std::unordered_map<std::string, const ast::Variable*> frame_variables_;
  const ast::Instruction* instruction_ = nullptr;
};

}  // namespace ew::ptx
