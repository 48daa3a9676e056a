// The context of CUDA: whether it lives, and what a thread of the program learns when it has waited for the device. The
// context is lost when a kernel ends with a fault. Every call returns the error then, until cudaDeviceReset. Owned by
// Machine.
//
// Threads: a call lets go of the Machine's mutex while it waits. The machine's thread calls lose() without the mutex.
#pragma once

#include <atomic>
#include <mutex>

#include "driver_types.h"
#include "runtime/end_of_program.hpp"
#include "runtime/print_buffer.hpp"
#include "runtime/queue.hpp"

namespace ew::runtime {

/// Holds the Machine's mutex for the length of a call of the API.
using ApiLock = std::unique_lock<std::mutex>;

class Context {
 public:
  /// The queue need not be made yet. Reads CUDA_LAUNCH_BLOCKING, CUDA's own variable: launches wait where it is 1.
  Context(Queue& queue, PrintBuffer& print_buffer);

  /// Lets go of the lock, waits, prints what kernels have printed, and takes the lock again. The context's error, if
  /// lost.
  cudaError_t wait(Ticket, ApiLock&);
  cudaError_t wait_idle(ApiLock&);
  /// Of a kernel that has been enqueued: waits for it where launches wait.
  cudaError_t wait_after_launch(Ticket ticket, ApiLock& lock) {
    return launches_wait_ ? wait(ticket, lock) : cudaSuccess;
  }
  /// cudaSuccess or cudaErrorNotReady, after the machine has run a little.
  cudaError_t query(Ticket, ApiLock&);

  /// The error that has lost the context, else cudaSuccess. Any thread.
  cudaError_t lost() const { return lost_.load(std::memory_order_acquire); }
  /// The same for a call that returns it: from then on it is known.
  cudaError_t say_lost() {
    const cudaError_t error = lost();
    if (error != cudaSuccess) lost_is_known_ = true;
    return error;
  }
  bool lost_is_known() const { return lost_is_known_; }
  /// A kernel has ended so: its report goes to standard error. By the machine's thread.
  void lose(const simt::Fault&);
  /// cudaDeviceReset: it lives again.
  void revive();

  EndOfProgram& end_of_program() { return end_of_program_; }

 private:
  cudaError_t after_wait(Waited);

  Queue& queue_;
  PrintBuffer& print_buffer_;
  const bool launches_wait_;
  EndOfProgram end_of_program_;
  std::atomic<cudaError_t> lost_{cudaSuccess};
  std::atomic<bool> lost_is_known_{false};
};

}  // namespace ew::runtime
