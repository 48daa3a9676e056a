#include "memory/host_cache.hpp"

#include <cassert>

namespace ew::memory {

HostCache::HostCache(const HostCoreConfig& config)
    : tags_({.bytes = config.bytes, .line_bytes = config.line, .ways = config.ways, .hashed = false}),
      copies_(tags_.lines()) {}

WordMask HostCache::use(u64 line, Place place, const Reaction& reaction) {
  const u32 way = tags_.find(line, place.physical);
  if (way == no_way) return 0;
  tags_.used(way);
  return (reaction.owned ? copies_[way].owned : 0) | (reaction.valid ? copies_[way].valid : 0);
}

void HostCache::write(u64 line, Place place, u64 begin, u64 end) {
  const u32 way = tags_.find(line, place.physical);
  if (way == no_way) return;
  const ByteMask owned = bytes_of(copies_[way].owned);
  ByteMask elsewhere = owned;
  clear_range(elsewhere, line, begin, end);
  copies_[way].dirty = copies_[way].dirty | (owned & ~elsewhere);
}

HostCache::Copy HostCache::add(const Copy& words, Place place, const std::function<bool(u64 line)>& pinned) {
  u32 way = tags_.find(words.line, place.physical);
  Copy gone;
  if (way == no_way) {
    way = victim(place, pinned);
    assert(way != no_way);
    if (tags_.line_of(way) != no_line) {
      gone = copies_[way];
      remove(way);
    }
    tags_.install(way, words.line);
    copies_[way].line = words.line;
  }
  Copy& copy = copies_[way];
  copy.valid |= words.valid;
  copy.owned |= words.owned;
  copy.dirty = copy.dirty | words.dirty;
  return gone;
}

ByteMask HostCache::give_up(u64 line, Place place, WordMask words, ProbeKind kind) {
  const u32 way = tags_.find(line, place.physical);
  if (way == no_way || kind == ProbeKind::none || kind == ProbeKind::clean) return {};
  Copy& copy = copies_[way];
  const ByteMask dirty = copy.dirty & bytes_of(words & copy.owned);
  copy.dirty = copy.dirty & ~dirty;
  copy.owned &= ~words;
  if (kind == ProbeKind::invalidate) copy.valid &= ~words;
  if (!copy.valid) remove(way);
  return dirty;
}

void HostCache::acquire() {
  for (u32 way = 0; way < tags_.lines(); ++way) {
    if (tags_.line_of(way) == no_line) continue;
    copies_[way].valid = copies_[way].owned;
    if (!copies_[way].owned) remove(way);
  }
}

u32 HostCache::victim(Place place, const std::function<bool(u64 line)>& pinned) {
  const auto each_pinned = [&](auto&& act) {
    tags_.each_of_set(place.physical, [&](u32 way) {
      if (pinned(tags_.line_of(way))) act(way);
    });
  };
  each_pinned([this](u32 way) { tags_.pin(way); });
  const u32 way = tags_.victim(place.physical);
  each_pinned([this](u32 way) { tags_.unpin(way); });
  return way;
}

void HostCache::remove(u32 way) {
  copies_[way] = {};
  tags_.remove(way);
}

}  // namespace ew::memory
