// A simulated machine as a program sees it: memory, a GPU, streams, loaded modules. A value: two can run side by side.
// Owned by the process's runtime (process.hpp) or by a test. Owns the AddressSpace, the Queue with its Gpu and thread,
// streams, events, allocations, modules, textures and graphs.
//
// Threads: the C API takes mutex() for the length of a call, and lets go of it while it waits. The machine's thread
// never takes it: DeviceServices and tasks touch only what has a lock of its own (print buffer, allocations) or is
// theirs (device heap).
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>

#include "memory/address_space.hpp"
#include "memory/durable_image.hpp"
#include "runtime/acknowledgements.hpp"
#include "runtime/allocations.hpp"
#include "runtime/device_heap.hpp"
#include "runtime/end_of_program.hpp"
#include "runtime/environment.hpp"
#include "runtime/graph.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/memory_pools.hpp"
#include "runtime/module.hpp"
#include "runtime/pool.hpp"
#include "runtime/print_buffer.hpp"
#include "runtime/queue.hpp"
#include "runtime/registry.hpp"
#include "runtime/run_results.hpp"
#include "runtime/stream.hpp"
#include "runtime/textures.hpp"
#include "runtime/work.hpp"
#include "simt/event_recorder.hpp"
#include "simt/gpu.hpp"

struct CUctx_st {
  unsigned flags = 0;
};

namespace ew::runtime {

using ApiLock = std::unique_lock<std::mutex>;

/// What cudaDeviceSetLimit sets.
struct Limits {
  u64 stack = 1024;
  u64 printf_buffer = 1 << 20;
  u64 device_sync_depth = 2, device_pending_launches = 2048, l2_fetch_granularity = 64, persisting_l2 = 0;
};

class Machine final : public simt::DeviceServices {
 public:
  Machine(MachineConfig, Environment, const Registry&);
  ~Machine() override;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  std::mutex& mutex() { return mutex_; }
  const MachineConfig& config() const { return config_; }
  const simt::GpuLimits& gpu_limits() const { return gpu_limits_; }
  memory::AddressSpace& memory() { return memory_; }
  Queue& queue() { return queue_; }
  Streams& streams() { return streams_; }
  Allocations& allocations() { return allocations_; }
  Textures& textures() { return textures_; }
  Graphs& graphs() { return graphs_; }
  Pools& pools() { return pools_; }
  MemoryPools& memory_pools() { return memory_pools_; }
  PrintBuffer& print_buffer() { return print_buffer_; }
  DeviceHeap& heap() { return heap_; }
  Limits& limits() { return limits_; }
  const Registry& registry() const { return registry_; }
  /// Where events of persistency go; nullptr: they are not recorded.
  simt::EventRecorder* recorder() const { return recorder_.get(); }
  /// Loads every module of the program, as their first use would.
  void load_all();

  /// Pools::map; throws core::UserError when the machine cannot have pools (why_no_pools).
  void* map_pool(const std::string& path, u64 size, bool create);
  /// Pools::unmap and Pools::make_durable, and the machine forgets what it holds of these bytes on their way to the
  /// medium. The first wants the machine idle.
  void unmap_pool(void* address);
  void make_durable(u64 address, u64 size);
  /// gpm_acknowledge().
  void acknowledge(u64 progress);
  /// gpm_persist_begin() and gpm_persist_end(): kernels before it end first.
  void persist_region(bool inside, ApiLock&);

  /// What timing machines have measured, up to now. With the machine stopped.
  const RunResults& results();

  /// The error that has lost the context, else cudaSuccess. Any thread.
  cudaError_t lost() const { return lost_.load(std::memory_order_acquire); }
  /// The same for a call that returns it: from then on it is known.
  cudaError_t say_lost() {
    const cudaError_t error = lost();
    if (error != cudaSuccess) lost_is_known_ = true;
    return error;
  }
  bool lost_is_known() const { return lost_is_known_; }

  /// The stream behind a handle, or nullptr.
  CUstream_st* stream(cudaStream_t);
  /// Submits now, or records a node when the stream is capturing. The work has been checked.
  cudaError_t enqueue(CUstream_st&, Work);
  /// Submits after the given tickets, outside of any stream.
  Ticket submit(const Work&, std::span<const Ticket> after);

  cudaError_t launch_graph(CUstream_st&, CUgraphExec_st&);
  /// Every stream leaves the capture; events recorded in it are forgotten.
  std::unique_ptr<Capture> end_capture(Capture*);

  /// Lets go of the lock, waits, prints what kernels have printed, and takes the lock again. The context's error, if
  /// lost.
  cudaError_t wait(Ticket, ApiLock&);
  cudaError_t wait_idle(ApiLock&);
  /// cudaSuccess or cudaErrorNotReady, after the machine has run a little.
  cudaError_t query(Ticket, ApiLock&);

