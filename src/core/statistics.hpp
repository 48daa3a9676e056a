// Statistics are plain u64 members of a struct that describes itself like a configuration does:
//   template <class Self, class Visitor> static void fields(Self& self, Visitor&& visit)
// with visit("name", self.member, "unit", "Sentence."). Such a struct is made of a list, one line a statistic:
// core/statistics_set.inc. This file turns the struct into a list that a program can walk.
#pragma once

#include <string_view>
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

}  // namespace ew::core
