// The dirty lines of a private cache and their way to the homes. Owned by the cache; its parts share it.
//
// Dirty lines of volatile memory stand in the write buffer, oldest first; each holds one of its places, and so does
// every write and reduction on its way. Half of the places are for lines on their way, so that a stream of stores does
// not stop for each. Dirty persistent lines have a list of their own, without bound: the persistency model says when
// they leave, or they do so by themselves (let_persists_leave).
//
// Where words are owned later (Otherwise::own_later), what leaves is a request for the words that were written, and the
// bytes stay. Dirty bytes of owned words are no business of the buffer then.
//
// Invariant: a line is listed exactly when it has dirty bytes (where words are owned later: of words that are neither
// owned nor asked for).
#pragma once

#include "memory/cache/dirty_lines.hpp"
#include "memory/cache/flush_marks.hpp"
#include "memory/cache/leaving_lines.hpp"
#include "memory/cache/misses.hpp"
#include "memory/cache/persists_under_way.hpp"
#include "memory/cache/writers.hpp"

namespace ew::memory {

struct WriteBufferParts {
  core::TimeWheel& wheel;
  Payloads& payloads;
  LineStore& lines;
  Misses& misses;
  LeavingLines& leaving;
  AgentPort& port;
  PersistsUnderWay& persists;
  CacheCounts& counts;
  HomeKind home;
  bool owns_later;      // AgentPolicy::owns_later
  bool owns_what_left;  // of persistent lines: AgentPolicy::owns_what_left
  bool knows_writers;   // drain_of() will be asked for
};

class WriteBuffer {
 public:
  using Parts = WriteBufferParts;
  WriteBuffer(const PrivateCacheConfig& config, const Parts& parts)
      : config_(config), parts_(parts), volatile_(parts.lines), persistent_(parts.lines) {
    volatile_.leave_after = config.drain_after;
    if (parts.knows_writers) writers_.begin(parts.lines.size());
  }

  /// Room for one more line with bytes that are not in the image. Without it half of the buffer, at least, is on its
  /// way.
  bool room() const { return volatile_.count() + writes_under_way_ < config_.write_buffer; }
  /// A line of volatile memory has become dirty.
  void join(u32 way);
  /// The warp has written the line, which has joined or will.
  void written_by(u32 way, u32 warp) { writers_.wrote(way, warp); }
  /// A persistent line has become dirty.
  void join_persistent(u32 way) { join(persistent_, way); }
  /// Nobody keeps the order of persistent lines: they may leave by themselves.
  void let_persists_leave() { persistent_.leave_after = config_.drain_persists_after; }
  /// Words of the line are owned: it has nothing to leave for if all that were written are.
  void owned(u32 way) {
    const CacheLine& line = parts_.lines[way];
    if (line.listed && !line.persistent && !line.written_unowned()) leave(way);
  }
  /// no_number: there is none.
  u32 oldest_persistent() const { return persistent_.oldest(); }

  /// The line's dirty bytes leave for the image, on the account of who wrote them; its words stay valid. Owned words
  /// return with them. access, part: of a store that is over when they are there, or no_access. mark: the flush's that
  /// waits for it; 0: of now.
  void drain(u32 way, u32 access = no_access, u32 part = 0, u8 mark = 0);
  /// The turn of a listed line of volatile memory has come: its bytes leave, or its words are owned, as the protocol
  /// says.
  void retire(u32 way);
  /// The same for each.
  void drain_all();
  /// The same for each that the warp has written. REQUIRES: knows_writers.
  void drain_of(u32 warp);
  /// The line will be removed: its dirty bytes leave, and its ownership. A home that holds lines finds out by itself
  /// that a clean copy has gone.
  void write_back(u32 way, u8 mark = 0) {
    const CacheLine& line = parts_.lines[way];
    if (keeps_what_left(line)) return give_back(way, mark);
    if (line.dirty.any() || (line.owned && parts_.home == HomeKind::registry)) drain(way, no_access, 0, mark);
  }
  /// The line's dirty bytes leave, and owned words stay owned. While words of the line are asked for they wait: the
  /// home could not tell whether they are older than what it grants. REQUIRES: there are dirty bytes.
  void clean(u32 way);
  /// The words have come. False: no bytes are dirty any more.
  bool clean_now(u32 way, u8 mark);
  /// A write that passes the lines, a reduction, or a request for words that were written, has left, or is over.
  void add_write() { ++writes_under_way_; }
  void end_write() { --writes_under_way_; }
  u32 writes_under_way() const { return writes_under_way_; }

  /// What leaves from now on leaves because of a fence, or does so no more.
  void set_fence(bool fence) { fence_ = fence; }
  FlushMarks& flush() { return flush_; }
  const FlushMarks& flush() const { return flush_; }

 private:
  /// REQUIRES: the line is volatile memory's, and listed.
  void leave(u32 way) {
    volatile_.leave(way);
    writers_.forget(way);
  }
  void send(u32 way, RequestKind, ByteMask, u8 mark, u32 access, u32 part);
  void send_unowned(u32 way, u8 mark);
  bool keeps_what_left(const CacheLine& line) const { return line.persistent && parts_.owns_what_left; }
  void give_back(u32 way, u8 mark);
  void join(DirtyLines&, u32 way);
  void arm_timer(DirtyLines&);
  void drain_aged(u64 list, u64);
  Cycle now() const { return parts_.wheel.now(); }

  const PrivateCacheConfig& config_;
  Parts parts_;
  DirtyLines volatile_, persistent_;
  u32 writes_under_way_ = 0;  // persists are not among them
  FlushMarks flush_;
  bool fence_ = false;
  Writers writers_;  // of volatile lines
};

}  // namespace ew::memory
