// nvcc takes together what the declarations of a function say of its execution space: `int f(int);` and, later,
// `__host__ __device__ int f(int) { … }` are one function for both sides. For clang they are two that exclude each
// other. Its diagnostics name both places; here they become places to complete, and completed text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ew::cli {

/// Where the name of a declared function stands in a file; lines and columns count from 1, columns in bytes.
struct SourcePlace {
  std::string file;
  std::size_t line = 0, column = 0;

  friend auto operator<=>(const SourcePlace&, const SourcePlace&) = default;
};

/// Whether there may be such places: clang stops after some mistakes, and other mistakes may have come first.
bool may_name_execution_spaces(std::string_view diagnostics);

/// The declarations that are not for both sides while another of the same function is. Colourless diagnostics.
std::vector<SourcePlace> incomplete_declarations(std::string_view diagnostics);

/// The text with those functions declared for both sides; nothing when it says so already. The file names are not read.
std::optional<std::string> for_host_and_device(std::string_view text, std::vector<SourcePlace> places);

}  // namespace ew::cli
