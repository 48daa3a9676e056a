// What a fuzzer's bytes stand for: modules, separated by a line of three dashes, each with a head if it brings none, so
// that mutations need not keep one intact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ew::ptx {

inline std::vector<std::string> modules_of(const uint8_t* bytes, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(bytes), size);
  constexpr std::string_view separator = "\n---\n";
  std::vector<std::string> modules;
  for (;;) {
    const auto end = rest.find(separator);
    const auto text = rest.substr(0, end);
    const bool has_head = text.find(".version") != std::string_view::npos;
    modules.push_back((has_head ? "" : ".version 8.3 .target sm_80 .address_size 64\n") + std::string(text));
    if (end == std::string_view::npos || modules.size() == 4) return modules;
    rest.remove_prefix(end + separator.size());
  }
}

}  // namespace ew::ptx
