// JSON as text, whatever bytes the strings in it have: programs, file names and the environment need not be UTF-8, and
// JSON must be. Every writer of JSON uses it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ew::core {

/// A byte that is not UTF-8 becomes U+FFFD. `indent`: of a level; negative: all in one line.
template <class Json>
std::string json_text(const Json& json, int indent = 2) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ew::core
