#include "storage/queues.hpp"

#include <algorithm>

namespace ew::storage {

bool Queues::any() const {
  const auto exists = [](const auto& queue) { return queue.exists(); };
  return std::any_of(submissions_.begin() + 1, submissions_.end(), exists) ||
         std::any_of(completions_.begin() + 1, completions_.end(), exists);
}

void Queues::create_submission(u32 id, u64 base, u32 size, u16 completions) {
  submissions_[id] = {.base = base, .size = size, .completions = completions, .used = std::vector<bool>(65'536)};
  ++completions_[completions].users;
}

void Queues::create_completion(u32 id, u64 base, u32 size) {
  completions_[id] = {.base = base, .size = size};
}

void Queues::remove_submission(u32 id) {
  --completions_[submissions_[id].completions].users;
  submissions_[id] = {};
}

void Queues::clear() {
  std::ranges::fill(submissions_, SubmissionQueue{});
  std::ranges::fill(completions_, CompletionQueue{});
  while (!turns_.empty()) turns_.pop_front();
  waits_.assign(waits_.size(), false);
  served_ = 0;
}

bool Queues::move_tail(u32 id, u32 tail) {
  SubmissionQueue& queue = submissions_[id];
  if (tail >= queue.size) return false;
  queue.tail = tail;
  if (queue.has_entries() && !waits_[id]) {
    waits_[id] = true;
    turns_.push_back(id);
  }
  return true;
}

bool Queues::move_head(u32 id, u32 head) {
  CompletionQueue& queue = completions_[id];
  if (head >= queue.size) return false;
  // The head only goes forward, and not beyond the posted entries.
  const u32 posted = (queue.tail + queue.size - queue.head) % queue.size;
  const u32 taken = (head + queue.size - queue.head) % queue.size;
  if (taken > posted) return false;
  queue.head = head;
  return true;
}

void Queues::next_turn() {
  const u32 id = turns_.front();
  turns_.pop_front();
  served_ = 0;
  waits_[id] = submissions_[id].has_entries();
  if (waits_[id]) turns_.push_back(id);
}

std::optional<u32> Queues::next(bool admin_room, bool io_room) {
  // Each queue is skipped at most once: its burst is over, it has no entries, or there is no room for its kind.
  for (u32 looked = turns_.size() + 1; looked > 0 && !turns_.empty(); --looked) {
    const u32 id = turns_.front();
    const bool room = id == 0 ? admin_room : io_room;
    if (!room && !(id == 0 ? io_room : admin_room && waits_[0])) return {};
    const bool over = burst_ != 0 && served_ >= burst_ && turns_.size() > 1;
    if (!room || over || !submissions_[id].has_entries()) {
      next_turn();
      continue;
    }
    ++served_;
    return id;
  }
  return {};
}

}  // namespace ew::storage
