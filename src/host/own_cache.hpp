// The caches of one core of the host, as one: which lines it has, which of them no other core has, which are dirty.
// Tags and no bytes: the coherent image is where its copies are. Owned by TracedCore; other cores take lines away.
#pragma once

#include <vector>

#include "host/host_config.hpp"
#include "host/work.hpp"
#include "memory/tag_array.hpp"

namespace ew::host {

class OwnCache {
 public:
  static constexpr u32 none = memory::no_way;
  static constexpr u32 arrived = ~u32{0};

  struct Line {
    u64 address = 0;        // the program's
    u32 fetched = arrived;  // by which request under way
    bool dirty = false;     // the last-level cache and the memories have not heard of what was written
    bool owned = false;     // no other core has the line
  };

  explicit OwnCache(const HostConfig& config)
      : tags_({.bytes = config.own_cache.count, .line_bytes = host_line, .ways = config.own_ways, .hashed = false}),
        lines_(tags_.lines()) {}

  u32 find(u64 key) const { return tags_.find(key, key); }
  Line& operator[](u32 way) { return lines_[way]; }
  u64 key_of(u32 way) const { return tags_.line_of(way); }
  void used(u32 way) { tags_.used(way); }
  /// Where the line goes. Not empty: what is there goes first.
  u32 place_for(u64 key) const { return tags_.victim(key); }
  bool empty(u32 way) const { return tags_.line_of(way) == memory::no_line; }
  void install(u32 way, u64 key, const Line& line) {
    tags_.install(way, key);
    lines_[way] = line;
  }
  void remove(u32 way) { tags_.remove(way); }

 private:
  memory::TagArray tags_;
  std::vector<Line> lines_;  // by way
};

}  // namespace ew::host
