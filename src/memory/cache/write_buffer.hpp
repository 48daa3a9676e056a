// The dirty lines of a private cache and their way to the homes. Owned by the cache; its parts share it.
//
// Dirty lines of volatile memory stand in the write buffer, oldest first; each holds one of its places, and so does
// every write and reduction on its way. Half of the places are for lines on their way, so that a stream of stores does
// not stop for each. Dirty persistent lines have a list of their own, without bound: the persistency model says when
// they leave.
//
// Lines that leave are counted by the flush that waits for them: its number's parity, which comes back with `written`.
#pragma once

#include <array>

#include "memory/cache/misses.hpp"
#include "memory/cache/persists_under_way.hpp"

namespace ew::memory {

class WriteBuffer {
 public:
  struct Parts {
    core::TimeWheel& wheel;
    Payloads& payloads;
    LineStore& lines;
    Misses& misses;
    AgentPort& port;
    PersistsUnderWay& persists;
    CacheCounts& counts;
  };
  WriteBuffer(const PrivateCacheConfig& config, const Parts& parts) : config_(config), parts_(parts) {}

  /// Room for one more line with bytes that are not in the image. Without it half of the buffer, at least, is on its
  /// way.
  bool room() const { return volatile_.count + writes_under_way_ < config_.write_buffer; }
  /// A line of volatile memory has become dirty.
  void join(u32 way);
  /// A persistent line has become dirty.
  void join_persistent(u32 way) { append(persistent_, way); }
  /// no_number: there is none.
  u32 oldest_persistent() const { return persistent_.oldest; }

  /// The line's dirty bytes leave for the image, on the account of who wrote them; its words stay valid. Owned words
  /// return with them. access, part: of a store that is over when they are there, or no_access.
  void drain(u32 way, u32 access, u32 part);
  void drain_all();
  /// A write that passes the lines, or a reduction, has left, or is over.
  void add_write() { ++writes_under_way_; }
  void end_write() { --writes_under_way_; }
  u32 writes_under_way() const { return writes_under_way_; }

  /// Lines leave because of a flush; a new number begins behind its last one. True: none of them is on its way.
  void begin_flush() { flushing_ = true; }
  bool end_of_flushed_lines() {
    ++flushes_;
    return !leaving_[(flushes_ - 1) % 2];
  }
  void end_flush() { flushing_ = false; }
  bool flushing() const { return flushing_; }
  /// The bytes of a line with this mark (Request::flush) are in the image. True: the last of a flush whose lines have
  /// all left.
  bool arrived(u8 mark) {
    const u32 parity = mark - 1u;
    return --leaving_[parity] == 0 && parity != flushes_ % 2;
  }

 private:
  struct List {
    u32 oldest = no_number, youngest = no_number, count = 0;
  };
  void append(List&, u32 way);
  void leave(u32 way);
  void arm_timer();
  void drain_aged(u64, u64);
  Cycle now() const { return parts_.wheel.now(); }

  const PrivateCacheConfig& config_;
  Parts parts_;
  List volatile_, persistent_;
  u32 writes_under_way_ = 0;  // persists are not among them
  bool timer_armed_ = false;
  bool flushing_ = false;
  u32 flushes_ = 0;
  std::array<u32, 2> leaving_{};
};

}  // namespace ew::memory