  /// cudaSuccess when the launch fits; else the CUDA error, with one sentence on stderr.
  cudaError_t check_launch(const KernelWork&);
  u32 occupancy(const CUfunc_st&, u32 threads, u64 dynamic_shared);

  /// The kernel behind a host stub; loads its module at first use. An error has been explained on stderr once.
  cudaError_t function(const void* host, CUfunc_st*& function);
  cudaError_t symbol(const void* host, Symbol& symbol);
  /// The image's code leaves the process (dlclose): what was loaded of it is forgotten when no work is under way.
  void forget(const Image&, ApiLock&);
  /// A module of the driver API. The error has been explained on stderr, or in `mistakes` when given.
  cudaError_t load_module(const std::vector<Source>&, Module*& module, std::string* mistakes = nullptr);
  bool unload_module(Module*);
  Module* find_module(const void* handle);
  /// Whether the handle is a kernel of a module that is loaded.
  bool has_function(const CUfunc_st*) const;

  /// The driver API's contexts, all of them names of the one there is.
  CUctx_st* add_context(unsigned flags);
  bool has_context(const void*) const;
  void remove_context(const void*);

  /// Of managed memory.
  void advise(u64 begin, u64 bytes, ManagedAdvice);

  /// A traced host access is about to happen: where kernels may touch the address, the machine simulates (one quantum,
  /// or the access, where the host is a part of it) and stands still. Any thread, without the mutex.
  void meet_host_access(u64 address, u64 bytes, bool store);
  /// The same for a block that the host stores: `write` stores one piece of it, and is called for all of them.
  void meet_host_write(u64 address, u64 bytes, const Simulator::HostWrite& write);

  /// cudaDeviceReset: everything is given back, except pools, and a lost context lives again.
  void reset(ApiLock&);
  /// Before exit: finishes what is queued (Queue::finish), prints, stops the thread. Throws core::UserError, with
  /// everything done, when a file of what was observed could not be written.
  void shut_down();
  /// A signal ends the program: the machine stands still for ever, files of what was observed are closed, and pools
  /// stay as a killed process leaves them. Threads that call CUDA do not come back. Throws as shut_down().
  void interrupt();
  /// What had not ended when the program did. After shut_down() or interrupt().
  const std::vector<simt::InFlight>& unfinished() const { return unfinished_; }
  EndOfProgram& end_of_program() { return end_of_program_; }

  i32 print(const char* format, const u8* arguments, const simt::ReadString& read) override;
  u64 heap_allocate(u64 bytes) override;
  bool heap_free(u64 address) override;
  const simt::TextureObject* texture(u64 handle) override;
  bool knows_region(std::string_view name) override;
  bool region(std::string_view name, LaneMask lanes) override;

 private:
  struct Loaded {  // an image or a group of linked images
    cudaError_t error = cudaSuccess;
    std::unique_ptr<Module> module;
  };

  std::unique_ptr<Simulator> make_simulator();
  cudaError_t after_wait(Waited);
  bool meets(u64 address, bool in_pool) const;
  void meet_host(u64 address, u64 bytes, bool store, const std::function<void(Simulator&)>& access);
  void lose(const simt::Fault&);
  Loaded& load(const Image&);
  std::unique_ptr<Module> load_sources(const std::vector<Source>&, const std::map<std::string, u64>& managed,
                                       cudaError_t& error, std::string* mistakes = nullptr);
  Cost cost(Engine, u64 bytes) const;
  void complain(const std::string& sentence);

  struct Submit;

  std::mutex mutex_;
  MachineConfig config_;
  Environment environment_;
  const Registry& registry_;
  std::unique_ptr<simt::EventRecorder> recorder_;
  simt::GpuLimits gpu_limits_;
  memory::AddressSpace memory_;
  DeviceHeap heap_;
  PrintBuffer print_buffer_;
  Textures textures_;
  Allocations allocations_;
  memory::DurableImage durable_;  // of a timing machine
  Acknowledgements acknowledgements_;
  Pools pools_;
  Streams streams_;
  Graphs graphs_;
  MemoryPools memory_pools_;
  Limits limits_;
  std::map<const void*, Loaded> loaded_;                    // by image group
  std::map<const void*, std::unique_ptr<Module>> modules_;  // of the driver API
  std::unordered_map<const void*, CUfunc_st*> functions_;
  std::vector<std::unique_ptr<Module>>
      gone_;  // with the device as it was before a reset: no new handle equals an old one
  std::map<const void*, std::unique_ptr<CUctx_st>> contexts_;
  std::unordered_set<std::string> complaints_;
  std::atomic<cudaError_t> lost_{cudaSuccess};
  std::atomic<bool> lost_is_known_{false};
  bool inside_persist_region_ = false;
  RunResults results_;
  EndOfProgram end_of_program_;
  std::vector<simt::InFlight> unfinished_;
  u64 instructions_before_ = 0;  // of Gpus that a reset has replaced
  Queue queue_;                  // last: its thread uses all of the above
};

}  // namespace ew::runtime
