#include "simt/timing_statistics.hpp"

#include <string_view>

namespace ew::simt {

u64 TimingStatistics::all_slots() const {
  u64 sum = 0;
  SlotCounts::fields(slots, [&](std::string_view, u64 value, std::string_view, std::string_view) { sum += value; });
  return sum;
}

}  // namespace ew::simt
