#include "storage/prp.hpp"

#include <algorithm>

namespace ew::storage {

void PrpWalk::add(u64 address, u64 most) {
  const u64 bytes = std::min(left_, most);
  left_ -= bytes;
  if (!segments_.empty() && segments_.back().address + segments_.back().bytes == address)
    segments_.back().bytes += static_cast<u32>(bytes);
  else
    segments_.push_back({address, static_cast<u32>(bytes)});
}

Status PrpWalk::begin(u64 prp1, u64 prp2, u64 bytes, u32 page) {
  segments_.clear();
  page_ = page;
  left_ = bytes;
  if (prp1 % 4 != 0) return status::invalid_prp_offset;
  add(prp1, page - prp1 % page);
  if (complete()) return status::success;
  if (left_ <= page) {
    if (prp2 % page != 0) return status::invalid_prp_offset;
    add(prp2, page);
    return status::success;
  }
  if (prp2 % 8 != 0) return status::invalid_prp_offset;
  list_ = prp2;
  return status::success;
}

Segment PrpWalk::wanted() const {
  const u64 room = (page_ - list_ % page_) / 8;  // entries to the end of the list's page
  return {list_, static_cast<u32>(8 * std::min(pages_left(), room))};
}

Status PrpWalk::take(std::span<const u64> entries) {
  // The last entry of a page leads to the next page of the list, unless it is the last of all.
  const bool leads = entries.size() < pages_left();
  for (const u64 entry : entries.first(entries.size() - leads)) {
    if (entry % page_ != 0) return status::invalid_prp_offset;
    add(entry, page_);
  }
  if (leads) {
    list_ = entries.back();
    if (list_ % page_ != 0) return status::invalid_prp_offset;
  }
  return status::success;
}

}  // namespace ew::storage
