// What a protocol under a consistency model is good for, in the words of the thesis (Sinclair 2017, Tables 2.1
// and 2.2). Answered from the tables, so a protocol of one's own has its answers, too.
#pragma once

#include <array>
#include <string_view>

#include "coherence/models.hpp"
#include "memory/consistency.hpp"

namespace ew::coherence {

struct Feature {
  std::string_view name, benefit;
  std::string_view answer;  // yes, no, "if local", …
};
inline constexpr u32 features_count = 9;

/// The two columns of Table 2.1, then the rows of Table 2.2.
std::array<Feature, features_count> features(const Model&, const memory::Consistency&);

}  // namespace ew::coherence
