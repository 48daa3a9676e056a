#include "runtime/host_functions.hpp"

namespace ew::runtime {

namespace {

constexpr std::chrono::milliseconds time_to_begin{1};  // for the thread to take a function, until another look

}  // namespace

HostFunctions::HostFunctions(QueueLock& lock, Commands& commands, Demand& demand, HostRest& rest, CommandRunner& runner)
    : lock_(lock), commands_(commands), demand_(demand), rest_(rest), runner_(runner) {}

void HostFunctions::begin() {
  thread_ = std::thread([this] { loop(); });
}

void HostFunctions::call(Ticket ticket) {
  ++under_way_;
  waiting_.push_back(ticket);
  wake_.release();
}

bool HostFunctions::hold_time(HeldLock& held) {
  if (under_way_ == 0 || left_alone_ || demand_.finishing()) return false;
  if (!waiting_.empty()) {
    lock_.wake.wait_for(held, time_to_begin);
    return true;
  }
  const u64 given_up = rest_.given_up();
  if (!rest_.wait_for_host_function(held)) return true;
  left_alone_ = rest_.given_up() != given_up;
  return under_way_ == 0;
}

void HostFunctions::drop_all() {
  under_way_ -= static_cast<u32>(waiting_.size());
  waiting_.clear();
}

void HostFunctions::loop() {
  HeldLock held(lock_.mutex);
  rest_.set_host_function_thread(HostThreads::self());
  while (!demand_.stopping()) {
    if (waiting_.empty()) {
      without(held, [&] { wake_.acquire(); });
      continue;
    }
    const Ticket ticket = waiting_.front();
    waiting_.pop_front();
    Command& command = *commands_.find(ticket);
    const u64 end = command.begin;
    auto task = std::move(command.task);
    without(held, [&] {
      task->run();
      task.reset();
    });
    --under_way_;
    left_alone_ = false;
    demand_.set_host_rests(false);  // the function may have woken a thread
    runner_.end(ticket, end);
    lock_.wake.notify_one();
  }
}

template <class F>
void HostFunctions::without(HeldLock& held, F&& go) {
  held.unlock();
  rest_.host_function_thread_is_out();
  go();
  held.lock();
  rest_.host_function_thread_is_in();
}

}  // namespace ew::runtime
