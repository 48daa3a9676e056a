#include "simt/timing_statistics.hpp"

#include <string_view>
#include <vector>

namespace ew::simt {
namespace {

std::vector<u64*> members(TimingStatistics& set) {
  std::vector<u64*> list;
  TimingStatistics::fields(
      set, [&](std::string_view, u64& value, std::string_view, std::string_view) { list.push_back(&value); });
  return list;
}

}  // namespace

u64 TimingStatistics::slots() const {
  u64 sum = 0;
  fields(*this, [&](std::string_view name, u64 value, std::string_view, std::string_view) {
    if (name.starts_with("slots.")) sum += value;
  });
  return sum;
}

TimingStatistics TimingStatistics::since(const TimingStatistics& earlier) const {
  TimingStatistics result = *this, before = earlier;
  const auto to = members(result), from = members(before);
  for (std::size_t i = 0; i < to.size(); ++i) *to[i] -= *from[i];
  return result;
}

void TimingStatistics::add(const TimingStatistics& other) {
  TimingStatistics more = other;
  const auto to = members(*this), from = members(more);
  for (std::size_t i = 0; i < to.size(); ++i) *to[i] += *from[i];
}

}  // namespace ew::simt
