// Whole files, read and written at once.
#pragma once

#include <filesystem>
#include <string>

#include "core/files.hpp"

namespace ew::cli {

/// Empty when there is none.
std::string content_of(const std::filesystem::path&);
using core::write_file;

}  // namespace ew::cli
