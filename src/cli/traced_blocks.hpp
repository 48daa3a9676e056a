// What the basic blocks of traced host code cost. clang marks each block (-fsanitize-coverage=bb,trace-pc) when all
// optimisation is done; the code is taken as LLVM's text, and each mark becomes a call that names the block's
// instructions (runtime/traced_code.cpp). clang tells of loads and stores, but not of atomic operations that do both:
// they get a call, too.
#pragma once

#include <string>
#include <string_view>

namespace ew::cli {

/// LLVM's text in which `call void @__everwarp_block(i32 N)` stands for clang's mark of a block of N instructions. A
/// block of none has no mark. What a processor of today does not execute by itself is no instruction: phi, addresses,
/// casts that keep the bits, a branch (fused with its comparison). A division counts as many as could be issued while
/// it occupies the divider, an atomic operation as many as in its 20 cycles (uops.info, Skylake-X).
std::string with_block_costs(std::string_view llvm_text);

}  // namespace ew::cli
