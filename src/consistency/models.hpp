// The consistency models that a machine file can name. A model is a file here and a line in models.inc.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "memory/consistency.hpp"

namespace ew::consistency {

#define MODEL(name) memory::Consistency name();
#include "consistency/models.inc"
#undef MODEL

std::span<const memory::Consistency> models();
/// nullptr: there is none of that name.
const memory::Consistency* model(std::string_view name);
std::vector<std::string_view> names();

}  // namespace ew::consistency
