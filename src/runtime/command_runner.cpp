#include "runtime/command_runner.hpp"

#include <algorithm>

#include "core/fingerprint.hpp"
#include "runtime/host_work_events.hpp"
#include "runtime/timing_machine.hpp"

namespace ew::runtime {

namespace {

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

CommandRunner::CommandRunner(Commands& commands, Demand& demand, SimulatorTurns& turns, OnFault on_fault,
                             Progress::Show show, simt::EventRecorder* recorder)
    : commands_(commands),
      demand_(demand),
      turns_(turns),
      on_fault_(std::move(on_fault)),
      progress_(show),
      recorder_(recorder) {}

void CommandRunner::start(HeldLock& held, Command& command) {
  switch (command.kind) {
    case Command::Kind::launch:
      return start_launch(command);
    case Command::Kind::transfer:
      return start_transfer(held, command);
    case Command::Kind::prefetch:
      if (TimingMachine* const machine = turns_.timed()) {
        ++moving_;
        return machine->start(command.ticket(), command.prefetch);
      }
      return run_task(held, command);
    case Command::Kind::host_work:
      return start_host_work(held, command);
    case Command::Kind::task:
    case Command::Kind::host_function:
      return run_task(held, command);
  }
}

void CommandRunner::start_transfer(HeldLock& held, Command& command) {
  if (TimingMachine* const machine = turns_.timed()) {
    ++moving_;
    if (recorder_) {
      command.by_host = recorder_->is_by_host(command.transfer);
      recorder_->transfer_began(command.transfer);
    }
    return machine->start(command.cost.engine, command.ticket(), std::move(command.transfer));
  }
  auto transfer = std::make_shared<memory::DmaTransfer>(std::move(command.transfer));
  command.task = make_task([transfer, recorder = recorder_, ticket = command.ticket()] {
    if (!recorder) return perform(*transfer);
    const auto guard = recorder->lock();
    perform(*transfer);
    recorder->transferred(ticket, *transfer, recorder->is_by_host(*transfer));
  });
  run_task(held, command);
}

void CommandRunner::start_host_work(HeldLock& held, Command& command) {
  if (recorder_) record_beginning(*recorder_, command.ticket(), command.work, turns_.timed() != nullptr);
  if (TimingMachine* const machine = turns_.timed()) {
    ++moving_;
    return machine->start(command.ticket(), command.work);
  }
  u64 picoseconds = 0;
  for (const host::Step& step : command.work.steps) picoseconds += step.picoseconds;
  command.cost = {Engine::none, picoseconds / 1000};
  command.task = make_task([work = command.work] { host::perform(work); });
  run_task(held, command);
}

void CommandRunner::start_launch(Command& command) {
  if (running_.empty()) turns_.advance_to(command.begin);
  const u64 now = turns_.now(), late = command.begin > now ? command.begin - now : 0;
  ++launches_;
  blocks_started_ += command.launch.grid.count();
  simt::Launch begun;
  if (recorder_) begun = command.launch;
  const simt::LaunchId id = turns_.simulator().start(std::move(command.launch));
  if (recorder_) recorder_->began(command.ticket(), id, begun);
  running_.emplace(id, Running{command.ticket(), late});
}

void CommandRunner::run_task(HeldLock& held, Command& command) {
  u64& engine_free = engine_free_[static_cast<std::size_t>(command.cost.engine)];
  const u64 begin = command.cost.engine == Engine::none ? command.begin : std::max(command.begin, engine_free);
  const u64 end_of_task = begin + command.cost.nanoseconds;
  if (command.cost.engine != Engine::none) engine_free = end_of_task;
  const Ticket ticket = command.ticket();
  auto task = std::move(command.task);
  turns_.task(held, [&] {
    if (task) task->run();
    task.reset();
  });
  end(ticket, end_of_task);
}

void CommandRunner::host_function_begins(Ticket ticket) {
  if (recorder_) recorder_->waited(ticket);
}

bool CommandRunner::run_quantum(HeldLock& held) {
  Simulator& simulator = turns_.simulator();
  const u64 until = commands_.next_beginning();
  std::vector<simt::Completion> completions;
  std::vector<TimingMachine::Moved> moved;
  const bool host_waits = demand_.begin_quantum();
  turns_.quantum(held, [&] {
    simulator.run(queue_quantum, until, host_waits);
    completions = simulator.take_completions();
    if (TimingMachine* const machine = simulator.timed()) moved = machine->take_moved();
    show_progress();
  });
  for (const auto& [ticket, nanoseconds] : moved) {
    --moving_;
    end(ticket, nanoseconds);
  }
  return std::ranges::all_of(completions, [&](const auto& completion) { return end_launch(held, completion); });
}

/// False: it had a fault.
bool CommandRunner::end_launch(HeldLock& held, const simt::Completion& completion) {
  const Running running = running_.at(completion.id);
  running_.erase(completion.id);
  if (recorder_) recorder_->ended(completion.id);
  if (completion.fault) {
    turns_.task(held, [&] { on_fault_(*completion.fault); });
    return false;
  }
  end(running.ticket, completion.nanoseconds_end + running.late);
  return true;
}

void CommandRunner::show_progress() {
  if (!progress_.wanted()) return;
  simt::Gpu& gpu = turns_.simulator().gpu();
  progress_.update({.nanoseconds = gpu.simulated_nanoseconds(),
                    .instructions = gpu.so_far().warp_instructions,
                    .blocks_done = gpu.totals().blocks,
                    .blocks = blocks_started_});
}

void CommandRunner::end(Ticket ticket, u64 nanoseconds) {
  Command* const command = commands_.find(ticket);
  if (!command) return;
  if (command->kind == Command::Kind::host_work && recorder_)
    record_end(*recorder_, ticket, command->work, turns_.timed() != nullptr);
  if (command->kind == Command::Kind::transfer) {
    if (recorder_ && turns_.timed()) {
      const auto guard = recorder_->lock();
      recorder_->transferred(ticket, command->transfer, command->by_host);
    }
    if (digesting_ && command->transfer.to.host) copies_digest_ += digest_of(command->transfer, command->number);
  }
  commands_.end(*command, nanoseconds);
  demand_.meet();
}

void CommandRunner::drop_all() {
  running_.clear();
  moving_ = 0;
}

}  // namespace ew::runtime
