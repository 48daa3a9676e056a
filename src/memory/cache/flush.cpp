#include "memory/cache/flush.hpp"

#include <cassert>
#include <utility>

namespace ew::memory {

void Flush::begin(u32 token, core::Account account) {
  assert(!under_way());
  buffer_.begin_flush();
  token_ = token;
  account_ = account;
}

/// A line that others' accesses wait for stays theirs: it gives up what is dirty, no more.
void Flush::lines_leave() {
  const bool waited = std::exchange(waits_, false);
  for (u32 way = 0; way < lines_.size(); ++way) {
    if (lines_.line_of(way) == no_line) continue;
    if (lines_[way].dirty.any()) buffer_.drain(way, no_access, 0);
    if (lines_[way].mshr == no_number) lines_.remove(way);
  }
  if (!buffer_.end_of_flushed_lines()) return;
  buffer_.end_flush();
  if (waited) agent_.released(token_);
}

void Flush::line_arrived(u8 mark) {
  if (!buffer_.arrived(mark) || !under_way() || waits_) return;
  buffer_.end_flush();
  agent_.released(token_);
}

}  // namespace ew::memory
