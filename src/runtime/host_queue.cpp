#include "runtime/host_queue.hpp"

#include <utility>

namespace ew::runtime {

namespace {

// Looks without a completion after which the commands under way are given up.
constexpr u64 most_vain_looks = 1'000'000;

}  // namespace

u64 HostQueue::add(std::span<const storage::Command> commands) {
  const std::lock_guard guard(mutex_);
  calls_.emplace(next_call_, Call{{commands.begin(), commands.end()}, 0, 0, {}});
  return next_call_++;
}

HostQueue::Failures HostQueue::take_failures() {
  const std::lock_guard guard(mutex_);
  return std::exchange(failures_, {});
}

void HostQueue::perform(u64 number) {
  const std::lock_guard guard(mutex_);
  wheel_ = nullptr;
  waiting_.push_back(number);
  for (submit(); calls_.contains(number); submit()) {
    const std::size_t before = ring_.under_way();
    collect();
    if (ring_.under_way() == before) give_up();  // the drive has done all that it does
  }
}

void HostQueue::begin(u64 number, core::TimeWheel& wheel, Over over) {
  const std::lock_guard guard(mutex_);
  wheel_ = &wheel;
  calls_.at(number).over = over;
  waiting_.push_back(number);
  submit();
}

void HostQueue::submit() {
  const u32 before = ring_.tail();
  while (!waiting_.empty()) {
    const auto found = calls_.find(waiting_.front());
    if (found == calls_.end() || found->second.placed == found->second.commands.size())
      waiting_.pop_front();
    else if (ring_.place(found->second.commands[found->second.placed], found->first))
      ++found->second.placed;
    else
      break;
  }
  if (ring_.tail() != before) ring_later(doorbells_.tail, ring_.tail());
  if (!wheel_ || looking_ || ring_.under_way() == 0) return;
  looking_ = true;
  wheel_->at<&HostQueue::look>(wheel_->now() + times_.look, *this);
}

/// Takes the completions that are there.
void HostQueue::collect() {
  const u32 before = ring_.completion_head();
  while (const auto ended = ring_.take()) {
    vain_looks_ = 0;
    end(ended->owner, ended->status);
  }
  if (ring_.completion_head() != before) ring_later(doorbells_.head, ring_.completion_head());
}

/// A command of the call has ended.
void HostQueue::end(u64 number, u32 status) {
  if (status != 0 && failures_.count++ == 0) failures_.first = status;
  const auto found = calls_.find(number);
  if (++found->second.ended < found->second.commands.size()) return;
  const Over over = found->second.over;
  calls_.erase(found);
  if (over.call) over.call(over.target, over.id);
}

/// Ends what is under way. Its identifiers are not given again: the drive may still use entries and buffers.
void HostQueue::give_up() {
  vain_looks_ = 0;
  for (const u64 call : ring_.drop_all()) end(call, lost);
}

void HostQueue::ring(u64 doorbell, u64 value) {
  const memory::RegisterWindows::Window* const window = space_.registers().find(doorbell);
  if (window && window->registers) window->registers->store(doorbell - window->begin, 4, value);
}

void HostQueue::ring_later(u64 doorbell, u64 value) {
  if (!wheel_) return ring(doorbell, value);
  wheel_->at<&HostQueue::ring>(wheel_->now() + times_.doorbell, *this, doorbell, value);
}

void HostQueue::look(u64, u64) {
  const std::lock_guard guard(mutex_);
  looking_ = false;
  if (++vain_looks_ == most_vain_looks) give_up();
  collect();
  submit();
}

}  // namespace ew::runtime
