#include "host/fiber.hpp"

#include <cstdlib>

#ifdef EW_SANITIZE
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

// Keeps what a call must keep (System V ABI, x86-64) on the stack that is left, whose pointer goes to *from; takes the
// same from the stack at `to`, and returns there. The first return of a new stack is to ew_enter_fiber, which finds the
// fiber and its entry in two of these registers.
extern "C" void ew_switch_stacks(void** from, void* to);
asm(R"(
.pushsection .text
.p2align 4
.globl ew_switch_stacks
.hidden ew_switch_stacks
.type ew_switch_stacks, @function
ew_switch_stacks:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size ew_switch_stacks, . - ew_switch_stacks
.globl ew_enter_fiber
.hidden ew_enter_fiber
.type ew_enter_fiber, @function
ew_enter_fiber:
  movq %r12, %rdi
  callq *%r13
  hlt
.size ew_enter_fiber, . - ew_enter_fiber
.popsection
)");
extern "C" void ew_enter_fiber();

namespace ew::host {

namespace {

// A sanitizer must know on which stack the code runs.
#ifdef EW_SANITIZE
struct OtherStack {
  const void* bottom = nullptr;
  std::size_t size = 0;
};
OtherStack& stack_outside() {
  thread_local OtherStack stack;
  return stack;
}
void leave(void** kept, const void* bottom, std::size_t size) {
  __sanitizer_start_switch_fiber(kept, bottom, size);
}
void arrive(void* kept, OtherStack* from) {
  __sanitizer_finish_switch_fiber(kept, from ? &from->bottom : nullptr, from ? &from->size : nullptr);
}
#endif

}  // namespace

void Fiber::begin(std::span<u8> stack, Body body, void* argument) {
  body_ = body;
  argument_ = argument;
  stack_ = stack;
  over_ = false;
  constexpr u64 control = u64{0x037f} << 32 | 0x1f80;  // of the floating-point units, as a process begins
  // From below: control words, r15, r14, r13, r12, rbx, rbp, the return address; then a frame that ends the stack.
  u64* const top = reinterpret_cast<u64*>(reinterpret_cast<u64>(stack.data() + stack.size()) & ~u64{15}) - 10;
  const u64 kept[10] = {control,
                        0,
                        0,
                        reinterpret_cast<u64>(&enter),
                        reinterpret_cast<u64>(this),
                        0,
                        0,
                        reinterpret_cast<u64>(&ew_enter_fiber),
                        0,
                        0};
  for (u32 i = 0; i < 10; ++i) top[i] = kept[i];
  inside_ = top;
}

void Fiber::enter(Fiber* fiber) {
#ifdef EW_SANITIZE
  arrive(nullptr, &stack_outside());
#endif
  fiber->body_(fiber->argument_);
  fiber->over_ = true;
#ifdef EW_SANITIZE
  leave(nullptr, stack_outside().bottom, stack_outside().size);  // this stack is not used again
#endif
  ew_switch_stacks(&fiber->inside_, fiber->outside_);
  std::abort();  // nobody resumes a body that is over
}

void Fiber::resume() {
#ifdef EW_SANITIZE
  void* kept = nullptr;
  leave(&kept, stack_.data(), stack_.size());
#endif
  ew_switch_stacks(&outside_, inside_);
#ifdef EW_SANITIZE
  arrive(kept, nullptr);
#endif
}

void Fiber::pause() {
#ifdef EW_SANITIZE
  void* kept = nullptr;
  leave(&kept, stack_outside().bottom, stack_outside().size);
#endif
  ew_switch_stacks(&inside_, outside_);
#ifdef EW_SANITIZE
  arrive(kept, &stack_outside());
#endif
}

}  // namespace ew::host
