#include "runtime/queue.hpp"

#include <algorithm>

#include "core/fingerprint.hpp"

namespace ew::runtime {

namespace {

/// Of the destination's bytes, with the ticket.
u64 digest_of(const memory::DmaTransfer& transfer, Ticket ticket) {
  core::Fingerprint digest;
  digest.add(ticket);
  for (u64 z = 0; z < transfer.depth; ++z)
    for (u64 y = 0; y < transfer.height; ++y) {
      const u8* row = reinterpret_cast<const u8*>(transfer.to.at(0, y, z));
      for (u64 x = 0; x < transfer.width; ++x) digest.add(u64{row[x]});
    }
  return digest.value();
}

}  // namespace

Queue::Queue(std::unique_ptr<Simulator> simulator, OnFault on_fault, Progress::Show show, simt::EventRecorder* recorder)
    : simulator_(std::move(simulator)),
      on_fault_(std::move(on_fault)),
      ends_(remembered),
      progress_line_(show),
      recorder_(recorder) {}

Queue::~Queue() {
  stop();
}

void Queue::stop() {
  {
    Lock lock(mutex_);
    stopping_ = true;
    simulator_->gpu().request_stop();
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
  drop_all();
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

Ticket Queue::submit(Command&& command, std::span<const Ticket> after) {
  Lock lock(mutex_);
  if (lost_ || stopping_) return 0;
  const Ticket ticket = ++last_ticket_;
  if (!thread_.joinable()) {
    host_call_thread_ = std::thread([this] { host_call_loop(); });
    thread_ = std::thread([this] { machine_loop(); });
  }
  if (recorder_) recorder_->submitted(ticket, after);
  command.ticket = ticket;
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
  last_submission_ = Clock::now();
  if (pending_.empty()) first_submission_ = last_submission_;
  auto& stored = pending_.emplace(ticket, std::move(command)).first->second;
  if (stored.unmet == 0) make_ready(stored);
  if (in_quantum_ && stored.unmet == 0) simulator_->gpu().request_stop();
  wake_.notify_one();
  return ticket;
}

bool Queue::complete(Ticket ticket) const {
  Lock lock(mutex_);
  return !pending_.contains(ticket);
}

bool Queue::query(Ticket ticket) {
  if (!complete(ticket)) step();
  Lock lock(mutex_);
  if (pending_.contains(ticket)) return false;
  host_time_ = std::max(host_time_, ended(ticket).end);
  if (recorder_) recorder_->waited(ticket);
  return true;
}

bool Queue::wait(Ticket ticket) {
  Lock lock(mutex_);
  ++waiters_;
  wake_.notify_one();
  progress_.wait(lock, [&] { return !pending_.contains(ticket) || stopping_; });
  --waiters_;
  last_submission_ = first_submission_ = Clock::now();
  released_ = false;
  host_time_ = std::max(host_time_, ended(ticket).end);
  if (recorder_) recorder_->waited(ticket);
  return !lost_;
}

bool Queue::wait_idle() {
  Lock lock(mutex_);
  ++waiters_;
  wake_.notify_one();
  const Ticket last = last_ticket_;
  progress_.wait(lock, [&] {
    return stopping_ || std::none_of(pending_.begin(), pending_.end(), [&](auto& p) { return p.first <= last; });
  });
  --waiters_;
  last_submission_ = first_submission_ = Clock::now();
  released_ = false;
  host_time_ = std::max(host_time_, latest_end_);
  if (recorder_) recorder_->waited_for_all(last);
  return !lost_;
}

bool Queue::idle() const {
  Lock lock(mutex_);
  return pending_.empty();
}

bool Queue::lost() const {
  Lock lock(mutex_);
  return lost_;
}

void Queue::step(u64 warp_instructions) {
  Lock lock(mutex_);
  if (pending_.empty() || std::this_thread::get_id() == thread_.get_id()) return;
  if (traced_) {  // the host's accesses and queries carry the machine along
    released_ = false;
    last_submission_ = first_submission_ = Clock::now();
  }
  const u64 target = ++steps_owed_;
  step_ = warp_instructions;
  wake_.notify_one();
  progress_.wait(lock, [&] { return steps_done_ >= target || pending_.empty() || stopping_; });
}

void Queue::set_traced() {
  Lock lock(mutex_);
  traced_ = true;
}

void Queue::halt(Lock& lock) {
  ++visitors_;
  simulator_->gpu().request_stop();
  progress_.wait(lock, [&] { return !in_quantum_ && !in_task_; });
  --visitors_;
  wake_.notify_one();
}

void Queue::restart(std::unique_ptr<Simulator> simulator) {
  Lock lock(mutex_);
  halt(lock);
  drop_all();
  if (recorder_) recorder_->dropped();
  finished_totals_ += simulator_->gpu().totals();
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
  sum += simulator_->gpu().totals();
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

void Queue::digest_copies() {
  Lock lock(mutex_);
  digesting_ = true;
}

u64 Queue::copies_digest() const {
  Lock lock(mutex_);
  return copies_digest_;
}

void Queue::machine_loop() {
  Lock lock(mutex_);
  while (!stopping_) {
    if (visitors_ > 0) {
      progress_.notify_all();
      wake_.wait(lock, [&] { return visitors_ == 0 || stopping_; });
    } else if (!gate(lock)) {
      continue;
    } else if (Command* command = startable()) {
      start_one(lock, *command);
    } else if (host_calls_under_way_ > 0 && wake_.wait_until(lock, host_call_deadline_) != std::cv_status::timeout) {
      continue;  // simulated time stands still for a host function, which takes none of it
    } else if (!running_.empty() || moving_ > 0 || !ready_.empty()) {
      run_quantum(lock);
    } else {  // only host functions are under way
      steps_done_ = steps_owed_;
      progress_.notify_all();
      wake_.wait(lock);
    }
  }
}

std::chrono::milliseconds Queue::grace() const {
  return std::chrono::milliseconds(traced_ ? 1000 : 5);
}

/// True when the machine should simulate now; else waits for a reason to look again.
bool Queue::gate(Lock& lock) {
  if (pending_.empty()) {
    released_ = false;
    steps_done_ = steps_owed_;
    progress_.notify_all();
    wake_.wait(lock);
    return false;
  }
  if (waiters_ > 0 || released_ || steps_owed_ > steps_done_ || pending_.size() > deep) return true;
  const auto deadline = std::min(last_submission_ + grace(), first_submission_ + 10 * grace());
  if (wake_.wait_until(lock, deadline) == std::cv_status::timeout) released_ = steps_owed_ == steps_done_;
  return false;
}

/// The first ready command; on a timing machine only one whose time has come.
Queue::Command* Queue::startable() {
  for (const auto& [ticket, command] : ready_)
    if (!simulator_->timed() || command->begin <= gpu_now_) return command;
  return nullptr;
}

u64 Queue::next_beginning() const {
  u64 next = ~u64{0};
  for (const auto& [ticket, command] : ready_) next = std::min(next, command->begin);
  return next;
}

void Queue::start_one(Lock& lock, Command& command) {
  ready_.erase(command.ticket);
  switch (command.kind) {
    case Command::Kind::launch:
      start_launch(command);
      break;
    case Command::Kind::task:
      run_task(lock, command);
      break;
    case Command::Kind::transfer:
      start_transfer(lock, command);
      break;
    case Command::Kind::prefetch:
      if (!simulator_->timed()) return run_task(lock, command);
      ++moving_;
      simulator_->start(command.ticket, command.prefetch);
      break;
    case Command::Kind::host_call:
      ++host_calls_under_way_;
      host_call_deadline_ = Clock::now() + host_call_grace;
      host_calls_.push_back(command.ticket);
      host_call_wake_.notify_one();
      break;
  }
}

void Queue::start_transfer(Lock& lock, Command& command) {
  if (simulator_->timed()) {
    ++moving_;
    if (recorder_) recorder_->transfer_began(command.transfer);
    simulator_->start(command.cost.engine, command.ticket, std::move(command.transfer));
    return;
  }
  auto transfer = std::make_shared<memory::DmaTransfer>(std::move(command.transfer));
  command.task = make_task([transfer, recorder = recorder_, ticket = command.ticket] {
    if (!recorder) return perform(*transfer);
    const auto guard = recorder->lock();
    perform(*transfer);
    recorder->transferred(ticket, *transfer);
  });
  run_task(lock, command);
}

void Queue::start_launch(Command& command) {
  simt::Gpu& gpu = simulator_->gpu();
  if (running_.empty() && gpu_now_ < command.begin) {
    gpu.advance_nanoseconds(command.begin - gpu_now_);
    gpu_now_ = gpu.simulated_nanoseconds();
  }
  const u64 late = command.begin > gpu_now_ ? command.begin - gpu_now_ : 0;
  ++launches_;
  blocks_started_ += command.launch.grid.count();
  simt::Launch begun;
  if (recorder_) begun = command.launch;
  const simt::LaunchId id = simulator_->start(std::move(command.launch));
  if (recorder_) recorder_->began(command.ticket, id, begun);
  running_.emplace(id, Running{command.ticket, late});
}

void Queue::run_task(Lock& lock, Command& command) {
  u64& engine_free = engine_free_[static_cast<std::size_t>(command.cost.engine)];
  const u64 begin = command.cost.engine == Engine::none ? command.begin : std::max(command.begin, engine_free);
  const u64 end = begin + command.cost.nanoseconds;
  if (command.cost.engine != Engine::none) engine_free = end;
  const Ticket ticket = command.ticket;
  auto task = std::move(command.task);
  in_task_ = true;
  lock.unlock();
  if (task) task->run();
  task.reset();
  lock.lock();
  in_task_ = false;
  finish(ticket, end);
}

void Queue::run_quantum(Lock& lock) {
  const u64 owed = steps_owed_;
  const u64 until = next_beginning(), instructions = waiters_ == 0 && owed > steps_done_ ? step_ : quantum;
  in_quantum_ = true;
  simulator_->host_waits(waiters_ > 0);
  lock.unlock();
  simulator_->run(instructions, until);
  auto completions = simulator_->take_completions();
  const auto moved = simulator_->take_moved();
  show_progress();
  lock.lock();
  in_quantum_ = false;
  gpu_now_ = simulator_->gpu().simulated_nanoseconds();
  for (const auto& [ticket, end] : moved) {
    --moving_;
    finish(ticket, end);
  }
  for (const auto& completion : completions) take_completion(lock, completion);
  if (steps_done_ < owed) {  // the host stood still meanwhile: its grace begins anew
    steps_done_ = owed;
    last_submission_ = first_submission_ = Clock::now();
  }
  progress_.notify_all();
}

void Queue::show_progress() {
  if (!progress_line_.wanted()) return;
  const simt::Counters& totals = simulator_->gpu().totals();
  progress_line_.update({.nanoseconds = simulator_->gpu().simulated_nanoseconds(),
                         .instructions = totals.warp_instructions,
                         .blocks_done = totals.blocks,
                         .blocks = blocks_started_});
}

void Queue::take_completion(Lock& lock, const simt::Completion& completion) {
  auto found = running_.find(completion.id);
  if (found == running_.end()) return;  // the context was lost by an earlier one of this batch
  const Running running = found->second;
  running_.erase(found);
  if (recorder_) recorder_->ended(completion.id);
  if (!completion.fault) {
    finish(running.ticket, completion.nanoseconds_end + running.late);
    return;
  }
  in_task_ = true;
  lock.unlock();
  on_fault_(*completion.fault);
  lock.lock();
  in_task_ = false;
  lost_ = true;
  drop_all();
}

void Queue::make_ready(Command& command) {
  if (command.kind == Command::Kind::launch) command.begin = std::max(command.begin, command.launch_begin);
  ready_.emplace(command.ticket, &command);
}

void Queue::finish(Ticket ticket, u64 end) {
  auto found = pending_.find(ticket);
  if (found == pending_.end()) return;  // dropped meanwhile
  Command command = std::move(found->second);
  pending_.erase(found);
  if (recorder_ && command.kind == Command::Kind::transfer && simulator_->timed()) {
    const auto guard = recorder_->lock();
    recorder_->transferred(ticket, command.transfer);
  }
  if (digesting_ && command.kind == Command::Kind::transfer && command.transfer.to.host)
    copies_digest_ += digest_of(command.transfer, ticket);
  const bool launched = command.kind == Command::Kind::launch;
  const u64 next_launch = launched ? end + command.gap : std::max(end, command.launch_begin);
  ends_[ticket % remembered] = {end, next_launch};
  latest_end_ = std::max(latest_end_, end);
  if (command.ended) *command.ended = end;
  for (Ticket follower : command.followers) {
    Command& next = pending_.at(follower);
    next.begin = std::max(next.begin, end);
    next.launch_begin = std::max(next.launch_begin, next_launch);
    if (--next.unmet == 0) make_ready(next);
  }
  progress_.notify_all();
  wake_.notify_one();
}

void Queue::drop_all() {
  pending_.clear();
  ready_.clear();
  running_.clear();
  moving_ = 0;
  host_calls_under_way_ -= static_cast<u32>(host_calls_.size());
  host_calls_.clear();
  progress_.notify_all();
  wake_.notify_one();
}

Queue::Ended Queue::ended(Ticket ticket) const {
  return ticket == 0 || last_ticket_ - ticket >= remembered ? Ended{} : ends_[ticket % remembered];
}

void Queue::host_call_loop() {
  Lock lock(mutex_);
  while (true) {
    host_call_wake_.wait(lock, [&] { return stopping_ || !host_calls_.empty(); });
    if (stopping_) return;
    const Ticket ticket = host_calls_.front();
    host_calls_.pop_front();
    Command& command = pending_.at(ticket);
    const u64 end = command.begin;
    auto task = std::move(command.task);
    lock.unlock();
    task->run();
    task.reset();
    lock.lock();
    --host_calls_under_way_;
    finish(ticket, end);
  }
}

}  // namespace ew::runtime
