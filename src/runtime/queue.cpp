#include "runtime/queue.hpp"

#include <algorithm>

#include "runtime/program_time.hpp"

namespace ew::runtime {

Queue::Queue(std::unique_ptr<Simulator> simulator, const memory::AddressSpace& memory, CommandRunner::OnFault on_fault,
             Progress::Show show, simt::EventRecorder* recorder)
    : demand_(lock_, commands_),
      rest_(lock_, commands_, demand_),
      silent_host_(memory, lock_),
      turns_(std::move(simulator), lock_),
      runner_(commands_, demand_, turns_, std::move(on_fault), show, recorder),
      host_functions_(lock_, commands_, demand_, rest_, runner_),
      machine_thread_(lock_, commands_, demand_, rest_, silent_host_, turns_, runner_, host_functions_),
      recorder_(recorder) {}

Queue::~Queue() {
  stop();
}

void Queue::finish() {
  // Enough for what a program forgets to wait for; not for a kernel that waits for the program.
  constexpr u64 most_instructions = u64{1} << 20;
  HeldLock held(lock_.mutex);
  const u64 most_nanoseconds = turns_.timed() ? 2'000'000 : 200'000;
  if (demand_.stopping() || demand_.lost() || commands_.empty() || demand_.waiting() > 0 ||
      host_functions_.under_way() > 0)
    return;
  demand_.finish(held, turns_.simulator().gpu().totals().warp_instructions + most_instructions,
                 turns_.now() + most_nanoseconds);
}

void Queue::stop() {
  {
    const HeldLock held(lock_.mutex);
    demand_.stop();
    turns_.interrupt_quantum();
    demand_.end_all(Waited::ending);
    lock_.wake.notify_all();
    host_functions_.wake();
  }
  machine_thread_.join();
  host_functions_.join();
  const HeldLock held(lock_.mutex);
  runner_.clear_progress();
  abandoned_ += commands_.count_of_program();
  machine_thread_.drop_all(Waited::ending);
}

void Queue::halt_for_good() {
  HeldLock held(lock_.mutex);
  turns_.halt(held);
  if (demand_.stopping()) return;
  demand_.stop();
  demand_.end_finishing();
  runner_.clear_progress();
  lock_.wake.notify_all();
  host_functions_.wake();
}

Ticket Queue::submit(Command made, std::span<const Ticket> after) {
  HeldLock held(lock_.mutex);
  if (demand_.lost() || demand_.stopping()) return 0;
  begin_threads();
  const HostThreads::Id self = HostThreads::self();
  rest_.take_account_of(self);
  const bool first = commands_.empty();
  const u64 earliest = std::max(host_time_, runner_.busy() ? turns_.now() : u64{0});
  const Command& command = commands_.add(std::move(made), after, HostThreads::order_of(self), earliest);
  const Ticket ticket = command.ticket();
  if (recorder_) recorder_->submitted(ticket, after);
  if (command.unmet == 0) turns_.interrupt_quantum();
  if (first || demand_.any()) lock_.wake.notify_one();
  if (commands_.size() > Demand::deep) demand_.wait(held, {.what = Need::For::room});
  host_goes_on();
  return ticket;
}

void Queue::begin_threads() {
  if (machine_thread_.begun()) return;
  host_functions_.begin();
  machine_thread_.begin();
}

/// A call of CUDA is over. While work is queued that nobody needs, shared memory is watched for a host that polls.
void Queue::host_goes_on() {
  silent_host_.begin(!commands_.empty() && !demand_.any() && !demand_.stopping() && host_functions_.under_way() == 0);
}

/// What the host has waited for has ended: what it submits from now on begins no earlier.
void Queue::has_waited(u64 until) {
  host_time_ = std::max(host_time_, until);
  ProgramTime::has_waited(host_time_);
}

bool Queue::complete(Ticket ticket) const {
  const HeldLock held(lock_.mutex);
  return !commands_.has(ticket);
}

Waited Queue::query(Ticket ticket) {
  HeldLock held(lock_.mutex);
  if (commands_.has(ticket)) {
    const Waited outcome = demand_.wait(held, {.what = Need::For::quantum});
    host_goes_on();
    if (outcome != Waited::done) return outcome;
    if (commands_.has(ticket)) return Waited::no;
  }
  if (demand_.lost()) return Waited::lost;
  if (demand_.stopping()) return Waited::ending;
  has_waited(commands_.end_of(ticket));
  if (recorder_) recorder_->waited(ticket);
  return Waited::done;
}

Waited Queue::wait(Ticket ticket) {
  HeldLock held(lock_.mutex);
  const Waited outcome = demand_.wait(held, {.what = Need::For::ticket, .ticket = ticket});
  demand_.set_idle(IdleHost::no);
  has_waited(commands_.end_of(ticket));
  if (recorder_) recorder_->waited(ticket);
  host_goes_on();
  return outcome;
}

Waited Queue::wait_idle() {
  HeldLock held(lock_.mutex);
  const Ticket last = commands_.last();
  const Waited outcome = demand_.wait(held, {.what = Need::For::all_up_to, .ticket = last});
  demand_.set_idle(IdleHost::no);
  has_waited(commands_.latest_end());
  if (recorder_) recorder_->waited_for_all(last);
  host_goes_on();
  return outcome;
}

void Queue::step() {
  HeldLock held(lock_.mutex);
  if (commands_.empty() || machine_thread_.is_this_thread()) return;
  demand_.wait(held, {.what = Need::For::quantum});
  host_goes_on();
}

/// Threads of the host take turns in simulated time, when all of them are at rest. The only thread of a program runs
/// the machine itself: a host that polls would wake the machine's thread for each look.
void Queue::host_access(u64 address, u64 bytes, bool store) {
  HeldLock held(lock_.mutex);
  if (demand_.lost() || demand_.stopping() || machine_thread_.is_this_thread()) return;
  HostRequest request{.thread = HostThreads::order(), .address = address, .bytes = bytes, .store = store};
  if (commands_.empty() && !demand_.any()) turns_.visit(held, [&](Simulator&) { turns_.advance_to(host_time_); });
  begin_threads();
  if (!demand_.any() && host_functions_.under_way() == 0 && rest_.is_only_thread()) {
    turns_.take(held);    // else the machine's thread would watch shared memory, as nobody has demand
    silent_host_.open();  // the machine touches shared memory
    HostRequest* const one = &request;
    while (!request.over && !demand_.lost() && !demand_.stopping()) machine_thread_.turn(held, {&one, 1});
    turns_.give_back();
  } else {
    rest_.take_account_of(HostThreads::self());
    demand_.wait(held, {.what = Need::For::access, .access = &request});
  }
  has_waited(turns_.now());
  host_goes_on();
}

bool Queue::idle() const {
  const HeldLock held(lock_.mutex);
  return commands_.empty();
}

void Queue::set_traced() {
  const HeldLock held(lock_.mutex);
  silent_host_.set_traced();
}

void Queue::restart(std::unique_ptr<Simulator> simulator) {
  HeldLock held(lock_.mutex);
  turns_.halt(held);
  machine_thread_.drop_all(Waited::reset);
  if (recorder_) recorder_->dropped();
  turns_.replace(std::move(simulator), std::max(turns_.now(), commands_.latest_end()));
  demand_.set_lost(false);
}

void Queue::with_simulator(const std::function<void(Simulator&)>& visit) {
  HeldLock held(lock_.mutex);
  turns_.visit(held, visit);
}

void Queue::forget_kernels() {
  with_simulator([](Simulator& simulator) { simulator.gpu().forget_kernels(); });
}

simt::Counters Queue::totals() {
  HeldLock held(lock_.mutex);
  return turns_.totals(held);
}

QueueFigures Queue::figures() const {
  const HeldLock held(lock_.mutex);
  return {.launches = runner_.launches(),
          .simulated_nanoseconds = std::max(turns_.now(), commands_.latest_end()),
          .abandoned = abandoned_ + commands_.count_of_program(),
          .unrepeatable = rest_.given_up() + silent_host_.times_polled(),
          .early_reads = silent_host_.early_reads(),
          .copies_digest = runner_.copies_digest()};
}

u64 Queue::host_nanoseconds() const {
  const HeldLock held(lock_.mutex);
  return host_time_;
}

void Queue::digest_copies() {
  const HeldLock held(lock_.mutex);
  runner_.digest_copies();
}

}  // namespace ew::runtime
