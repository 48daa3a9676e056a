// The one entry point of the C API: what the program has registered, and the machine it runs on. Everything else is
// reached from here, as a value; tests make Machines of their own.
//
// api() is the frame of every runtime call: it finds the machine, takes its mutex, refuses calls on a lost context,
// turns exceptions into codes and keeps the thread's last error.
#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "core/diagnostics.hpp"
#include "driver_types.h"
#include "runtime/callback_thread.hpp"
#include "runtime/host_ranges.hpp"
#include "runtime/machine.hpp"
#include "runtime/program_time.hpp"
#include "runtime/registry.hpp"

namespace ew::runtime {

/// A call's state that belongs to the calling thread.
struct ThreadState {
  cudaError_t last_error = cudaSuccess;
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
  struct Configuration {  // <<<grid, block, shared, stream>>>
    dim3 grid, block;
    std::size_t shared;
    cudaStream_t stream;
  };
  std::vector<Configuration> configurations;
  std::vector<void*> contexts;  // the driver API's stack of current contexts
  bool in_driver_call = false;  // a runtime function answers for the driver API
  bool uses_runtime = false;    // has called the runtime API, which makes the primary context current
};
ThreadState& thread_state();

class Process {
 public:
  Registry& registry() { return registry_; }
  /// The machine, made at first use; nullptr, with a sentence on stderr once, when the environment describes none.
  Machine* machine();
  /// Only if it has been made.
  Machine* existing_machine() const { return machine_pointer_.load(std::memory_order_acquire); }
  HostRanges& ranges() { return ranges_; }
  unsigned device_flags = 0;
  /// The program's host accesses are traced: its own pace decides nothing.
  void trace_host();
  bool traces_host() const { return traces_host_; }
  /// This process serves forks that use the machine (fork_server.hpp): it has no thread of the machine yet.
  void expect_forks() { expects_forks_ = true; }

 private:
  void write_results();
  void at_exit();
  void interrupt(int signal);
  void say_what_was_interrupted();
  void become_a_child();

  Registry registry_;
  HostRanges ranges_;
  std::once_flag once_;
  std::unique_ptr<Machine> machine_;
  std::atomic<Machine*> machine_pointer_{nullptr};
  std::atomic<bool> traces_host_{false};
  bool expects_forks_ = false;
  std::atomic<bool> forked_{false}, told_{false};     // in a child of a process that has used CUDA
  std::atomic<int> signal_{0};                        // that ends the program; 0: none has come
  std::atomic<bool> ends_{false}, has_ended_{false};  // somebody writes the results; they are written
  Environment environment_;
};

/// Never destroyed: registered code may still call it while static objects of the program end.
Process& process();

/// The caller is a thread of host_parallel(), whose call would stop the machine that it waits for. Says so on stderr.
bool in_traced_code();
/// The calling thread runs host_parallel() in functional mode: its accesses meet nothing, as no time passes.
bool& in_untimed_code();

inline cudaError_t keep(cudaError_t error) {
  if (error != cudaSuccess) thread_state().last_error = error;
  return error;
}

/// Runs `call(machine, lock)` with the machine's mutex held.
template <class F>
cudaError_t api_without_context_check(F&& call) {
  if (CallbackThread::inside() || in_traced_code()) return keep(cudaErrorNotPermitted);
  const ProgramTime::Call inside;
  try {
    Machine* machine = process().machine();
    if (!machine) return keep(cudaErrorInitializationError);
    if (machine->context().end_of_program().begun()) {
      machine->context().end_of_program().hold();
      return keep(cudaErrorCudartUnloading);
    }
    ThreadState& thread = thread_state();
    thread.uses_runtime |= !thread.in_driver_call;
    ApiLock lock(machine->mutex());
    return keep(call(*machine, lock));
  } catch (const std::bad_alloc&) {
    return keep(cudaErrorMemoryAllocation);
  } catch (const core::UserError& mistake) {
    std::fprintf(stderr, "everwarp: %s\n", mistake.what());
    return keep(cudaErrorUnknown);
  }
}

template <class F>
cudaError_t api(F&& call) {
  return api_without_context_check([&](Machine& machine, ApiLock& lock) {
    if (const cudaError_t lost = machine.context().say_lost()) return lost;
    return static_cast<cudaError_t>(call(machine, lock));
  });
}

/// Runs `call(machine, lock, stream)` for the stream behind the handle.
template <class F>
cudaError_t stream_api(cudaStream_t handle, F&& call) {
  return api([&](Machine& machine, ApiLock& lock) -> cudaError_t {
    CUstream_st* stream = machine.work().stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    return call(machine, lock, *stream);
  });
}

/// Calls that wait or allocate are forbidden while some stream captures: the captures are spoilt, as CUDA has it.
cudaError_t refuse_while_capturing(Machine&);

}  // namespace ew::runtime
