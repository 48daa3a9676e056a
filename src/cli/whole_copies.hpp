// Copies of aligned structures. clang copies a float4 as a block of 16 bytes, which its PTX back end cuts into halves
// of 8: two loads and two stores, each with half of every sector, where nvcc has one ld.v4 and one st.v4. The device
// code is taken as LLVM's text, and each such block becomes accesses of 16 bytes there.
#pragma once

#include <string>
#include <string_view>

namespace ew::cli {

/// LLVM's text in which copies and fills of a known size, a multiple of 16 bytes up to 256, at addresses aligned to 16
/// bytes, are loads and stores of 16 bytes: all loads of a copy before its stores. Orders of uses go where they no
/// longer hold.
std::string with_whole_copies(std::string_view llvm_text);

}  // namespace ew::cli
