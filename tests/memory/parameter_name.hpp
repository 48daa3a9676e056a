// A model's name as GoogleTest takes it: letters, digits and underscores.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace ew::memory {

inline std::string parameter_name(std::string_view name) {
  std::string text(name);
  std::ranges::replace_if(
      text, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return text;
}

}  // namespace ew::memory
