#include "media/last_level_cache.hpp"

#include <algorithm>
#include <new>

#include "core/host_caches.hpp"
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
  const u64 first = set(number), wanted = key(of, number);
  core::prefetch(&keys_[set(number + 1)]);  // the next of a copy
  for (u64 way = first; way < first + ways_; ++way)
    if (keys_[way] == wanted) {
      used_[way] = ++uses_;
      return &lines_[way];
    }
  return nullptr;
}

LastLevelCache::Line& LastLevelCache::add(Of of, u64 number, bool core) {
  if (core && ways_ != all_ways_) make_room_for_cores();
  if (!lines_) {
    keys_.reset(zeroed<u64>(size()));
    used_.reset(zeroed<u64>(size()));
    lines_.reset(zeroed<Line>(size()));
  }
  const u64 way = victim(set(number), core);
  Line& line = lines_[way];
  if (line.dirty.any())
    memories_[keys_[way] & 1]->evicted(line, (keys_[way] >> 1) - 1, line.address ? bytes(line) : nullptr);
  keys_[way] = key(of, number);
  used_[way] = ++uses_;
  line = {.address = 0, .dirty = {}};
  return line;
}

/// The device's writes come as one stream, and leave in its order. What cores write comes by way of their own caches.
u64 LastLevelCache::victim(u64 set, bool core) {
  const u32 count = core ? ways_ : device_ways_;
  const u64* const uses = &used_[set];
  const u64 oldest = set + static_cast<u64>(std::min_element(uses, uses + count) - uses);
  return core && random_ && keys_[oldest] ? set + dice_.below(count) : oldest;
}

void LastLevelCache::remove(Line& line) {
  const auto way = &line - lines_.get();
  keys_[way] = used_[way] = 0;
  line = {};
}

u8* LastLevelCache::bytes(const Line& line) {
  if (!bytes_) bytes_.reset(zeroed<u8>(size() * line_bytes_));
  return bytes_.get() + static_cast<u64>(&line - lines_.get()) * line_bytes_;
}

/// From now on sets have all of their ways; the device's are the first.
void LastLevelCache::make_room_for_cores() {
  const u32 old_ways = ways_;
  ways_ = all_ways_;
  const auto widen = [&]<class T>(std::unique_ptr<T[], Free>& of_ways, u64 each) {
    if (!of_ways) return;
    const auto old = std::move(of_ways);
    of_ways.reset(zeroed<T>(size() * each));
    for (u64 set = 0; set < sets_; ++set)
      std::copy_n(&old[set * old_ways * each], old_ways * each, &of_ways[set * ways_ * each]);
  };
  widen(keys_, 1);
  widen(used_, 1);
  widen(lines_, 1);
  widen(bytes_, line_bytes_);
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
