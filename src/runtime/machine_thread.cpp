#include "runtime/machine_thread.hpp"

#include "runtime/program_time.hpp"
#include "runtime/timing_machine.hpp"

namespace ew::runtime {

MachineThread::MachineThread(QueueLock& lock, Commands& commands, Demand& demand, HostRest& rest,
                             SilentHost& silent_host, SimulatorTurns& turns, CommandRunner& runner,
                             HostFunctions& host_functions)
    : lock_(lock),
      commands_(commands),
      demand_(demand),
      rest_(rest),
      silent_host_(silent_host),
      turns_(turns),
      runner_(runner),
      host_functions_(host_functions) {}

void MachineThread::begin() {
  thread_ = std::thread([this] { loop(); });
}

void MachineThread::loop() {
  ProgramTime::leave_out_this_thread();
  HeldLock held(lock_.mutex);
  rest_.set_machine_thread(HostThreads::self());
  while (!demand_.stopping()) {
    if (turns_.give_way(held, demand_) || !gate(held)) continue;
    if (turn(held, demand_.accesses())) continue;
    demand_.run_dry();
    lock_.wake.wait(held);
  }
  silent_host_.open();
}

bool MachineThread::turn(HeldLock& held, std::span<HostRequest* const> accesses) {
  if (host_functions_.hold_time(held)) return true;
  if (Command* command = commands_.ready_by(turns_.timed() ? turns_.now() : ~u64{0})) {
    start(held, *command);
    return true;
  }
  if (!runner_.busy() && !commands_.any_ready() && accesses.empty()) return false;
  if (TimingMachine* const machine = turns_.timed()) machine->host_begin(accesses);
  if (!runner_.run_quantum(held)) {
    demand_.set_lost(true);
    drop_all(Waited::lost);
  }
  demand_.meet();
  turns_.tell_visitors();
  return true;
}

/// True when the machine should simulate now; else waits for a reason to look again.
bool MachineThread::gate(HeldLock& held) {
  if (demand_.finishing() && has_finished()) demand_.end_finishing();
  if (commands_.empty() && !demand_.any_access()) {
    demand_.set_idle(IdleHost::no);
    demand_.meet();
    lock_.wake.wait(held);
    return false;
  }
  if (!demand_.any()) {
    demand_.set_host_rests(false);
    rest_.begin_anew();
    if (silent_host_.polls(held, host_functions_.under_way() > 0))
      demand_.set_idle(IdleHost::polls);
    else if (silent_host_.silent())
      look_at_idle_host(held);
    return false;
  }
  const bool polls = demand_.idle() == IdleHost::polls;
  if (demand_.idle() == IdleHost::waits && demand_.waiting() == 0 && !demand_.finishing() && !demand_.host_rests() &&
      rest_.idles(held) != HostRest::Idle::for_ever) {
    demand_.set_idle(IdleHost::no);
    return false;
  }
  if (!polls && !demand_.finishing() && !demand_.host_rests() && !rest_.wait_for_threads(held)) return false;
  demand_.set_host_rests(true);
  silent_host_.open();
  return demand_.any();
}

/// A host that waits outside of CUDA for what a host function tells: only queued work can wake it.
void MachineThread::look_at_idle_host(HeldLock& held) {
  constexpr std::chrono::seconds long_wait{2}, looks_apart{1};  // at most, while nobody needs the machine
  if (demand_.any() || turns_.visited()) return;
  const HostRest::Idle idle = commands_.any_host_function() ? rest_.idles(held) : HostRest::Idle::no;
  const auto now = std::chrono::steady_clock::now();
  if (idle != HostRest::Idle::perhaps || now - looked_at_idle_host_ > looks_apart) idle_since_ = now;
  looked_at_idle_host_ = now;
  if (demand_.any() || turns_.visited()) return;
  if (idle == HostRest::Idle::for_ever) {
    demand_.set_idle(IdleHost::waits);
  } else if (now - idle_since_ >= long_wait) {
    silent_host_.count_poll();
    demand_.set_idle(IdleHost::polls);
  }
}

/// As far as the end of the program lets it come.
bool MachineThread::has_finished() {
  const bool over = !runner_.busy() && !commands_.any_ready();
  return over || demand_.enough(turns_.simulator().gpu().totals().warp_instructions, turns_.now());
}

void MachineThread::start(HeldLock& held, Command& command) {
  commands_.begin(command);
  if (command.kind != Command::Kind::host_function) return runner_.start(held, command);
  if (demand_.finishing()) return;  // nothing of the program is called any more
  runner_.host_function_begins(command.ticket());
  host_functions_.call(command.ticket());
}

void MachineThread::drop_all(Waited outcome) {
  silent_host_.open();
  demand_.end_all(outcome);
  commands_.drop_all();
  runner_.drop_all();
  host_functions_.drop_all();
  lock_.progress.notify_all();
  lock_.wake.notify_one();
}

}  // namespace ew::runtime
