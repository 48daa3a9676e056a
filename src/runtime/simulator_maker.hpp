// Makes the simulators of a Machine, as its machine file and the environment say: one when it begins, and another after
// each cudaDeviceReset. Owned by Machine; what it is made with outlives its simulators.
#pragma once

#include <memory>

#include "runtime/environment.hpp"
#include "runtime/gpufs.hpp"
#include "runtime/kernel_services.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/persistent_memory.hpp"
#include "runtime/program_memory.hpp"
#include "runtime/run_results.hpp"
#include "runtime/simulator.hpp"
#include "runtime/storage.hpp"

namespace ew::runtime {

class SimulatorMaker {
 public:
  SimulatorMaker(const MachineConfig&, const simt::GpuLimits&, Environment, ProgramMemory&, Storage&, KernelServices&,
                 PersistentMemory&, Gpufs&, RunResults&);

  /// `instructions_before`: warp instructions that earlier simulators have run; EVERWARP_CRASH_AT counts them, too.
  std::unique_ptr<Simulator> make(u64 instructions_before);

 private:
  std::unique_ptr<Simulator> make_functional();
  std::unique_ptr<memory::Registers> make_functional_drive(Storage::Drive&, u32 number);
  std::unique_ptr<Simulator> make_timing();

  const MachineConfig& config_;
  const simt::GpuLimits& limits_;
  const Environment environment_;
  ProgramMemory& memory_;
  Storage& storage_;
  KernelServices& services_;
  PersistentMemory& persistence_;
  Gpufs& gpufs_;
  RunResults& results_;
};

}  // namespace ew::runtime
