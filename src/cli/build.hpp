// `ew build`: CUDA C++ to an executable, with nvcc's command line.
#pragma once

#include <span>
#include <string>

namespace ew::cli {

/// Status 0, 1 (something did not compile or link) or 2 (usage). as_nvcc: called by nvcc's name.
int build(std::span<const std::string> arguments, bool as_nvcc);

}  // namespace ew::cli
