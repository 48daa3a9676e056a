// One line of tests/ptx/forms/*.txt: parsed, run on both clones, compared.
#pragma once

#include <string>
#include <string_view>

#include "core/types.hpp"

namespace ew::test {

/// Empty if the line holds; else what went wrong. Adds the line's cases to *cases.
std::string run_form_line(std::string_view line, u32* cases);

}  // namespace ew::test
