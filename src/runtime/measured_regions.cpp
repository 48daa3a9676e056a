#include "runtime/measured_regions.hpp"

#include <algorithm>
#include <ranges>

namespace ew::runtime {

void MeasuredRegions::begin(std::string_view name, CUstream_st& stream, ProgramWork& work) {
  Region& region = regions_.emplace_back();
  region.name = name;
  region.stream = &stream;
  work.enqueue(stream, RecordWork{&region.begin});
}

bool MeasuredRegions::end(std::string_view name, CUstream_st& stream, ProgramWork& work) {
  for (Region& region : std::views::reverse(regions_)) {
    if (region.name != name || region.stream != &stream || region.end.recorded) continue;
    work.enqueue(stream, RecordWork{&region.end});
    return true;
  }
  return false;
}

Ticket MeasuredRegions::last_end(std::string_view name) const {
  Ticket last = 0;
  for (const Region& region : regions_)
    if (region.name == name && region.end.recorded) last = std::max(last, region.end.ticket);
  return last;
}

u64 MeasuredRegions::sum(std::string_view name, const Queue& queue) const {
  u64 nanoseconds = 0;
  for (const Region& region : regions_)
    if (region.name == name && region.end.recorded && queue.complete(region.end.ticket))
      nanoseconds += region.end.ended - region.begin.ended;
  return nanoseconds;
}

void MeasuredRegions::write(HostRanges& rows, const Queue& queue) const {
  for (const Region& region : regions_)
    if (region.end.recorded && queue.complete(region.end.ticket))
      rows.add(region.name, region.begin.ended, region.end.ended);
}

}  // namespace ew::runtime
