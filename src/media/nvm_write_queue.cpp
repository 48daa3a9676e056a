#include "media/nvm_write_queue.hpp"

#include <bit>

namespace ew::media {

NvmWriteQueue::NvmWriteQueue(u32 entries, u32 granule, bool combine)
    : granule_(granule),
      high_(entries * 3 / 4),
      combine_(combine),
      entries_(entries),
      buckets_(std::bit_ceil(2 * entries), none) {
  for (u32 i = entries; i-- > 0;) {
    entries_[i].next = free_;
    free_ = i;
  }
}

bool NvmWriteQueue::has(u64 granule, const Bytes& wanted) const {
  const u32 entry = find(granule);
  bool here = entry != none;
  for (u32 w = 0; here && w < wanted.size(); ++w) here = (wanted[w] & ~entries_[entry].have[w]) == 0;
  return here;
}

bool NvmWriteQueue::put(u64 granule, const Bytes& bytes, u64 address, u64 arrived) {
  u32 number = combine_ ? find(granule) : none;
  if (number == none) {
    if (free_ == none) return false;
    number = take_entry(granule);
    entries_[number].address = address;
    entries_[number].arrived = arrived;
  } else {
    unlink(number);
    ++combined_;
  }
  Entry& entry = entries_[number];
  u32 count = 0;
  for (u32 w = 0; w < bytes.size(); ++w) {
    entry.have[w] |= bytes[w];
    count += static_cast<u32>(std::popcount(entry.have[w]));
  }
  entry.whole = count == granule_;
  entry.waits = combine_ && !entry.whole;
  link(number);
  return true;
}

u32 NvmWriteQueue::find(u64 granule) const {
  u32 number = buckets_[granule & (buckets_.size() - 1)];
  while (number != none && entries_[number].granule != granule) number = entries_[number].next;
  return number;
}

u32 NvmWriteQueue::take_entry(u64 granule) {
  const u32 number = free_;
  free_ = entries_[number].next;
  ++used_;
  ++taken_;
  u32& bucket = bucket_of(granule);
  entries_[number] = {.granule = granule, .next = bucket};
  bucket = number;
  return number;
}

void NvmWriteQueue::remove(u32 number) {
  unlink(number);
  u32* link = &bucket_of(entries_[number].granule);
  while (*link != number) link = &entries_[*link].next;
  *link = entries_[number].next;
  entries_[number].next = free_;
  free_ = number;
  --used_;
}

void NvmWriteQueue::link(u32 number) {
  List& list = list_of(entries_[number]);
  entries_[number].older = list.newest;
  entries_[number].newer = none;
  (list.newest == none ? list.oldest : entries_[list.newest].newer) = number;
  list.newest = number;
}

void NvmWriteQueue::unlink(u32 number) {
  List& list = list_of(entries_[number]);
  const Entry& entry = entries_[number];
  (entry.older == none ? list.oldest : entries_[entry.older].newer) = entry.newer;
  (entry.newer == none ? list.newest : entries_[entry.newer].older) = entry.older;
}

}  // namespace ew::media
