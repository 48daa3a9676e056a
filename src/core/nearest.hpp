// The valid name that a mistyped one most probably meant: what every error message of Everwarp ends with.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ew::core {

/// Edits (insert, delete, replace, swap of neighbours) that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate with the fewest edits, the first of equals; nothing when there are no candidates.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates);

/// ` (did you mean "x"?)`, or empty when no candidate is near enough to be meant.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace ew::core
