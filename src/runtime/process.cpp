#include "runtime/process.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "core/json_text.hpp"
#include "core/statistics.hpp"
#include "runtime/end_signals.hpp"
#include "runtime/run_statistics.hpp"
#include "runtime/unfinished.hpp"

namespace ew::runtime {

ThreadState& thread_state() {
  static thread_local ThreadState state;
  return state;
}

Process& process() {
  static Process* const process = new Process;
  return *process;
}

namespace {

/// A result that could not be written is said, and a program that would have ended well has failed.
template <class F>
void end_with(F&& write, int status) {
  try {
    write();
  } catch (const std::exception& mistake) {
    std::fprintf(stderr, "everwarp: %s\n", mistake.what());
    if (status == 0) std::exit(1);  // glibc goes on with the handlers that are left
  }
}

}  // namespace

Machine* Process::machine() {
  std::call_once(once_, [this] {
    try {
      environment_ = Environment::read();
      environment_.traced_host = traces_host_;
      MachineConfig config = load_machine(environment_.machine);
      for (const auto& setting : environment_.settings) apply_setting(setting, config);
      check(config);
      machine_ = std::make_unique<Machine>(std::move(config), environment_, registry_);
      if (traces_host_) machine_->queue().set_traced();
      machine_pointer_.store(machine_.get(), std::memory_order_release);
      ::on_exit([](int status, void*) { end_with([] { process().at_exit(); }, status); }, nullptr);
      if (!expects_forks_) watch_end_signals([](int signal) { process().interrupt(signal); });
      pthread_atfork(nullptr, nullptr, [] { process().become_a_child(); });
    } catch (const std::exception& mistake) {
      std::fprintf(stderr, "everwarp: %s\n", mistake.what());
    }
  });
  if (forked_ && !told_.exchange(true))
    std::fputs("everwarp: this process was forked from one that had used CUDA already: it cannot use CUDA\n", stderr);
  return machine_pointer_.load(std::memory_order_acquire);
}

/// The machine's threads are not in the child, and its locks may be held by one of them.
void Process::become_a_child() {
  if (expects_forks_) {  // and its own children are children as of any program
    expects_forks_ = false;
    return;
  }
  forked_ = true;
  machine_pointer_ = nullptr;
  ProgramTime::end();
}

void Process::trace_host() {
  traces_host_ = true;
  if (Machine* machine = existing_machine()) machine->queue().set_traced();
}

void Process::at_exit() {
  if (forked_) return;
  while (ends_.exchange(true)) ::pause();  // a signal ends the process
  std::string mistake;
  try {
    machine_->shut_down();
  } catch (const core::UserError& error) {
    mistake = error.what();
  }
  if (signal_) say_what_was_interrupted();
  write_results();
  has_ended_ = true;
  if (signal_) end_by_signal(signal_);
  if (!mistake.empty()) throw core::UserError(mistake);
}

/// On the thread that waits for signals, once.
void Process::interrupt(int signal) {
  signal_ = signal;
  if (!ends_.exchange(true)) {
    end_with(
        [&] {
          machine_->interrupt();
          say_what_was_interrupted();
          write_results();
        },
        128 + signal);
  } else if (!has_ended_) {  // exit() has been called: its thread goes on, with what has been simulated until now
    machine_->queue().halt_for_good();
    return;
  }
  end_by_signal(signal);
}

void Process::say_what_was_interrupted() {
  const QueueFigures figures = machine_->queue().figures();
  std::string text = fmt::format(
      "everwarp: {} after {:.3f} us of simulated time and {} warp instructions: ", name_of_signal(signal_),
      static_cast<double>(figures.simulated_nanoseconds) / 1e3, machine_->queue().totals().warp_instructions);
  text += text_of_unfinished(machine_->context().end_of_program().unfinished(), figures.abandoned);
  std::fputs(text.c_str(), stderr);
}

void Process::write_results() {
  const simt::Counters totals = machine_->queue().totals();
  const QueueFigures figures = machine_->queue().figures();
  if (!environment_.count_file.empty())
    core::write_file(environment_.count_file,
                     fmt::format("{} {} {}\n", totals.warp_instructions,
                                 figures.simulated_nanoseconds * machine_->config().device.clock.count / 1'000'000,
                                 machine_->persistence().pools().outside_of_folder() ? 1 : 0));
  if (environment_.summary && signal_)
    std::fprintf(stderr, "interrupted by %s: measured until then\n", name_of_signal(signal_));
  if (environment_.summary && std::fputs(machine_->results().summary(machine_->config()).c_str(), stderr) < 0)
    throw core::UserError("the summary cannot be written to standard error");
  if (environment_.statistics_file.empty()) return;
  const RunStatistics statistics{.launches = figures.launches,
                                 .simulated_nanoseconds = figures.simulated_nanoseconds,
                                 .warp_instructions = totals.warp_instructions,
                                 .thread_instructions = totals.thread_instructions,
                                 .memory_instructions = totals.memory_instructions,
                                 .memory_lanes = totals.memory_lanes,
                                 .blocks = totals.blocks,
                                 .warps = totals.warps,
                                 .divergent_branches = totals.divergent_branches,
                                 .barriers = totals.barriers,
                                 .max_resident_bytes = totals.max_resident_bytes,
                                 .unrepeatable = figures.unrepeatable,
                                 .early_reads = figures.early_reads,
                                 .abandoned = figures.abandoned};
  nlohmann::ordered_json json = {{"machine", machine_->config().device.name},
                                 {"seed", environment_.seed},
                                 {"ended", signal_ ? name_of_signal(signal_) : "exit"}};
  for (const core::Statistic& one : core::statistics_of(statistics)) json[std::string(one.name)] = one.value;
  if (environment_.digest) json["copies_to_host_digest"] = fmt::format("{:016x}", figures.copies_digest);
  machine_->results().write(json, machine_->config());
  machine_->measured().write(ranges_, machine_->queue());
  ranges_.write(json);
  if (const auto& launches = machine_->context().end_of_program().unfinished(); !launches.empty())
    json["unfinished"] = json_of_unfinished(launches);
  core::write_file(environment_.statistics_file, core::json_text(json) + "\n");
}

cudaError_t refuse_while_capturing(Machine& machine) {
  if (!machine.work().graphs().capturing() || !machine.work().graphs().forbids_unsafe(thread_state().capture_mode))
    return cudaSuccess;
  machine.work().graphs().invalidate_unsafe();
  return cudaErrorStreamCaptureUnsupported;
}

}  // namespace ew::runtime
