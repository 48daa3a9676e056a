#include "memory/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/checked.hpp"

namespace ew::memory {
namespace {

constexpr u64 host_page = 4096, least_alignment = 256;
constexpr u64 most_quarantined = u64{64} << 20;
constexpr std::size_t most_quarantined_blocks = 1024;

constexpr u64 align_up(u64 value, u64 alignment) {
  return (value + alignment - 1) / alignment * alignment;
}
void* pointer(u64 address) {
  return reinterpret_cast<void*>(address);
}

}  // namespace

Arena::~Arena() {
  close();
}

bool Arena::reserve(u64 base, u64 size) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (base ? MAP_FIXED_NOREPLACE : 0);
  void* where = mmap(pointer(base), size, PROT_NONE, flags, -1, 0);
  if (where == MAP_FAILED) return false;
  if (base && where != pointer(base)) {  // a host that ignores MAP_FIXED_NOREPLACE
    munmap(where, size);
    return false;
  }
  begin_ = high_water_ = reinterpret_cast<u64>(where);
  size_ = size;
  set_gap_behind(blocks_.end());
  return true;
}

void Arena::close() {
  if (size_) munmap(pointer(begin_), size_);
  size_ = 0;
}

u64 Arena::first_fit(u64 size, u64 alignment) const {
  const u64 wanted = size + guard_bytes;
  for (auto gap = gaps_.first(wanted); gap.bytes; gap = gaps_.first(wanted, gap.begin + 1)) {
    const u64 candidate = align_up(gap.begin, alignment);
    if (candidate - gap.begin <= gap.bytes - wanted) return candidate;
  }
  return 0;
}

/// REQUIRES: a block, or blocks_.end() for the arena's begin.
void Arena::set_gap_behind(Blocks::const_iterator block) {
  const bool at_begin = block == blocks_.end();
  const u64 begin = align_up(at_begin ? begin_ : block->first + block->second + guard_bytes, least_alignment);
  const auto next = at_begin ? blocks_.begin() : std::next(block);
  const u64 end = next == blocks_.end() ? begin_ + size_ : next->first;
  gaps_.set(begin, end > begin ? end - begin : 0);
}

void Arena::add(u64 begin, u64 size) {
  const auto block = blocks_.emplace(begin, size).first;
  set_gap_behind(block == blocks_.begin() ? blocks_.end() : std::prev(block));
  set_gap_behind(block);
}

void Arena::remove(Blocks::iterator block) {
  gaps_.set(align_up(block->first + block->second + guard_bytes, least_alignment), 0);
  const auto next = blocks_.erase(block);
  set_gap_behind(next == blocks_.begin() ? blocks_.end() : std::prev(next));
}

void Arena::open(u64 begin, u64 size, bool zero) {
  const u64 first = begin / opened_at_once_ * opened_at_once_;
  const u64 last = std::min(align_up(begin + size, opened_at_once_), begin_ + size_);
  if (last > high_water_) {
    const u64 from = std::max(first, high_water_);
    mprotect(pointer(from), last - from, PROT_READ | PROT_WRITE);
  }
  if (zero && begin < high_water_) {
    const u64 end = std::min(begin + size, high_water_);
    const u64 whole_begin = align_up(begin, host_page), whole_end = end / host_page * host_page;
    if (whole_begin < whole_end) {
      madvise(pointer(whole_begin), whole_end - whole_begin, MADV_DONTNEED);
      std::memset(pointer(begin), 0, whole_begin - begin);
      std::memset(pointer(whole_end), 0, end - whole_end);
    } else {
      std::memset(pointer(begin), 0, end - begin);
    }
  }
  high_water_ = std::max(high_water_, last);
}

u64 Arena::allocate(u64 size, u64 alignment, bool zero) {
  if (size > size_) return 0;
  u64 begin = first_fit(size, alignment);
  if (!begin) {
    shrink_quarantine(0);
    begin = first_fit(size, alignment);
  }
  if (!begin) return 0;
  add(begin, size);
  open(begin, size, zero);
  return begin;
}

void Arena::release(u64 begin) {
  const auto block = blocks_.find(begin);
  if (block == blocks_.end()) return;
  quarantine_.emplace_back(begin, block->second);
  quarantined_bytes_ += block->second;
  shrink_quarantine(most_quarantined);
}

void Arena::shrink_quarantine(u64 bytes) {
  while (!quarantine_.empty() && (quarantined_bytes_ > bytes || quarantine_.size() > most_quarantined_blocks)) {
    quarantined_bytes_ -= quarantine_.front().second;
    remove(blocks_.find(quarantine_.front().first));
    quarantine_.pop_front();
  }
}

u64 Arena::take(u64 begin, u64 size) {
  if (!begin && size <= size_) begin = first_fit(size, host_page);
  if (!begin || !core::lies_within(begin, size, begin_, size_)) return 0;
  const auto next = blocks_.lower_bound(begin);
  if (next != blocks_.end() && next->first < begin + size) return 0;
  if (next != blocks_.begin() && std::prev(next)->first + std::prev(next)->second > begin) return 0;
  add(begin, size);
  return begin;
}

void Arena::give_back(u64 begin) {
  if (const auto block = blocks_.find(begin); block != blocks_.end()) remove(block);
}

}  // namespace ew::memory
