#include "core/diagnostics.hpp"

#include <fmt/format.h>

namespace ew::core {

namespace {

std::string message(const Place& place, std::string_view sentence) {
  if (place.file.empty()) return std::string(sentence);
  if (place.line == 0) return fmt::format("{}: {}", place.file, sentence);
  return fmt::format("{}:{}: {}", place.file, place.line, sentence);
}

}  // namespace

UserError::UserError(const Place& place, std::string_view sentence) : std::runtime_error(message(place, sentence)) {}

}  // namespace ew::core
