// The machine's side of the queue: when it simulates, and what becomes of a command.
#include <algorithm>

#include "core/fingerprint.hpp"
#include "runtime/queue.hpp"

namespace ew::runtime {

namespace {

using namespace std::chrono_literals;

constexpr auto longest_opening = 64ms;  // of shared memory that the host has touched
constexpr auto silence = 20ms;  // of the host, behind which pages that it shares with other data are watched, too
constexpr auto most_looks_apart = 1ms;  // at threads that are not at rest
// For a thread that is never at rest: another one that needs the machine; a host function.
constexpr auto patience = 2s, patience_with_host_calls = 30s;

/// Of the destination's bytes, with the copy's number.
u64 digest_of(const memory::DmaTransfer& transfer, u64 number) {
  core::Fingerprint digest;
  digest.add(number);
  for (u64 z = 0; z < transfer.depth; ++z)
    for (u64 y = 0; y < transfer.height; ++y) {
      const u8* row = reinterpret_cast<const u8*>(transfer.to.at(0, y, z));
      for (u64 x = 0; x < transfer.width; ++x) digest.add(u64{row[x]});
    }
  return digest.value();
}

}  // namespace

void Queue::machine_loop() {
  Lock lock(mutex_);
  machine_id_ = HostThreads::self();
  while (!stopping_) {
    if (visitors_ > 0) {
      progress_.notify_all();
      wake_.wait(lock, [&] { return visitors_ == 0 || stopping_; });
    } else if (!gate(lock)) {
      continue;
    } else if (Command* command = startable()) {
      start_one(lock, *command);
    } else if (stands_still_for_host_call(lock)) {
      continue;
    } else if (!running_.empty() || moving_ > 0 || !ready_.empty()) {
      run_quantum(lock);
    } else {
      run_dry(lock);
    }
  }
  watch_->open();
}

/// True when the machine should simulate now; else waits for a reason to look again.
bool Queue::gate(Lock& lock) {
  if (finishing_ && finished()) {
    finishing_ = false;
    progress_.notify_all();
  }
  if (pending_.empty()) {
    released_ = false;
    meet_needs();
    wake_.wait(lock);
    return false;
  }
  if (!needed()) {
    at_rest_ = false;
    watch_silent_host(lock);
    return false;
  }
  if (!released_ && !finishing_ && !at_rest_ && !wait_for_rest(lock, 0, patience)) return false;
  at_rest_ = true;
  watch_->open();
  return needed();
}

/// Looks whether the host is at rest, and when it is not, lets some time pass. True, too, when it is not for too long:
/// the threads in question are left out of account then.
bool Queue::wait_for_rest(Lock& lock, HostThreads::Id busy, std::chrono::seconds at_most) {
  const u64 before = last_ticket_;
  bool rests = false;
  if (going_on_ == 0) {
    const HostThreads::Known known{
        .waiting = static_cast<u32>(needs_.size()), .busy = busy, .own = {machine_id_, host_call_id_}};
    lock.unlock();  // a thread that waits for this lock is not at rest
    rests = host_threads_.at_rest(known);
    lock.lock();
  }
  const auto now = Clock::now();
  if (rests && going_on_ == 0 && before == last_ticket_) {
    waits_since_ = {};
    look_again_ = {};
    return true;
  }
  if (waits_since_ == Clock::time_point{}) waits_since_ = now;
  if (now - waits_since_ > at_most && going_on_ == 0) {
    host_threads_.leave_out_busy();
    ++unrepeatable_;
    waits_since_ = {};
    return true;
  }
  look_again_ = std::min<std::chrono::microseconds>(2 * look_again_ + 20us, most_looks_apart);
  wake_.wait_for(lock, look_again_);
  return false;
}

/// Simulated time stands still for a host function, which takes none of it, unless it waits for what the machine does.
bool Queue::stands_still_for_host_call(Lock& lock) {
  if (host_calls_under_way_ == 0 || host_call_left_alone_ || finishing_) return false;
  if (!host_calls_.empty()) {  // not begun
    wake_.wait_for(lock, most_looks_apart);
    return true;
  }
  const u64 given_up = unrepeatable_;
  if (!wait_for_rest(lock, host_call_id_, patience_with_host_calls)) return true;
  host_call_left_alone_ = unrepeatable_ != given_up;
  return host_calls_under_way_ == 0;
}

/// Work is queued and nobody needs it. The host's speed decides here when memory is closed and opened, and never what
/// is simulated; only a host that polls needs the machine.
void Queue::watch_silent_host(Lock& lock) {
  const auto now = Clock::now();
  if (watch_->take_touched()) {
    early_reads_ += !traced_ && watch_->has_read() && !std::exchange(early_read_counted_, true);
    open_for_ = std::min<std::chrono::microseconds>(2 * open_for_, longest_opening);
    close_again_ = now + open_for_;
  }
  const bool silent = now - silent_since_ >= silence;
  if (watch_->polled() || (silent && watch_->blind())) {
    released_ = true;
    ++unrepeatable_;
    return;
  }
  if (now >= close_again_ && (silent || (!traced_ && host_calls_under_way_ == 0))) watch_->close(silent);
  const auto next = silent ? now + longest_opening : silent_since_ + silence;
  wake_.wait_until(lock, close_again_ > now ? std::min(next, close_again_) : next);
}

/// There is nothing that takes time: only host functions are under way.
void Queue::run_dry(Lock& lock) {
  for (Need* need : needs_)
    if (need->what == Need::For::quantum) need->what = Need::For::nothing;
  meet_needs();
  wake_.wait(lock);
}

/// As far as the end of the program lets it come.
bool Queue::finished() const {
  const bool over = running_.empty() && moving_ == 0 && ready_.empty();
  return over || lost_ || gpu_now_ >= finish_by_.nanoseconds ||
         simulator_->gpu().totals().warp_instructions >= finish_by_.instructions;
}

/// The first ready command; on a timing machine only one whose time has come.
Queue::Command* Queue::startable() {
  for (const auto& [order, command] : ready_)
    if (!simulator_->timed() || command->begin <= gpu_now_) return command;
  return nullptr;
}

u64 Queue::next_beginning() const {
  u64 next = ~u64{0};
  for (const auto& [order, command] : ready_) next = std::min(next, command->begin);
  return next;
}

void Queue::start_one(Lock& lock, Command& command) {
  ready_.erase(command.order);
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
      if (finishing_) break;  // nothing of the program is called any more
      ++host_calls_under_way_;
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
  const auto steps = [](const Need* need) { return need->what == Need::For::quantum; };
  const bool only_steps = !needs_.empty() && std::ranges::all_of(needs_, steps);
  const u64 until = next_beginning(), instructions = only_steps && !released_ ? step_ : quantum;
  in_quantum_ = true;
  simulator_->host_waits(!needs_.empty() && !only_steps);
  for (Need* need : needs_)
    if (steps(need)) need->what = Need::For::nothing;  // met when this one is over
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
  meet_needs();
  progress_.notify_all();
}

void Queue::show_progress() {
  if (!progress_line_.wanted()) return;
  progress_line_.update({.nanoseconds = simulator_->gpu().simulated_nanoseconds(),
                         .instructions = simulator_->gpu().so_far().warp_instructions,
                         .blocks_done = simulator_->gpu().totals().blocks,
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
  drop_all(Waited::lost);
}

void Queue::make_ready(Command& command) {
  if (command.kind == Command::Kind::launch) command.begin = std::max(command.begin, command.launch_begin);
  ready_.emplace(command.order, &command);
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
    copies_digest_ += digest_of(command.transfer, command.number);
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
  meet_needs();
}

void Queue::drop_all(Waited outcome) {
  watch_->open();
  end_needs(outcome);
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
  host_call_id_ = HostThreads::self();
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
    host_call_left_alone_ = false;
    finish(ticket, end);
    wake_.notify_one();
  }
}

}  // namespace ew::runtime
