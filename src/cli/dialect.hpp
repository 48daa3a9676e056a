// Two habits of old CUDA sources that nvcc accepts and clang refuses: launch brackets with blanks inside (`<< <…>> >`)
// and a single % before a register name in extended asm. The filter mends them, and the places of libcu++ that clang
// refuses, or makes slow code of. It changes no line number and nothing else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ew::cli {

/// The text in clang's dialect; nothing when it needs no change.
std::optional<std::string> to_clang_dialect(std::string_view source);

/// The files of libcu++ that compile as they are, to slower code than nvcc's: they are mended for each source.
std::vector<std::string> library_files_to_mend();

}  // namespace ew::cli
