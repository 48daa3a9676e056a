#include "memory/home/queue.hpp"

#include <cassert>

namespace ew::memory {

HomeQueue::HomeQueue(u32 mshrs, HomeLines& lines) : lines_(lines), mshrs_(mshrs) {
  for (u32 i = mshrs; i-- > 0;) {
    mshrs_[i].next_free = free_;
    free_ = i;
  }
}

u32 HomeQueue::take(u32 way) {
  const u32 number = free_;
  assert(number != no_number);
  free_ = mshrs_[number].next_free;
  HomeMshr& mshr = mshrs_[number];
  mshr.way = way;
  mshr.waiting = {};
  mshr.answers = 0;
  mshr.held = mshr.recall = false;
  mshr.active = true;
  lines_.begin_request(way, number);
  ++active_;
  return number;
}

void HomeQueue::free(u32 number) {
  HomeMshr& mshr = mshrs_[number];
  lines_.end_request(mshr.way);
  mshr.active = false;
  mshr.next_free = free_;
  free_ = number;
  --active_;
}

void HomeQueue::wait(HomeMshr& mshr, const Request& request, bool fetched) {
  append(mshr.waiting, take_waiting(request, fetched));
}

void HomeQueue::block(const Request& request) {
  append(blocked_, take_waiting(request, false));
}

void HomeQueue::block_again(RequestList again) {
  if (again.empty()) return;
  if (blocked_.empty()) {
    blocked_ = again;
    return;
  }
  waiting_[again.last].next = waiting_[blocked_.first].next;
  waiting_[blocked_.first].next = again.first;
  if (blocked_.last == blocked_.first) blocked_.last = again.last;
}

u32 HomeQueue::count(const RequestList& list) const {
  u32 count = 0;
  for (u32 node = list.first; node != no_number; node = waiting_[node].next) ++count;
  return count;
}

u32 HomeQueue::take_waiting(const Request& request, bool fetched) {
  u32 node = free_waiting_;
  if (node == no_number) {
    node = static_cast<u32>(waiting_.size());
    waiting_.emplace_back();
  } else {
    free_waiting_ = waiting_[node].next;
  }
  waiting_[node] = {.request = request, .fetched = fetched};
  return node;
}

void HomeQueue::append(RequestList& list, u32 node) {
  (list.empty() ? list.first : waiting_[list.last].next) = node;
  list.last = node;
}

void HomeQueue::pop(RequestList& list) {
  const u32 node = list.first;
  list.first = waiting_[node].next;
  if (list.empty()) list.last = no_number;
  waiting_[node].next = free_waiting_;
  free_waiting_ = node;
}

}  // namespace ew::memory
