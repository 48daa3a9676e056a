#include "media/last_level_cache.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "memory/masks.hpp"

namespace ew::media {

namespace {

template <class T>
T* zeroed(u64 count) {
  void* const memory = std::calloc(count, sizeof(T));
  if (!memory) throw std::bad_alloc();
  return static_cast<T*>(memory);
}

}  // namespace

LastLevelCache::LastLevelCache(const HostMemoryConfig& config)
    : line_bytes_(config.llc_line),
      all_ways_(config.llc_ways),
      device_ways_(std::min(config.ddio_ways, config.llc_ways)),
      sets_(config.llc.count ? std::max<u64>(config.llc.count / (u64{config.llc_line} * config.llc_ways), 1) : 0),
      ways_(device_ways_),
      random_(config.llc_replacement == "random") {}

LastLevelCache::Line* LastLevelCache::find(Of of, u64 number) {
  if (!lines_) return nullptr;
  Line* const ways = set(number);
  Line* const found = std::find_if(ways, ways + ways_, [&](const Line& way) { return way.key == key(of, number); });
  if (found == ways + ways_) return nullptr;
  found->used = ++uses_;
  return found;
}

LastLevelCache::Line& LastLevelCache::add(Of of, u64 number, bool core) {
  if (core && ways_ != all_ways_) make_room_for_cores();
  if (!lines_) lines_.reset(zeroed<Line>(size()));
  Line& line = victim(set(number), core);
  if (line.dirty.any())
    memories_[line.key & 1]->evicted(line, LastLevelCache::number(line), line.address ? bytes(line) : nullptr);
  line = {.key = key(of, number), .used = ++uses_, .address = 0, .dirty = {}};
  return line;
}

/// The device's writes come as one stream, and leave in its order. What cores write comes by way of their own caches.
LastLevelCache::Line& LastLevelCache::victim(Line* ways, bool core) {
  const u32 count = core ? ways_ : device_ways_;
  Line* const oldest =
      std::min_element(ways, ways + count, [](const Line& a, const Line& b) { return a.used < b.used; });
  return core && random_ && oldest->key ? ways[dice_.below(count)] : *oldest;
}

u8* LastLevelCache::bytes(const Line& line) {
  if (!bytes_) bytes_.reset(zeroed<u8>(size() * line_bytes_));
  return bytes_.get() + static_cast<u64>(&line - lines_.get()) * line_bytes_;
}

/// From now on sets have all of their ways; the device's are the first.
void LastLevelCache::make_room_for_cores() {
  const auto old_lines = std::move(lines_);
  const auto old_bytes = std::move(bytes_);
  const u32 old_ways = ways_;
  ways_ = all_ways_;
  if (!old_lines) return;
  lines_.reset(zeroed<Line>(size()));
  if (old_bytes) bytes_.reset(zeroed<u8>(size() * line_bytes_));
  for (u64 set = 0; set < sets_; ++set) {
    std::copy_n(&old_lines[set * old_ways], old_ways, &lines_[set * ways_]);
    if (old_bytes)
      std::memcpy(&bytes_[set * ways_ * line_bytes_], &old_bytes[set * old_ways * line_bytes_],
                  u64{old_ways} * line_bytes_);
  }
}

void LastLevelCache::drop(u64 begin, u64 end) {
  if (!lines_) return;
  for (u64 i = 0; i < size(); ++i) {
    Line& line = lines_[i];
    if (!line.address || !line.dirty.any()) continue;
    memory::clear_range(line.dirty, line.address, begin, end);
    if (!line.dirty.any()) remove(line);
  }
}

}  // namespace ew::media
