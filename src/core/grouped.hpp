// Whole numbers for people.
#pragma once

#include <string>

namespace ew::core {

/// 1234567 -> "1,234,567".
inline std::string grouped(unsigned long long number) {
  std::string text = std::to_string(number);
  for (std::size_t place = text.size(); place > 3;) text.insert(place -= 3, 1, ',');
  return text;
}

}  // namespace ew::core
