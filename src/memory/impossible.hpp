// What a component does with a message that no correct protocol sends.
#pragma once

#include <string_view>

#include "memory/request.hpp"

namespace ew::memory {

/// Says what, when and which on standard error, and aborts.
[[noreturn]] void impossible(std::string_view what, const Request&, u64 cycle);

}  // namespace ew::memory
