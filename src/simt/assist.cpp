#include "simt/assist.hpp"

#include <algorithm>
#include <vector>

namespace ew::simt {

u32 registers_of_routine(const ptx::Kernel& kernel, u32 function) {
  std::vector<bool> seen(kernel.functions.size());
  std::vector<u32> open{function};
  u32 most = 0;
  while (!open.empty()) {
    const u32 at = open.back();
    open.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    const ptx::Function& one = kernel.functions[at];
    most = std::max(most, one.live_registers);
    for (ptx::Pc pc = one.begin; pc < one.end; ++pc) {
      if (kernel.code[pc].op != ptx::Op::call) continue;
      const ptx::CallForm& call = kernel.calls[kernel.code[pc].imm];
      if (call.system == ptx::SystemCall::none && call.target == ptx::no_row) open.push_back(call.function);
    }
  }
  return most;
}

}  // namespace ew::simt
