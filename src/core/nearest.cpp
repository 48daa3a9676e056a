#include "core/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ew::core {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment: three rows of the table are alive at a time.
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  for (std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (!best || distance < best_distance) best = candidate, best_distance = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  // The beginning of one name, and of others only that begin with that one: not a slip, but clear.
  std::optional<std::string_view> begun;
  bool clear = word.size() >= 2;
  for (const std::string_view candidate : candidates) {
    if (!candidate.starts_with(word)) continue;
    if (!begun || begun->starts_with(candidate))
      begun = candidate;
    else
      clear &= candidate.starts_with(*begun);
  }
  if (begun && clear) return fmt::format(" (did you mean \"{}\"?)", *begun);
  const auto best = nearest(word, candidates);
  // More than half of the word wrong is no longer a slip of the finger.
  if (!best || edit_distance(word, *best) > std::max<std::size_t>(2, word.size() / 2)) return {};
  return fmt::format(" (did you mean \"{}\"?)", *best);
}

}  // namespace ew::core
