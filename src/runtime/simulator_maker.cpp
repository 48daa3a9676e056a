#include "runtime/simulator_maker.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

#include "runtime/timing_machine.hpp"
#include "simt/functional_gpu.hpp"
#include "simt/recording_memory.hpp"
#include "storage/functional_drive.hpp"
#include "storage/hosted/hosted_drive.hpp"

namespace ew::runtime {

namespace {

void kill_this_process() {  // `ew crash`: nothing is flushed, no handler runs
  ::kill(::getpid(), SIGKILL);
  ::_exit(137);
}

}  // namespace

SimulatorMaker::SimulatorMaker(const MachineConfig& config, const simt::GpuLimits& limits, Environment environment,
                               ProgramMemory& memory, Storage& storage, KernelServices& services,
                               PersistentMemory& persistence, Gpufs& gpufs, RunResults& results)
    : config_(config),
      limits_(limits),
      environment_(std::move(environment)),
      memory_(memory),
      storage_(storage),
      services_(services),
      persistence_(persistence),
      gpufs_(gpufs),
      results_(results) {}

std::unique_ptr<Simulator> SimulatorMaker::make(u64 instructions_before) {
  std::unique_ptr<Simulator> simulator = config_.machine.timing() ? make_timing() : make_functional();
  simt::Gpu& gpu = simulator->gpu();
  if (environment_.max_instructions != 0) gpu.set_instruction_limit(environment_.max_instructions);
  if (environment_.crash_at > instructions_before)
    gpu.set_crash_point(environment_.crash_at - instructions_before, [this] {
      storage_.lose_power(environment_.crash_at);
      kill_this_process();
    });
  return simulator;
}

std::unique_ptr<memory::Registers> SimulatorMaker::make_functional_drive(Storage::Drive& drive, u32 number) {
  memory::AddressSpace& space = memory_.space();
  if (!drive.backend->hosted) return std::make_unique<storage::FunctionalDrive>(drive.config, drive.contents, space);
  const u32 room = drive.config.commands + storage::admin_commands;
  auto queue =
      storage::make_file_queue(*drive.backend, drive.image, room, drive.direct, fmt::format("storage.{}", number));
  return std::make_unique<storage::HostedDrive>(
      drive.config, drive.image, space, std::move(queue), drive.syncs,
      std::span(reinterpret_cast<u8*>(drive.window), static_cast<std::size_t>(drive.window_bytes)));
}

std::unique_ptr<Simulator> SimulatorMaker::make_functional() {
  memory::AddressSpace& space = memory_.space();
  simt::EventRecorder* const recorder = persistence_.recorder();
  std::vector<std::unique_ptr<memory::Registers>> drives;
  for (u32 number = 0; number < storage_.count(); ++number) {
    Storage::Drive& drive = storage_.drive(number);
    drives.push_back(make_functional_drive(drive, number));
    space.registers().connect(drive.window, *drives.back());
  }
  auto gpu = recorder ? std::make_unique<simt::FunctionalGpu>(limits_, space, services_,
                                                              std::make_unique<simt::RecordingMemory>(space, *recorder))
                      : std::make_unique<simt::FunctionalGpu>(limits_, space, services_);
  return std::make_unique<FunctionalSimulator>(std::move(gpu), std::move(drives), &gpufs_, recorder);
}

std::unique_ptr<Simulator> SimulatorMaker::make_timing() {
  const TimingMachine::Observation observation{.timeline_file = environment_.timeline_file,
                                               .trace_file = environment_.trace_file,
                                               .digest = environment_.digest,
                                               .traced_host = environment_.traced_host,
                                               .per_unit = environment_.per_unit,
                                               .recorder = persistence_.recorder(),
                                               .crash_at = environment_.crash_at_cycle};
  auto machine = std::make_unique<TimingMachine>(config_, limits_, environment_.seed, memory_.space(), services_,
                                                 results_, observation, &persistence_.durable(), &storage_);
  machine->serve(gpufs_);
  machine->persist_region(persistence_.inside_region());
  return machine;
}

}  // namespace ew::runtime
