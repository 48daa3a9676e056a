// Turns one function's instructions into Instrs of a kernel and rows of its side tables: decode.cpp says which step
// decodes which form, decode_*.cpp have the steps by subject. Made by kernel_build.cpp, for one function.
#pragma once

#include "ptx/control_forms.hpp"
#include "ptx/instruction_operands.hpp"

namespace ew::ptx {

class FunctionDecoder {
 public:
  FunctionDecoder(KernelBuild&, u32 module_function, u32 kernel_function);
  void decode();

 private:
  // decode.cpp
  void decode_instruction(const ast::Instruction&);
  void decode_control(const Match&);
  void decode_regions();
  void emit(Instr);
  u32 file_of(const ast::Place&);
  [[noreturn]] void refuse_form() const;
  void refuse_parts(const Match&) const;
  // ALU forms, decode_alu.cpp
  bool fits(const Match&) const;
  void decode_alu(const Match&);
  bool decode_move();
  // decode_video.cpp: the place of the form in the list of operands
  u32 video_form(const Match&);
  // decode_memory.cpp
  void decode_load(const Match&);
  void decode_store(const Match&);
  void decode_atomic(const Match&, bool has_result);
  void decode_prefetch(const Match&);
  void decode_async(const Match&);
  void decode_fence(const Match&);
  void decode_address(const Match&);
  void decode_mbarrier(const Match&);
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

  KernelBuild& build_;
  Kernel& kernel_;
  const ast::Function& source_;
  const Flow& flow_;
  Function& function_;
  FrameLayout frame_;
  InstructionOperands operands_;
};

}  // namespace ew::ptx
