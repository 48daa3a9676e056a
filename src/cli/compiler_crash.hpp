// What clang prints when its PTX back end gives up is a stack dump for clang's own authors. This makes of it one
// sentence for the program's author: what construct, where, what to write instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ew::cli {

/// Occurs in the sentence about variables that circular_variables.hpp can help.
inline constexpr std::string_view circular_sign = "initialisers point at each other";

/// The sentence, or nothing when `output` holds no crash. Diagnostics that clang printed before it stay in front.
std::optional<std::string> explain_compiler_crash(std::string_view output, std::string_view source);

/// What a person may not know about a mistake that the compiler or the linker reported; empty when there is nothing to
/// add.
std::string compiler_hint(std::string_view output);

}  // namespace ew::cli
