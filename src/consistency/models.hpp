// The consistency models that a machine file can name: one table, in the order in which they are documented.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "memory/consistency.hpp"

namespace ew::consistency {

std::span<const memory::Consistency> models();
/// nullptr: there is none of that name.
const memory::Consistency* model(std::string_view name);
std::vector<std::string_view> names();

}  // namespace ew::consistency
