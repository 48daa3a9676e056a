#include "simt/timing_statistics.hpp"

#include <bit>
#include <string_view>

namespace ew::simt {
namespace {

/// Every member is a u64.
using Words = std::array<u64, sizeof(TimingStatistics) / sizeof(u64)>;

}  // namespace

u64 TimingStatistics::all_slots() const {
  u64 sum = 0;
  fields(*this, [&](std::string_view name, u64 value, std::string_view, std::string_view) {
    if (name.starts_with("slots.")) sum += value;
  });
  return sum;
}

void TimingStatistics::add(const TimingStatistics& other) {
  auto words = std::bit_cast<Words>(*this);
  const auto more = std::bit_cast<Words>(other);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] += more[i];
  *this = std::bit_cast<TimingStatistics>(words);
}

}  // namespace ew::simt
