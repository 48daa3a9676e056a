#include "runtime/demand.hpp"

#include <algorithm>

namespace ew::runtime {

namespace {

/// The thread leaves once the lock is free: until then its need is there.
void let_go(Need& need, Waited outcome) {
  need.outcome = outcome;
  need.go.release();
}

}  // namespace

bool Demand::met(const Need& need) const {
  switch (need.what) {
    case Need::For::ticket:
      return !commands_.has(need.ticket);
    case Need::For::all_up_to:
      return commands_.ended_up_to(need.ticket);
    case Need::For::room:
      return commands_.size() <= deep / 2;
    case Need::For::quantum:
      return commands_.empty();
    case Need::For::access:
      return need.access->over;
    case Need::For::nothing:
      return true;
  }
  return true;
}

Waited Demand::wait(HeldLock& held, Need need) {
  if (stopping_) return Waited::ending;
  if (lost_) return Waited::lost;
  if (met(need)) return Waited::done;
  need.thread = HostThreads::self();
  needs_.push_back(&need);
  lock_.wake.notify_one();
  held.unlock();
  need.settled = true;
  need.go.acquire();
  held.lock();
  --leaving_;
  return need.outcome;
}

void Demand::meet() {
  const auto left = std::ranges::partition(needs_, [&](const Need* need) { return !met(*need); });
  if (left.empty()) return;
  leaving_ += static_cast<u32>(left.size());
  host_rests_ = false;
  for (Need* need : left) let_go(*need, Waited::done);
  needs_.erase(left.begin(), left.end());
}

void Demand::end_all(Waited outcome) {
  if (needs_.empty()) return;
  leaving_ += static_cast<u32>(needs_.size());
  host_rests_ = false;
  for (Need* need : needs_) let_go(*need, outcome);
  needs_.clear();
}

std::span<const HostThreads::Id> Demand::threads() {
  threads_.clear();
  for (const Need* need : needs_) threads_.push_back(need->thread);
  return threads_;
}

bool Demand::settled() const {
  return std::ranges::all_of(needs_, [](const Need* need) { return need->settled.load(); });
}

bool Demand::any_access() const {
  return std::ranges::any_of(needs_, [](const Need* need) { return need->what == Need::For::access; });
}

std::span<HostRequest* const> Demand::accesses() {
  accesses_.clear();
  for (const Need* need : needs_)
    if (need->what == Need::For::access) accesses_.push_back(need->access);
  std::ranges::sort(accesses_, {}, &HostRequest::thread);
  return accesses_;
}

bool Demand::begin_quantum() {
  // Who waits for an access goes on in any case.
  const bool waits =
      !any_access() && std::ranges::any_of(needs_, [](const Need* need) { return need->what != Need::For::quantum; });
  for (Need* need : needs_)
    if (need->what == Need::For::quantum) need->what = Need::For::nothing;
  return waits;
}

void Demand::run_dry() {
  for (Need* need : needs_)
    if (need->what == Need::For::quantum) need->what = Need::For::nothing;
  meet();
}

void Demand::finish(HeldLock& held, u64 instructions, u64 nanoseconds) {
  finishing_ = true;
  idle_ = IdleHost::no;
  enough_instructions_ = instructions;
  enough_nanoseconds_ = nanoseconds;
  lock_.wake.notify_one();
  lock_.progress.wait(held, [&] { return !finishing_ || lost_; });
  finishing_ = false;
}

void Demand::end_finishing() {
  finishing_ = false;
  lock_.progress.notify_all();
}

}  // namespace ew::runtime
