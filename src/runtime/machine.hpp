// A simulated machine as a program sees it: memory, a GPU, streams, loaded modules. A value: two can run side by side.
// Owned by the process's runtime (process.hpp) or by a test. Owns the queue with its simulator and thread, and the
// parts below, each with a question of its own. It makes them, resets them and ends them in order.
//
// Threads: the C API takes mutex() for the length of a call, and lets go of it while it waits (context.hpp). The
// machine's thread never takes it (kernel_services.hpp).
#pragma once

#include <memory>
#include <mutex>

#include "runtime/complaints.hpp"
#include "runtime/context.hpp"
#include "runtime/driver_contexts.hpp"
#include "runtime/environment.hpp"
#include "runtime/gpufs.hpp"
#include "runtime/host_accesses.hpp"
#include "runtime/host_files.hpp"
#include "runtime/kernel_services.hpp"
#include "runtime/loaded_modules.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/measured_regions.hpp"
#include "runtime/persistent_memory.hpp"
#include "runtime/program_memory.hpp"
#include "runtime/program_work.hpp"
#include "runtime/queue.hpp"
#include "runtime/registry.hpp"
#include "runtime/run_results.hpp"
#include "runtime/simulator_maker.hpp"
#include "runtime/storage.hpp"

namespace ew::runtime {

/// Files on the host's persistent memory, and calls of them by kernels.
struct Files {
  Files(const MachineConfig& config, PersistentMemory& persistence) : host(config, persistence), gpufs(config, host) {}

  HostFiles host;
  Gpufs gpufs;
};

class Machine {
 public:
  Machine(MachineConfig, const Environment&, const Registry&);
  ~Machine();

  std::mutex& mutex() { return mutex_; }
  const MachineConfig& config() const { return config_; }
  const simt::GpuLimits& gpu_limits() const { return gpu_limits_; }
  /// Sentences about calls that fail.
  Complaints& complaints() { return complaints_; }
  /// What the program has allocated.
  ProgramMemory& memory() { return memory_; }
  /// NVMe drives.
  Storage& storage() { return storage_; }
  /// What kernels ask for while they run, and its limits.
  KernelServices& services() { return services_; }
  /// Pools, and what of them is durable.
  PersistentMemory& persistence() { return persistence_; }
  /// Files on the host's persistent memory (<everwarp/host.cuh>), and calls of them by kernels (<everwarp/gpufs.cuh>).
  Files& files() { return files_; }
  /// Stretches of streams that have a name (<everwarp/host.cuh>).
  MeasuredRegions& measured() { return measured_; }
  /// Kernels and variables.
  LoadedModules& modules() { return modules_; }
  /// Streams, events and graphs.
  ProgramWork& work() { return work_; }
  /// Waiting for the device, and the error that has lost it.
  Context& context() { return context_; }
  DriverContexts& driver_contexts() { return driver_contexts_; }
  /// Where traced accesses of the host meet the machine.
  HostAccesses& host_accesses() { return host_accesses_; }
  /// What is under way, and when it is simulated.
  Queue& queue() { return queue_; }

  /// What timing machines have measured, up to now. With the machine stopped.
  const RunResults& results();

  /// cudaDeviceReset: everything is given back, except pools, and a lost context lives again.
  void reset();
  /// Before exit: finishes what is queued (Queue::finish), prints, stops the thread. Throws core::UserError, with
  /// everything done, when a file of what was observed could not be written.
  void shut_down();
  /// A signal ends the program: the machine stands still for ever, files of what was observed are closed, and pools
  /// stay as a killed process leaves them. Threads that call CUDA do not come back. Throws as shut_down().
  void interrupt();

 private:
  std::mutex mutex_;
  const MachineConfig config_;
  const simt::GpuLimits gpu_limits_;
  Complaints complaints_;
  ProgramMemory memory_;
  Storage storage_;
  KernelServices services_;
  PersistentMemory persistence_;
  Files files_;
  MeasuredRegions measured_;
  LoadedModules modules_;
  ProgramWork work_;
  Context context_;
  DriverContexts driver_contexts_;
  HostAccesses host_accesses_;
  RunResults results_;
  SimulatorMaker simulator_maker_;
  Queue queue_;  // last: its thread uses all of the above
};

}  // namespace ew::runtime
