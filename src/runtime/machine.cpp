#include "runtime/machine.hpp"

#include <algorithm>

#include "runtime/gpu_limits.hpp"
#include "runtime/timing_machine.hpp"

namespace ew::runtime {

Machine::Machine(MachineConfig config, const Environment& environment, const Registry& registry)
    : config_(std::move(config)),
      gpu_limits_(runtime::gpu_limits(config_)),
      memory_(config_.device.memory.count, config_.bounds.reach(), config_.device.pageable),
      storage_(config_.storage, memory_.space(),
               config_.machine.timing() ? std::string() : environment.durable_log_file),
      services_(config_.launch, memory_),
      persistence_(config_, environment, memory_.space(), queue_),
      files_(config_, persistence_),
      modules_(registry, memory_, config_.device.constant_memory.count, complaints_),
      work_(config_, registry, services_.limits(), memory_, queue_),
      context_(queue_, services_.print_buffer()),
      host_accesses_(config_, memory_, persistence_.pools(), queue_),
      simulator_maker_(config_, gpu_limits_, environment, memory_, storage_, services_, persistence_, files_.gpufs,
                       results_),
      queue_(
          simulator_maker_.make(0), memory_.space(), [this](const simt::Fault& fault) { context_.lose(fault); },
          static_cast<Progress::Show>(std::min<u64>(environment.progress, 2)), persistence_.recorder()) {
  if (environment.digest) queue_.digest_copies();
}

Machine::~Machine() {
  queue_.stop();
}

const RunResults& Machine::results() {
  queue_.with_simulator([&](Simulator& simulator) {
    if (TimingMachine* const machine = simulator.timed()) machine->hand_in(results_);
  });
  return results_;
}

void Machine::reset() {
  queue_.restart(simulator_maker_.make(queue_.totals().warp_instructions));
  services_.print_buffer().flush();
  modules_.reset();
  work_.reset();
  memory_.reset();
  services_.reset();
  context_.revive();
}

}  // namespace ew::runtime
