// Whole files, read and written at once.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ew::cli {

/// Empty when there is none.
std::string content_of(const std::filesystem::path&);
/// One that cannot be written in full is a core::UserError.
void write_file(const std::filesystem::path&, std::string_view bytes);

}  // namespace ew::cli
