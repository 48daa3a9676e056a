// Names of kernels and variables as the program's source writes them: what every message shows instead of a mangled
// symbol.
#pragma once

#include <string>
#include <string_view>

namespace ew::core {

/// "_ZN12_GLOBAL__N_14walkEPKNS_4NodeEPi" -> "walk(Node const*, int*)". A symbol that is not mangled stays as it is;
/// the arguments of templates and functions are left out of names that would fill more than a line or two.
std::string readable_name(std::string_view symbol);

/// The text with every mangled symbol in it made readable.
std::string readable_text(std::string_view text);

}  // namespace ew::core
