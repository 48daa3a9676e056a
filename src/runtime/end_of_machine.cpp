// How a machine ends: with its program, or by a signal that ends the program.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "core/diagnostics.hpp"
#include "runtime/machine.hpp"
#include "runtime/program_time.hpp"
#include "runtime/timing_machine.hpp"

namespace ew::runtime {

namespace {

/// Does one thing after the other, whatever fails, and then throws what has failed.
class Attempts {
 public:
  template <class F>
  void operator()(F&& step) {
    try {
      step();
    } catch (const core::UserError& mistake) {
      mistakes_ += fmt::format("{}{}", mistakes_.empty() ? "" : "; ", mistake.what());
    }
  }
  void end() const {
    if (!mistakes_.empty()) throw core::UserError(mistakes_);
  }

 private:
  std::string mistakes_;
};

/// A thread that a signal has interrupted, or that stands still, may hold standard output's lock.
void flush_output_if_free(PrintBuffer& prints) {
  if (::ftrylockfile(stdout) != 0) return;
  prints.flush();
  std::fflush(stdout);
  ::funlockfile(stdout);
}

}  // namespace

void Machine::shut_down() {
  const ProgramTime::Call inside;
  Attempts attempt;
  EndOfProgram& end = context_.end_of_program();
  end.begin();
  queue_.finish();
  queue_.stop();
  queue_.with_simulator([&](Simulator& simulator) {
    end.leave(simulator.gpu().in_flight());
    if (TimingMachine* const machine = simulator.timed()) {
      attempt([&] { machine->close(); });
      machine->hand_in(results_);  // also where nobody asks for figures: every run is held to what is always true
    }
    attempt([&] { persistence_.drain(simulator); });
  });
  attempt([&] { storage_.flush(); });
  attempt([&] { persistence_.close_records(true); });
  services_.print_buffer().flush();
  std::fflush(stdout);
  end.machine_is_gone();
  attempt.end();
}

void Machine::interrupt() {
  const ProgramTime::Call inside;
  using namespace std::chrono_literals;
  Attempts attempt;
  EndOfProgram& end = context_.end_of_program();
  end.begin();
  // Calls are short; one that is not, as it loads a module, does not touch what is read here.
  for (int i = 0; i < 2000 && !mutex_.try_lock(); ++i) std::this_thread::sleep_for(1ms);
  queue_.halt_for_good();
  queue_.with_simulator([&](Simulator& simulator) {
    end.leave(simulator.gpu().in_flight());
    if (TimingMachine* const machine = simulator.timed()) attempt([&] { machine->close(); });
    attempt([&] { persistence_.flush_log(); });
  });
  attempt([&] { persistence_.close_records(false); });
  flush_output_if_free(services_.print_buffer());
  attempt.end();
}

}  // namespace ew::runtime
