// The table of nvcc's options: spelling, whether a value follows, and what each does to a BuildRequest. The parser
// (build_options.cpp), --help and completion read it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/build_options.hpp"

namespace ew::cli {

enum class Takes { nothing, value, list, truth };

struct OptionSpec {
  std::string_view long_name, short_name;
  Takes takes;
  // What it does; nullptr: it has no meaning here and `sentence` says why, or the parser itself knows it.
  void (*apply)(BuildRequest&, const std::string& value);
  std::string_view sentence;
};

/// In the order of nvcc's own help.
std::span<const OptionSpec> build_option_table();

/// By its long or short name; nullptr: there is none.
const OptionSpec* find_build_option(std::string_view name);

/// The words of a list, separated by any of these characters; quotes and backslashes hold a word together.
process::Words split_list(std::string_view text, std::string_view separators);

}  // namespace ew::cli
