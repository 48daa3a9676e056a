#include "memory/cache/flush.hpp"

#include <cassert>

namespace ew::memory {

void Flush::begin(u32 token, core::Account account) {
  assert(!under_way());
  buffer_.flush().begin();
  token_ = token;
  account_ = account;
}

void Flush::lines_leave_after(u8 before) {
  waits_ = before;
  if (!waits_) lines_leave(false);
}

void Flush::over(Before what) {
  if (!(waits_ & what)) return;
  waits_ = static_cast<u8>(waits_ & ~what);
  if (!waits_) lines_leave(true);
}

void Flush::lines_leave(bool waited) {
  lines_.each([this](u32 way) {
    if (!policy_.outlives_kernels || lines_[way].place.shared)
      line_leaves(way);
    else if (lines_[way].listed)
      buffer_.retire(way);
  });
  if (policy_.outlives_kernels && policy_.drops_at_acquire) lines_.give_up_copies(true, true);
  if (!buffer_.flush().end_of_lines()) return;
  buffer_.flush().end();
  if (waited) agent_.released(token_);
}

/// A line that others' accesses wait for stays theirs: it gives up what is dirty, no more. One that waits for the
/// ownership of what was written goes as soon as that has come.
void Flush::line_leaves(u32 way) {
  counts_->lines_recalled += policy_.outlives_kernels;
  if (lines_[way].mshr == no_number) {
    buffer_.write_back(way);
    lines_.remove(way);
  } else if (!leaves_later(misses_[lines_[way].mshr]) && lines_[way].dirty.any()) {
    buffer_.clean(way);
  }
}

/// No access waits for the line, only the write buffer's own request.
bool Flush::leaves_later(Mshr& mshr) {
  for (u32 at = mshr.first; at != no_number; at = misses_.part(at).next)
    if (!misses_.part(at).registers) return false;
  if (mshr.first == no_number) return false;
  if (!mshr.leave) mshr.leave = buffer_.flush().take();
  return true;
}

void Flush::line_arrived(u8 mark) {
  if (!buffer_.flush().arrived(mark) || !under_way() || waits_) return;
  buffer_.flush().end();
  agent_.released(token_);
}

}  // namespace ew::memory
