#include "media/persistent_cache.hpp"

#include <algorithm>

#include "memory/masks.hpp"

namespace ew::media {

PersistentCache::PersistentCache(const HostMemoryConfig& config)
    : line_bytes_(config.llc_line),
      ways_(std::min(config.ddio_ways, config.llc_ways)),
      sets_(std::max<u64>(config.llc.count / (u64{config.llc_line} * config.llc_ways), 1)) {}

PersistentCache::Line* PersistentCache::find(u64 line) {
  if (lines_.empty()) return nullptr;
  Line* const ways = set(line);
  Line* const found = std::find_if(ways, ways + ways_, [&](const Line& way) { return way.line == line; });
  if (found == ways + ways_) return nullptr;
  touch(*found);
  return found;
}

PersistentCache::Line& PersistentCache::victim(u64 line) {
  if (lines_.empty()) {  // most machines never see a pool
    lines_.resize(sets_ * ways_);
    data_.resize(lines_.size() * line_bytes_);
  }
  Line* const ways = set(line);
  return *std::min_element(ways, ways + ways_, [](const Line& a, const Line& b) { return a.used < b.used; });
}

void PersistentCache::drop(u64 begin, u64 end) {
  for (Line& line : lines_) {
    if (!line.address) continue;
    memory::clear_range(line.mask, line.address, begin, end);
    if (!line.mask.any()) line = {};
  }
}

}  // namespace ew::media
