// Each model's table, made by its own file.
#pragma once

#include "memory/consistency.hpp"

namespace ew::consistency {

memory::Consistency ptx();
memory::Consistency sc();

}  // namespace ew::consistency
