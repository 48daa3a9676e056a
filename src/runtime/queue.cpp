// The host's side of the queue: what threads of the program do to it. The machine's thread is in queue_machine.cpp.
#include "runtime/queue.hpp"

#include <algorithm>

namespace ew::runtime {

Queue::Queue(std::unique_ptr<Simulator> simulator, const memory::AddressSpace& memory, OnFault on_fault,
             Progress::Show show, simt::EventRecorder* recorder)
    : simulator_(std::move(simulator)),
      on_fault_(std::move(on_fault)),
      ends_(remembered),
      watch_(new HostWatch(memory, [this] { wake_.notify_all(); })),
      progress_line_(show),
      recorder_(recorder) {}

Queue::~Queue() {
  stop();
}

void Queue::finish() {
  // Enough for what a program forgets to wait for; not for a kernel that waits for the program.
  constexpr u64 most_instructions = u64{1} << 20;
  const u64 most_nanoseconds = simulator_->timed() ? 2'000'000 : 200'000;
  Lock lock(mutex_);
  if (stopping_ || lost_ || pending_.empty() || !needs_.empty() || host_calls_under_way_ > 0) return;
  finishing_ = true;
  released_ = false;
  finish_by_ = {simulator_->gpu().totals().warp_instructions + most_instructions, gpu_now_ + most_nanoseconds};
  wake_.notify_one();
  progress_.wait(lock, [&] { return !finishing_ || lost_; });
  finishing_ = false;
}

void Queue::stop() {
  {
    Lock lock(mutex_);
    stopping_ = true;
    if (in_quantum_) simulator_->gpu().request_stop();
    end_needs(Waited::ending);
    wake_.notify_all();
    progress_.notify_all();
    host_call_wake_.notify_all();
  }
  // exit() may be called by a host function, on one of these threads.
  for (std::thread* thread : {&thread_, &host_call_thread_}) {
    if (!thread->joinable()) continue;
    if (thread->get_id() == std::this_thread::get_id())
      thread->detach();
    else
      thread->join();
  }
  Lock lock(mutex_);
  progress_line_.clear();
  abandoned_ += unfinished();
  drop_all(Waited::ending);
}

void Queue::halt_for_good() {
  Lock lock(mutex_);
  halt(lock);
  if (stopping_) return;
  stopping_ = true;
  finishing_ = false;
  progress_line_.clear();
  wake_.notify_all();
  progress_.notify_all();
  host_call_wake_.notify_all();
}

Ticket Queue::submit_launch(simt::Launch launch, std::span<const Ticket> after, u64 gap_nanoseconds) {
  Command command;
  command.kind = Command::Kind::launch;
  command.gap = gap_nanoseconds;
  command.launch = std::move(launch);
  return submit(std::move(command), after);
}

Ticket Queue::submit_task(std::unique_ptr<Task> task, Cost cost, std::span<const Ticket> after, u64* ended) {
  Command command;
  command.task = std::move(task);
  command.cost = cost;
  command.ended = ended;
  return submit(std::move(command), after);
}

Ticket Queue::submit_transfer(memory::DmaTransfer transfer, Cost cost, std::span<const Ticket> after) {
  Command command;
  command.kind = Command::Kind::transfer;
  command.transfer = std::move(transfer);
  command.cost = cost;
  return submit(std::move(command), after);
}

Ticket Queue::submit_prefetch(Prefetch prefetch, std::span<const Ticket> after) {
  Command command;
  command.kind = Command::Kind::prefetch;
  command.prefetch = prefetch;
  return submit(std::move(command), after);
}

Ticket Queue::submit_host_call(std::unique_ptr<Task> task, std::span<const Ticket> after) {
  Command command;
  command.kind = Command::Kind::host_call;
  command.task = std::move(task);
  return submit(std::move(command), after);
}

void Queue::begin_threads() {
  if (thread_.joinable()) return;
  host_call_thread_ = std::thread([this] { host_call_loop(); });
  thread_ = std::thread([this] { machine_loop(); });
}

/// Of commands that are ready together, those of the first thread are the first to start, whoever submitted first.
void Queue::number(Command& command) {
  command.ticket = ++last_ticket_;
  command.order = {HostThreads::self(), command.ticket};
  command.number = ++submissions_[command.order.thread];
  host_threads_.take_account_of(command.order.thread);
}

Ticket Queue::submit(Command&& command, std::span<const Ticket> after) {
  Lock lock(mutex_);
  if (lost_ || stopping_) return 0;
  begin_threads();
  number(command);
  const Ticket ticket = command.ticket;
  if (recorder_) recorder_->submitted(ticket, after);
  command.begin = std::max(host_time_, running_.empty() && moving_ == 0 ? u64{0} : gpu_now_);
  for (Ticket dependence : after) {
    if (auto found = pending_.find(dependence); found != pending_.end()) {
      found->second.followers.push_back(ticket);
      ++command.unmet;
    } else {
      const Ended before = ended(dependence);
      command.begin = std::max(command.begin, before.end);
      command.launch_begin = std::max(command.launch_begin, before.next_launch);
    }
  }
  const bool first = pending_.empty();
  auto& stored = pending_.emplace(ticket, std::move(command)).first->second;
  if (stored.unmet == 0) make_ready(stored);
  if (in_quantum_ && stored.unmet == 0) simulator_->gpu().request_stop();
  if (first || needed()) wake_.notify_one();
  if (pending_.size() > deep) wait(lock, {.what = Need::For::room});
  host_goes_on();
  return ticket;
}

bool Queue::met(const Need& need) const {
  switch (need.what) {
    case Need::For::ticket:
      return !pending_.contains(need.ticket);
    case Need::For::all_up_to:
      return pending_.empty() || pending_.begin()->first > need.ticket;
    case Need::For::room:
      return pending_.size() <= deep / 2;
    case Need::For::quantum:
      return pending_.empty();
    case Need::For::nothing:
      return true;
  }
  return true;
}

Waited Queue::wait(Lock& lock, Need need) {
  if (stopping_) return Waited::ending;
  if (lost_) return Waited::lost;
  if (met(need)) return Waited::done;
  needs_.push_back(&need);
  wake_.notify_one();
  progress_.wait(lock, [&] { return need.outcome != Waited::no; });
  --going_on_;
  return need.outcome;
}

/// Threads whose need is met leave the machine; it stands still until they have come to rest again.
void Queue::meet_needs() {
  const auto left = std::ranges::partition(needs_, [&](const Need* need) { return !met(*need); });
  if (left.empty()) return;
  for (Need* need : left) need->outcome = Waited::done;
  going_on_ += static_cast<u32>(left.size());
  needs_.erase(left.begin(), left.end());
  at_rest_ = false;
  progress_.notify_all();
}

void Queue::end_needs(Waited outcome) {
  for (Need* need : needs_) need->outcome = outcome;
  going_on_ += static_cast<u32>(needs_.size());
  needs_.clear();
  at_rest_ = false;
  progress_.notify_all();
}

/// A call of CUDA is over. While work is queued that nobody needs, shared memory is watched for a host that polls.
void Queue::host_goes_on() {
  watch_->begin_silence();
  early_read_counted_ = false;
  silent_since_ = close_again_ = Clock::now();
  open_for_ = shortest_opening;
  if (pending_.empty() || needed() || traced_ || stopping_ || host_calls_under_way_ > 0) return;
  watch_->close(false);
}

bool Queue::complete(Ticket ticket) const {
  Lock lock(mutex_);
  return !pending_.contains(ticket);
}

Waited Queue::query(Ticket ticket) {
  Lock lock(mutex_);
  if (pending_.contains(ticket)) {
    step_ = quantum;
    const Waited outcome = wait(lock, {.what = Need::For::quantum});
    host_goes_on();
    if (outcome != Waited::done) return outcome;
    if (pending_.contains(ticket)) return Waited::no;
  }
  if (lost_ || stopping_) return lost_ ? Waited::lost : Waited::ending;
  host_time_ = std::max(host_time_, ended(ticket).end);
  if (recorder_) recorder_->waited(ticket);
  return Waited::done;
}

Waited Queue::wait(Ticket ticket) {
  Lock lock(mutex_);
  const Waited outcome = wait(lock, {.what = Need::For::ticket, .ticket = ticket});
  released_ = false;
  host_time_ = std::max(host_time_, ended(ticket).end);
  if (recorder_) recorder_->waited(ticket);
  host_goes_on();
  return outcome;
}

Waited Queue::wait_idle() {
  Lock lock(mutex_);
  const Ticket last = last_ticket_;
  const Waited outcome = wait(lock, {.what = Need::For::all_up_to, .ticket = last});
  released_ = false;
  host_time_ = std::max(host_time_, latest_end_);
  if (recorder_) recorder_->waited_for_all(last);
  host_goes_on();
  return outcome;
}

void Queue::step(u64 warp_instructions) {
  Lock lock(mutex_);
  if (pending_.empty() || std::this_thread::get_id() == thread_.get_id()) return;
  step_ = warp_instructions;
  wait(lock, {.what = Need::For::quantum});
  host_goes_on();
}

bool Queue::idle() const {
  Lock lock(mutex_);
  return pending_.empty();
}

bool Queue::lost() const {
  Lock lock(mutex_);
  return lost_;
}

void Queue::set_traced() {
  Lock lock(mutex_);
  traced_ = true;
}

void Queue::halt(Lock& lock) {
  ++visitors_;
  if (in_quantum_) simulator_->gpu().request_stop();
  progress_.wait(lock, [&] { return !in_quantum_ && !in_task_; });
  --visitors_;
  wake_.notify_one();
}

void Queue::restart(std::unique_ptr<Simulator> simulator) {
  Lock lock(mutex_);
  halt(lock);
  drop_all(Waited::reset);
  if (recorder_) recorder_->dropped();
  finished_totals_ += simulator_->gpu().so_far();
  simulator->gpu().advance_nanoseconds(std::max(gpu_now_, latest_end_));
  simulator_ = std::move(simulator);
  gpu_now_ = simulator_->gpu().simulated_nanoseconds();
  lost_ = false;
}

void Queue::with_simulator(const std::function<void(Simulator&)>& visit) {
  Lock lock(mutex_);
  halt(lock);
  visit(*simulator_);
  gpu_now_ = simulator_->gpu().simulated_nanoseconds();
}

simt::Counters Queue::totals() const {
  Lock lock(mutex_);
  auto* self = const_cast<Queue*>(this);
  self->halt(lock);
  simt::Counters sum = finished_totals_;
  sum += simulator_->gpu().so_far();
  return sum;
}

u64 Queue::simulated_nanoseconds() const {
  Lock lock(mutex_);
  return std::max(gpu_now_, latest_end_);
}

u64 Queue::launches() const {
  Lock lock(mutex_);
  return launches_;
}

u64 Queue::abandoned() const {
  Lock lock(mutex_);
  return abandoned_ + unfinished();
}

u64 Queue::unfinished() const {
  return static_cast<u64>(
      std::ranges::count_if(pending_, [](const auto& one) { return one.second.kind != Command::Kind::task; }));
}

u64 Queue::unrepeatable() const {
  Lock lock(mutex_);
  return unrepeatable_;
}

u64 Queue::early_reads() const {
  Lock lock(mutex_);
  return early_reads_;
}

void Queue::digest_copies() {
  Lock lock(mutex_);
  digesting_ = true;
}

u64 Queue::copies_digest() const {
  Lock lock(mutex_);
  return copies_digest_;
}

}  // namespace ew::runtime
