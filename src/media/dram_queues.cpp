#include "media/dram_queues.hpp"

namespace ew::media {

DramQueues::DramQueues(const DramConfig& config)
    : burst_(static_cast<u32>(config.burst.count)),
      age_cap_(config.age_cap),
      capacity_{config.read_queue, config.write_queue},
      banks_(config.banks) {
  requests_.reserve(config.read_queue + config.write_queue);
  free_.reserve(config.read_queue + config.write_queue);
}

u32 DramQueues::append(const memory::DeviceRequest& request, DramPlace where, core::Cycle now, DramTick tick,
                       u64 open_row) {
  const DramDirection to = request.write ? dram_write : dram_read;
  u32 index = static_cast<u32>(requests_.size());
  if (free_.empty()) {
    requests_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Queue& queue = banks_[where.bank][to];
  requests_[index] = {.address = request.address,
                      .row = where.row,
                      .token = request.token,
                      .client = request.client,
                      .arrived_cycle = now,
                      .arrived = tick,
                      .sequence = sequence_++,
                      .bank = where.bank,
                      .bursts = (request.bytes + burst_ - 1) / burst_,
                      .previous = queue.last,
                      .next = none,
                      .older = youngest_[to],
                      .younger = none,
                      .bytes = request.bytes,
                      .account = request.account,
                      .opened_row = false,
                      .closed_row = false};
  (queue.last == none ? queue.first : requests_[queue.last].next) = index;
  queue.last = index;
  (youngest_[to] == none ? oldest_[to] : requests_[youngest_[to]].younger) = index;
  youngest_[to] = index;
  if (queue.hit == none && open_row == where.row) queue.hit = index;
  banks_with_[to] |= u64{1} << where.bank;
  ++waiting_[to];
  return index;
}

void DramQueues::remove(u32 index, DramDirection from, u64 open_row) {
  const DramRequest& request = requests_[index];
  Queue& queue = banks_[request.bank][from];
  if (queue.hit == index) queue.hit = first_hit(request.next, open_row);
  (request.previous == none ? queue.first : requests_[request.previous].next) = request.next;
  (request.next == none ? queue.last : requests_[request.next].previous) = request.previous;
  (request.older == none ? oldest_[from] : requests_[request.older].younger) = request.younger;
  (request.younger == none ? youngest_[from] : requests_[request.younger].older) = request.older;
  if (queue.first == none) banks_with_[from] &= ~(u64{1} << request.bank);
  --waiting_[from];
  free_.push_back(index);
}

void DramQueues::row_changed(u32 bank, u64 open_row) {
  for (Queue& queue : banks_[bank]) queue.hit = open_row == no_row ? none : first_hit(queue.first, open_row);
}

u32 DramQueues::first_hit(u32 from, u64 open_row) const {
  while (from != none && requests_[from].row != open_row) from = requests_[from].next;
  return from;
}

bool DramQueues::write_covers(const memory::DeviceRequest& request, const DramPlace& where) const {
  for (u32 i = banks_[where.bank][dram_write].first; i != none; i = requests_[i].next) {
    const DramRequest& write = requests_[i];
    if (write.address <= request.address && request.address + request.bytes <= write.address + write.bytes) return true;
  }
  return false;
}

}  // namespace ew::media
