#include "memory/managed/page_room.hpp"

#include <algorithm>
#include <utility>

namespace ew::memory {

PageRoom::PageRoom(const Parts& parts)
    : parts_(parts),
      page_(parts.config.page.count),
      block_(std::max<u64>(parts.config.evicted.count / page_, 1) * page_),
      residents_(block_) {
  refresh();
}

/// At least two blocks have room: with less no page could stay until its access has gone on.
void PageRoom::refresh() {
  const u64 used = parts_.space.used(Region::device), memory = parts_.space.capacity();
  room_ = std::max((memory - std::min(used, memory)) / page_, 2 * block_ / page_);
}

void PageRoom::bring(Coming page) {
  waiting_.push_back(page);
  send();
}

void PageRoom::came(u64 page_address) {
  --coming_;
  residents_.came(page_address);
  if (!waiting_.empty()) send();
}

void PageRoom::hold(u64 page_address) {
  residents_.left(page_address);
  ++coming_;
}

void PageRoom::send() {
  for (; !waiting_.empty() && residents_.pages() + coming_ + leaving_ < room_; waiting_.pop_front()) {
    ++coming_;
    ++parts_.statistics.pages_to_device;
    const Coming page = waiting_.front();
    parts_.link.send(LinkDirection::to_device, page_, parts_.arrived, parts_.target, page.page_address, page.id);
  }
  while (leaving_ < waiting_.size() && residents_.pages() > 0) evict();
}

/// The driver does not know which pages of the block were written: each crosses the link, but for those that the host
/// has, too.
void PageRoom::evict() {
  const u64 begin = residents_.oldest();
  for (u64 address = begin; address <= begin + block_; address += page_)  // pages need not begin at multiples
    parts_.places.each_page(address, 1, [&](PagePlace& place, u8&, u64 page_address) {
      if (!residents_.same_block(page_address, begin)) return;
      if (place != PagePlace::here && place != PagePlace::on_both) return;
      residents_.left(page_address);
      ++parts_.statistics.pages_evicted;
      ++leaving_;
      if (std::exchange(place, PagePlace::on_host) == PagePlace::on_both) {
        parts_.wheel.at<&PageRoom::has_left>(parts_.wheel.now(), *this);
        return;
      }
      ++parts_.statistics.pages_to_host;
      parts_.link.send<&PageRoom::has_left>(LinkDirection::to_host, page_, *this);
    });
  residents_.forget(begin);  // what is left of it is no managed memory any more
}

void PageRoom::has_left(u64, u64) {
  --leaving_;
  send();
}

}  // namespace ew::memory
