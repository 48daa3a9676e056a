// __device__ variables whose initial values point at each other, or at themselves: C++ allows them, LLVM's PTX printer
// wants an order in which each is printed after those it names. The device code is taken as LLVM's text; a name that
// closes a circle becomes that of an external stand-in, and in the PTX the stand-in becomes a declaration of the
// variable itself.
#pragma once

#include <string>
#include <string_view>

namespace ew::cli {

/// LLVM's text with stand-ins; the same text when no initial values form a circle.
std::string break_circles(std::string_view llvm_text);

/// PTX of such text with every stand-in replaced by its variable.
std::string join_circles(std::string_view ptx);

}  // namespace ew::cli
