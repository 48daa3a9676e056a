// The end of a kernel at a private cache: everything dirty goes home, or is owned, and copies that do not outlive
// kernels are dropped. One at a time. Owned by the cache.
#pragma once

#include "memory/cache/write_buffer.hpp"

namespace ew::memory {

class Flush {
 public:
  Flush(const AgentPolicy& policy, LineStore& lines, Misses& misses, WriteBuffer& buffer, Agent& agent,
        CacheCounts& counts)
      : policy_(policy), lines_(lines), misses_(misses), buffer_(buffer), agent_(agent), counts_(counts) {}

  bool under_way() const { return buffer_.flush().under_way(); }
  /// What must be over before lines leave. The cache takes no access meanwhile.
  enum Before : u8 { persists = 1, prefetches = 2 };
  bool waits() const { return waits_; }
  core::Account account() const { return account_; }
  u32 token() const { return token_; }

  /// REQUIRES: none is under way.
  void begin(u32 token, core::Account);
  /// Lines leave when these (Before) are over; 0: now. Agent::released(token) comes when the last is in the image, if
  /// the flush has waited for anything.
  void lines_leave_after(u8 before);
  /// REQUIRES: nothing. What the flush does not wait for changes nothing.
  void over(Before);
  /// A line's bytes are in the image: Request::flush of its answer.
  void line_arrived(u8 mark);

 private:
  void lines_leave(bool waited);
  void line_leaves(u32 way);
  bool leaves_later(Mshr&);

  const AgentPolicy& policy_;
  LineStore& lines_;
  Misses& misses_;
  WriteBuffer& buffer_;
  Agent& agent_;
  CacheCounts& counts_;
  u8 waits_ = 0;
  u32 token_ = 0;
  core::Account account_ = core::nobody;
};

}  // namespace ew::memory
