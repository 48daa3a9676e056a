// The names that a link of a CUDA program may ask for with -l.
#pragma once

#include <string_view>

namespace ew::cli {

/// Libraries of a CUDA SDK and of a platform with persistent memory: those that Everwarp is itself, and those that
/// nothing here replaces.
enum class SdkLibrary { none, ours, absent };
SdkLibrary sdk_library(std::string_view name);

}  // namespace ew::cli
