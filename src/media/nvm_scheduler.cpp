#include "media/nvm_scheduler.hpp"

namespace ew::media {

bool NvmScheduler::read_is_next(bool write_waits) {
  bool read = false;
  if (reads_.empty()) {
    read = false;
  } else if (entries_ == 0) {
    read = !write_waits || wrote_last_ || !writes_.may_leave();
  } else {
    const u32 writes = std::min(writes_.used(), entries_);
    writes_first_ = writes >= write_high_ || (writes_first_ && writes > write_low_);
    read = !writes_first_ && in_reach(reads_[0]);
  }
  wrote_last_ = !read;
  return read;
}

u32 NvmScheduler::next_write() {
  const u32 oldest = writes_.oldest();
  if (!bus_.has_rows()) return oldest;
  u32 best = oldest;
  NvmBus::Femtoseconds earliest = ~NvmBus::Femtoseconds{0};
  u32 left = looked_at;
  for (u32 i = oldest; i != NvmWriteQueue::none && left-- > 0; i = writes_[i].newer) {
    const auto start = bus_.start(granules_.address_of(writes_[i].granule), true, writes_[i].arrived);
    if (start < earliest) best = i, earliest = start;
  }
  if (best == oldest || ++write_overtaken_ > most_overtaken) best = oldest, write_overtaken_ = 0;
  return best;
}

u32 NvmScheduler::next_read() {
  if (!bus_.has_rows()) return 0;
  u32 best = 0;
  NvmBus::Femtoseconds earliest = ~NvmBus::Femtoseconds{0};
  for (u32 i = 0; i < std::min(reads_.size(), looked_at); ++i) {
    if (entries_ && !in_reach(reads_[i])) break;
    const auto start = bus_.start(granules_.address_of(reads_[i].granule), false, reads_[i].arrived);
    if (start < earliest) best = i, earliest = start;
  }
  if (best == 0 || ++read_overtaken_ > most_overtaken) best = 0, read_overtaken_ = 0;
  return best;
}

}  // namespace ew::media
