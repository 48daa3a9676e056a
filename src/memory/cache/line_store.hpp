// The lines of a private cache: tags, bytes, and what is known of each word. Owned by the cache; its parts share it.
//
// A word is valid (its bytes may be read), owned (nobody else may write it), or neither; dirtiness is a matter of
// bytes. An acquire drops copies by counting an epoch: a line looks at it when it is next used (refresh). Lines of
// threads' own memory have an epoch of their own, which acquires do not count.
//
// Invariant: a way without a tag has no valid word, no dirty byte and no MSHR.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "memory/agent.hpp"
#include "memory/cache/counts.hpp"
#include "memory/cache/read_only_words.hpp"
#include "memory/masks.hpp"
#include "memory/memory_config.hpp"
#include "memory/tag_array.hpp"

namespace ew::memory {

/// A line of the host's own caches: what is known of a line comes with one miss there.
struct alignas(64) CacheLine {
  Place place;
  WordMask valid = 0, owned = 0;
  ByteMask dirty;
  u32 epoch = 0;          // in which `valid` was true
  u32 mshr = no_number;   // the request under way for it
  u32 older = no_number;  // in its list of dirty lines, if `listed`
  u32 younger = no_number;
  bool listed = false;                   // in the write buffer, or, if `persistent`, among the dirty persistent lines
  bool persistent = false;               // a pool's, and its stores are persists
  bool prefetched = false;               // and no load has used it
  bool of_thread = false;                // local memory
  core::Account account = core::nobody;  // that wrote its dirty bytes last
  Cycle joined = 0;                      // its list

  WordMask written_unowned() const { return touched_words(dirty) & ~owned; }
};

class LineStore {
 public:
  LineStore(const PrivateCacheConfig& c, CacheCounts& counts)
      : counts_(counts),
        line_(c.line),
        sets_(c.ways ? static_cast<u32>(c.bytes / c.line / c.ways) : 1),
        replacement_(c.replacement),
        tags_({.bytes = c.bytes, .line_bytes = c.line, .ways = c.ways, .hashed = false}, c.replacement),
        lines_(tags_.lines()),
        data_(std::make_unique_for_overwrite<u8[]>(c.bytes)) {}

  u32 size() const { return tags_.lines(); }
  u64 bytes() const { return u64{size()} * line_; }
  /// What resize() makes of so many bytes: whole sets, of as many as there are; a way at least, and no more than at
  /// first.
  u64 in_whole_sets(u64 wanted) const {
    const u64 way = u64{sets_} * line_;
    return std::clamp(wanted / way * way, way, u64{lines_.size()} * line_);
  }
  /// REQUIRES: it is empty; in_whole_sets() has answered that.
  void resize(u64 bytes) {
    const u32 ways = static_cast<u32>(bytes / line_ / sets_);
    tags_ = TagArray({.bytes = bytes, .line_bytes = line_, .ways = ways, .hashed = false}, replacement_);
  }
  u32 find(u64 line, Place place) const { return tags_.find(line, place.physical); }
  /// The line will be looked for soon.
  void expect_line(u64 line) const { tags_.expect_in_index(line); }
  u64 line_of(u32 way) const { return tags_.line_of(way); }
  /// TagArray::each_line.
  template <class Visitor>
  void each(Visitor&& visit) const {
    tags_.each_line(visit);
  }
  CacheLine& operator[](u32 way) { return lines_[way]; }
  const CacheLine& operator[](u32 way) const { return lines_[way]; }
  u8* bytes(u32 way) const { return data_.get() + u64{way} * line_; }

  /// The way that the line would take: an empty one, or that of the line to be evicted. no_way: all have MSHRs.
  u32 victim(Place place) const { return tags_.victim(place.physical); }
  /// The line's request is under way. REQUIRES: it had none.
  void begin_miss(u32 way, u32 mshr) {
    lines_[way].mshr = mshr;
    tags_.pin(way);
  }
  void end_miss(u32 way) {
    lines_[way].mshr = no_number;
    tags_.unpin(way);
    remove_if_empty(way);
  }
  /// REQUIRES: the way is empty.
  void install(u32 way, u64 line, Place place, bool persistent, bool of_thread) {
    lines_[way] = {.place = place};
    lines_[way].persistent = persistent;
    lines_[way].of_thread = of_thread;
    lines_[way].epoch = epoch_[kind(lines_[way])];
    tags_.install(way, line);
    read_only.forget(way);
  }
  void remove(u32 way) {
    lines_[way] = {};
    tags_.remove(way);
  }
  void remove_if_empty(u32 way) {
    const CacheLine& line = lines_[way];
    if (line.valid || line.mshr != no_number || line.dirty.any()) return;
    tags_.remove(way);
  }
  void touch(u32 way, const LineAccess& a) {
    if (!a.streaming) tags_.used(way);
  }

  /// Words of volatile (of persistent) lines that are neither owned nor dirty are given up.
  void give_up_copies(bool volatile_lines, bool persistent_lines) {
    epoch_[0] += volatile_lines;
    epoch_[1] += persistent_lines;
  }
  /// The same of threads' own memory. Its next threads are others.
  void give_up_copies_of_threads() { ++epoch_[threads]; }
  /// Lines of one kind are given up together.
  static u8 kind(const CacheLine& line) { return line.of_thread ? threads : line.persistent; }
  u32 epoch(u8 kind) const { return epoch_[kind]; }
  /// Before a line's words are looked at: what was given up since the last time is no longer valid.
  void refresh(CacheLine& line) {
    if (line.epoch != epoch_[kind(line)]) drop_stale(line);
  }
  /// Performs the part of a store or atomic on the line's bytes.
  void write(u32 way, const LineAccess&, Agent&);
  /// The way will be looked at soon: its line comes into the host's caches.
  void expect(u32 way) const {
    core::prefetch(&lines_[way]);
    tags_.expect_way(way);
    core::prefetch_to_write(bytes(way));
    core::prefetch_to_write(bytes(way) + line_ / 2);
  }
  /// The line as refresh() would leave it.
  CacheLine copy_of(u32 way) const;

  ReadOnlyWords read_only;

 private:
  static constexpr u8 threads = 2;
  WordMask kept(const CacheLine& line, u32 way) const {
    return line.valid & (line.owned | whole_words(line.dirty) | read_only.words(way));
  }
  void drop_stale(CacheLine&);
  void change_copy(u32 way, const LineAccess&, Agent&);

  CacheCounts& counts_;
  u32 line_, sets_;
  std::string replacement_;
  TagArray tags_;
  std::vector<CacheLine> lines_;
  std::unique_ptr<u8[]> data_;  // what has not been filled was never touched
  std::array<u32, 3> epoch_{};  // of volatile lines, of persistent ones, of threads' own
};

}  // namespace ew::memory
