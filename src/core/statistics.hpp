// Statistics are plain u64 members of a struct that describes itself like a configuration does:
//   template <class Self, class Visitor> static void fields(Self& self, Visitor&& visit)
// with visit("name", self.member, "unit", "Sentence."). This file turns such a struct into a list.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/types.hpp"

namespace ew::core {

struct Statistic {
  std::string_view name;
  u64 value = 0;
  std::string_view unit, sentence;
};

/// Every statistic of a set, in the order in which it is documented.
template <class Set>
std::vector<Statistic> statistics_of(const Set& set) {
  std::vector<Statistic> list;
  Set::fields(set, [&](std::string_view name, u64 value, std::string_view unit, std::string_view sentence) {
    list.push_back({name, value, unit, sentence});
  });
  return list;
}

/// Adds the figures of `part` to those of `sum`; both are structs of u64 (and arrays of them) alone.
template <class Set>
void add_words(Set& sum, const Set& part) {
  static_assert(sizeof(Set) % sizeof(u64) == 0 && std::is_trivially_copyable_v<Set>);
  u64* to = reinterpret_cast<u64*>(&sum);
  const u64* from = reinterpret_cast<const u64*>(&part);
  for (std::size_t i = 0; i < sizeof(Set) / sizeof(u64); ++i) to[i] += from[i];
}

}  // namespace ew::core
