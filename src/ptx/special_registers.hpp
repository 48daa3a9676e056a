// The special registers by name, for `ew explain ptx`. %envreg0 to %envreg31 exist besides.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace ew::ptx {

/// Those that a program may read.
std::vector<std::string_view> special_registers();
/// Those that PTX has and that are refused when a module loads.
std::span<const std::string_view> refused_special_registers();

}  // namespace ew::ptx
