// `ew explain ptx`: what the loader accepts, read from the loader's own table.
#pragma once

#include <string>

namespace ew::cli {

/// All opcodes (`what` empty), the forms of one ("cvt"), or whether one instruction is executed ("add.rn.f32").
int explain_ptx(const std::string& what, bool json);

}  // namespace ew::cli
