#include "runtime/host_rest.hpp"

#include <algorithm>
#include <vector>

#include "runtime/end_signals.hpp"

namespace ew::runtime {

namespace {

using namespace std::chrono_literals;

constexpr auto most_looks_apart = 1ms;  // at threads that are not at rest
// For a thread that is never at rest: another one that needs the machine; a host function.
constexpr auto patience = 2s, patience_with_host_functions = 30s;

}  // namespace

bool HostRest::wait_for_threads(HeldLock& held) {
  return wait(held, 0, patience);
}

bool HostRest::is_only_thread() const {
  return HostThreads::count() <=
         1u + (machine_thread_ != 0) + (host_function_thread_ != 0) + (end_signals_thread() != 0);
}

bool HostRest::wait_for_host_function(HeldLock& held) {
  return wait(held, host_function_thread_, patience_with_host_functions);
}

/// Threads that are not looked at do not leave, and do not touch the lock.
bool HostRest::settled() const {
  return demand_.leaving() == 0 && demand_.settled() && (host_function_thread_ == 0 || it_is_out_);
}

HostRest::Idle HostRest::idles(HeldLock& held) {
  const Ticket last = commands_.last();
  const u64 entries = its_entries_;
  if (!settled()) return Idle::no;
  const auto waiting = demand_.threads();
  const std::vector<HostThreads::Id> known_to_wait(waiting.begin(), waiting.end());
  const HostThreads::Known known{
      .waiting = known_to_wait, .busy = 0, .own = {machine_thread_, host_function_thread_}, .left_out = {}};
  held.unlock();
  const bool rests = idle_threads_.at_rest(known);
  const auto waited_for = idle_threads_.waited_for();
  held.lock();
  if (!settled() || last != commands_.last() || entries != its_entries_) return Idle::no;
  switch (waited_for) {
    case HostThreads::Others::threads:
      return rests ? Idle::for_ever : Idle::no;
    case HostThreads::Others::outside:
    case HostThreads::Others::time:
      return Idle::perhaps;
    case HostThreads::Others::nothing:
      return Idle::no;
  }
  return Idle::no;
}

bool HostRest::wait(HeldLock& held, HostThreads::Id busy, std::chrono::seconds at_most) {
  const Ticket last = commands_.last();
  const u64 entries = its_entries_;
  bool rests = false;
  if (settled()) {
    const HostThreads::Known known{.waiting = demand_.threads(),
                                   .busy = busy,
                                   .own = {machine_thread_, host_function_thread_},
                                   .left_out = left_out_};
    held.unlock();  // a thread that waits for this lock is not at rest
    rests = threads_.at_rest(known);
    held.lock();
  }
  const auto now = Clock::now();
  if (rests && settled() && last == commands_.last() && entries == its_entries_) {
    waits_since_ = {};
    look_again_ = {};
    return true;
  }
  if (waits_since_ == Clock::time_point{}) waits_since_ = now;
  if (now - waits_since_ > at_most && demand_.leaving() == 0) {
    left_out_.insert(threads_.busy().begin(), threads_.busy().end());
    ++given_up_;
    waits_since_ = {};
    return true;
  }
  look_again_ = std::min<std::chrono::microseconds>(2 * look_again_ + 20us, most_looks_apart);
  lock_.wake.wait_for(held, look_again_);
  return false;
}

}  // namespace ew::runtime
