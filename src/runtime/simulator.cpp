#include "runtime/simulator.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "runtime/end_signals.hpp"
#include "runtime/gpufs.hpp"
#include "runtime/host_work_events.hpp"
#include "storage/hosted/drive_thread.hpp"

namespace ew::runtime {

namespace {

bool may_be_of_program(const std::filesystem::directory_entry& thread) {
  std::string name;
  std::getline(std::ifstream(thread.path() / "comm"), name);
  return !storage::is_drive_thread(name);
}

// Warp instructions from one look at the mailboxes to the next: fewer than the rounds in vain that make a deadlock.
constexpr u64 between_looks = 512;

}  // namespace

void FunctionalSimulator::run(u64 warp_instructions, u64 until, bool host_waits) {
  gpu_->set_unattended(host_waits && until == ~u64{0}, no_other_thread);
  if (!calls_ || !calls_->any()) {
    gpu_->run(warp_instructions);
    return;
  }
  for (u64 done = 0; done < warp_instructions; done += between_looks) {
    for (const GpufsCall& call : calls_->take()) {
      if (recorder_) {
        recorder_->submitted(call.id, {});
        record_beginning(*recorder_, call.id, call.work, false);
      }
      host::perform(call.work);
      if (recorder_) {
        record_end(*recorder_, call.id, call.work, false);
        recorder_->waited(call.id);
      }
      calls_->served(call);
    }
    gpu_->run(std::min(between_looks, warp_instructions - done));
  }
}

bool FunctionalSimulator::no_other_thread() {
  constexpr auto of_the_queue = 2;
  const auto of_signals = watches_end_signals() ? 1 : 0;
  std::error_code error;
  const std::filesystem::directory_iterator threads("/proc/self/task", error);
  return !error && std::count_if(begin(threads), end(threads), may_be_of_program) <= of_the_queue + of_signals + 1;
}

}  // namespace ew::runtime
