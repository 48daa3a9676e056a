#include "storage/pipeline.hpp"

#include <algorithm>
#include <cassert>

namespace ew::storage {

using Phase = Slot::Phase;

namespace {

std::span<u8> bytes_of(auto& value) {
  return {reinterpret_cast<u8*>(&value), sizeof value};
}

/// True if the command has changed nothing durable. Then it may still end with another status, even while the medium
/// works on it.
bool changes_nothing(const Slot& slot) {
  return slot.queue != 0 && (slot.direction == Direction::to_host || slot.phase == Phase::lost);
}

}  // namespace

void Pipeline::fetch() {
  while (state_ == State::open) {
    const std::optional<u32> id = parts_.queues.next(slots_.room(true), slots_.room(false));
    if (!id) return;
    SubmissionQueue& queue = parts_.queues.submission(*id);
    const u32 taken = slots_.take(static_cast<u16>(*id));
    const u64 entry = queue.base + u64{queue.fetch} * sizeof(Command);
    queue.fetch = (queue.fetch + 1) % queue.size;
    ++queue.under_way;
    queue.fetching.push_back(taken);
    transfers_.read(taken, entry, bytes_of(slots_[taken].command));
  }
}

void Pipeline::moved(u32 tag) {
  Slot& slot = slots_[tag];
  transfers_.moved(tag);
  if (state_ == State::stopped) return;
  switch (slot.phase) {
    case Phase::fetching:
      return fetched(tag);
    case Phase::listing:
      if (const Status taken = slot.walk.take(slot.list); !taken.ok()) return finish(tag, taken);
      return place(tag);
    case Phase::gathering:
      if (slot.moving == 0) act(tag);
      return;
    case Phase::completing:
      if (slot.moving == 0) slots_.release(tag);
      return;
    default:
      return;  // data are on their way, and the completion is held back
  }
}

void Pipeline::fetched(u32 number) {
  // Entries may arrive in another order than they were fetched. Commands begin in the queue's order.
  slots_[number].phase = Phase::waiting;
  const u32 id = slots_[number].queue;
  SubmissionQueue& queue = parts_.queues.submission(id);
  while (!failed() && !queue.fetching.empty() && slots_[queue.fetching.front()].moving == 0) {
    const u32 first = queue.fetching.front();
    queue.fetching.pop_front();
    queue.head = (queue.head + 1) % queue.size;
    begin(first);
  }
}

std::optional<Status> Pipeline::stopped_by(const Slot& slot) {
  if (ending_) return ending_;
  if (parts_.queues.submission(slot.queue).deleted_by) return status::queue_deleted;
  if (slot.aborter) return status::abort_requested;
  return {};
}

void Pipeline::begin(u32 number) {
  Slot& slot = slots_[number];
  if (const auto stopped = stopped_by(slot)) return finish(number, *stopped);
  SubmissionQueue& queue = parts_.queues.submission(slot.queue);
  if (queue.used[slot.command.id]) return finish(number, status::id_conflict);
  queue.used[slot.command.id] = slot.identified = true;
  if (slot.command.flags & 0xc3) return finish(number, status::invalid_field);  // fused, or with an SGL
  const Plan plan = (slot.queue == 0 ? parts_.admin : parts_.io).plan(slot);
  if (plan.fatal) {
    state_ = State::failed;
    return;
  }
  if (!plan.status.ok()) return finish(number, plan.status);
  slot.direction = plan.direction;
  if (plan.direction == Direction::none) return act(number);
  slot.data.resize(plan.bytes);
  const Status begun = slot.walk.begin(slot.command.prp1, slot.command.prp2, plan.bytes, transfers_.page());
  if (!begun.ok()) return finish(number, begun);
  place(number);
}

void Pipeline::place(u32 number) {
  Slot& slot = slots_[number];
  if (const auto stopped = stopped_by(slot)) return finish(number, *stopped);
  if (!slot.walk.complete()) {
    const Segment list = slot.walk.wanted();
    if (!transfers_.reaches(list)) return finish(number, status::transfer_error);
    slot.phase = Phase::listing;
    slot.list.resize(list.bytes / 8);
    return transfers_.read(number, list.address, {reinterpret_cast<u8*>(slot.list.data()), list.bytes});
  }
  if (!transfers_.reaches_all(slot)) return finish(number, status::transfer_error);
  if (slot.direction == Direction::to_host) return act(number);
  slot.phase = Phase::gathering;
  transfers_.gather(number);
}

void Pipeline::act(u32 number) {
  Slot& slot = slots_[number];
  if (const auto stopped = stopped_by(slot)) return finish(number, *stopped);
  slot.phase = Phase::acting;
  ++acting_;
  const std::optional<Status> ended = (slot.queue == 0 ? parts_.admin : parts_.io).act(number);
  if (ended) return performed(number, *ended);
  if (slot.queue != 0) return;  // performed() follows
  --acting_;
  if (slot.phase == Phase::acting) slot.phase = Phase::waiting;
}

void Pipeline::performed(u32 number, Status ended) {
  --acting_;
  if (state_ == State::stopped) return;
  Slot& slot = slots_[number];
  if (slot.loses) slot.phase = Phase::lost;
  if (changes_nothing(slot))
    if (const auto stopped = stopped_by(slot)) return finish(number, *stopped);
  if (slot.loses) return;
  if (ended.ok() && slot.direction == Direction::to_host) transfers_.scatter(number);
  finish(number, ended);
}

void Pipeline::finish(u32 number, Status ended) {
  Slot& slot = slots_[number];
  slot.status = ended;
  if (!ended.ok()) ++errors_;
  const std::optional<u32> aborter = slot.aborter;
  post(number);
  if (!aborter) return;
  --aborts_;
  slots_[*aborter].completion.result = ended == status::abort_requested ? 0 : 1;
  finish(*aborter, status::success);
}

void Pipeline::post(u32 number) {
  Slot& slot = slots_[number];
  const SubmissionQueue& queue = parts_.queues.submission(slot.queue);
  CompletionQueue& completions = parts_.queues.completion(queue.completions);
  if (!completions.full() && completions.held_back.empty()) return send(number);
  // The host deletes the submission queue, and may take no completions away. This completion is dropped.
  if (queue.deleted_by) return over(number);
  slot.phase = Phase::held_back;
  completions.held_back.push_back(number);
}

void Pipeline::send(u32 number) {
  Slot& slot = slots_[number];
  const SubmissionQueue& queue = parts_.queues.submission(slot.queue);
  CompletionQueue& completions = parts_.queues.completion(queue.completions);
  slot.completion.queue_head = static_cast<u16>(queue.head);
  slot.completion.queue = slot.queue;
  slot.completion.id = slot.command.id;
  slot.completion.status = static_cast<u16>(slot.status.word() | u32{completions.phase});
  const u64 entry = completions.base + u64{completions.tail} * sizeof(Completion);
  if (++completions.tail == completions.size) {
    completions.tail = 0;
    completions.phase = !completions.phase;
  }
  transfers_.write(number, entry, bytes_of(slot.completion));
  over(number);
}

/// The command has ended. Its slot is free when all its bytes have left.
void Pipeline::over(u32 number) {
  Slot& slot = slots_[number];
  const u32 id = slot.queue;
  SubmissionQueue& queue = parts_.queues.submission(id);
  if (slot.identified) queue.used[slot.command.id] = false;
  --queue.under_way;
  slot.phase = Phase::completing;
  if (slot.moving == 0) slots_.release(number);
  if (queue.deleted_by && queue.under_way == 0) end_deletion(id);
}

void Pipeline::end_deletion(u32 id) {
  const u32 by = *parts_.queues.submission(id).deleted_by;
  parts_.queues.remove_submission(id);
  finish(by, status::success);
}

void Pipeline::release_held_back(u32 id) {
  CompletionQueue& completions = parts_.queues.completion(id);
  while (!completions.held_back.empty() && !completions.full()) {
    const u32 number = completions.held_back.front();
    completions.held_back.pop_front();
    send(number);
  }
}

bool Pipeline::abort(u32 number, u32 by) {
  Slot& slot = slots_[number];
  const bool early = slot.phase == Phase::listing || slot.phase == Phase::gathering;
  const bool reads = slot.phase == Phase::acting && changes_nothing(slot);
  if (slot.aborter || !(early || reads || slot.phase == Phase::lost)) return false;
  slot.aborter = by;
  ++aborts_;
  if (slot.phase == Phase::lost) finish(number, status::abort_requested);
  return true;
}

void Pipeline::delete_submission(u32 id, u32 by) {
  SubmissionQueue& queue = parts_.queues.submission(id);
  queue.deleted_by = by;
  if (queue.under_way == 0) return end_deletion(id);
  // Completions that have no room are dropped: the host may never make room.
  CompletionQueue& completions = parts_.queues.completion(queue.completions);
  for (u32 left = completions.held_back.size(); left > 0; --left) {
    const u32 number = completions.held_back.front();
    completions.held_back.pop_front();
    if (slots_[number].queue == id)
      over(number);
    else
      completions.held_back.push_back(number);
  }
  end_lost(status::queue_deleted, id);
}

void Pipeline::end_lost(Status with, std::optional<u32> only) {
  for (u32 number = admin_commands; number < slots_.size(); ++number)
    if (slots_[number].phase == Phase::lost && (!only || slots_[number].queue == *only)) finish(number, with);
}

void Pipeline::close(bool abruptly) {
  if (state_ == State::open) state_ = State::closed;
  if (abruptly) ending_ = status::power_loss;
  end_lost(status::power_loss, {});
}

void Pipeline::stop() {
  state_ = State::stopped;
}

void Pipeline::open(u32 page) {
  assert(quiet());
  for (u32 number = 0; number < slots_.size(); ++number)
    if (slots_[number].phase != Phase::free) slots_.release(number);
  transfers_.set_page(page);
  state_ = State::open;
  aborts_ = 0;
  ending_.reset();
}

}  // namespace ew::storage
