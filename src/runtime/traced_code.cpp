// What traced code (ew build --trace-host) does besides loads and stores (host_trace.cpp): its basic blocks, flushes,
// fences, non-temporal stores and locks. Of a thread of host_parallel() they take simulated time on its core
// (host/traced_core.hpp); elsewhere in the program they take none. `ew build` puts the calls of blocks into the code
// (cli/traced_blocks.hpp), <everwarp/traced_intrinsics.h> those of instructions; the linker's --wrap brings locks here.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <everwarp/host.cuh>

#include "host/traced_core.hpp"
#include "runtime/process.hpp"

using namespace ew;
using namespace ew::runtime;
using host::TracedCore;

namespace {

[[noreturn]] void refuse(const char* what) {
  std::fprintf(stderr,
               "everwarp: %s in a thread of host_parallel, which is none of the operating system's: expected a "
               "std::mutex, an atomic that is polled, or a host_barrier\n",
               what);
  std::fflush(nullptr);
  std::_Exit(2);  // this is the machine's thread: what runs at exit would wait for it
}

}  // namespace

bool ew::runtime::in_traced_code() {
  if (!TracedCore::running()) return false;
  std::fprintf(stderr,
               "everwarp: a thread of host_parallel has called the CUDA runtime or Everwarp's own API; only the "
               "program's other threads may\n");
  return true;
}

bool& ew::runtime::in_untimed_code() {
  thread_local bool inside = false;
  return inside;
}

extern "C" {

void __everwarp_block(u32 instructions) {
  if (TracedCore* const core = TracedCore::running()) core->instructions(instructions);
}

void __everwarp_flush(const void* address) {
  if (TracedCore* const core = TracedCore::running()) return core->flush(reinterpret_cast<u64>(address));
  if (in_untimed_code()) return;
  // The program's own flush, in no simulated time: the line is durable when it is over, if it is a pool's.
  Machine* const machine = process().existing_machine();
  if (!machine) return;
  const auto [low, high] = machine->persistence().pools().range();
  const u64 line = host::line_of(reinterpret_cast<u64>(address));
  if (line < low || line >= high) return;
  host_persist(reinterpret_cast<const void*>(line), host::host_line, 1, nullptr);
  cudaStreamSynchronize(nullptr);
}

void __everwarp_fence(void) {
  if (TracedCore* const core = TracedCore::running()) core->fence();
}

void __everwarp_spin(void) {
  if (TracedCore* const core = TracedCore::running()) return core->spin();
  sched_yield();
}

/// An atomic operation that reads and writes: it owns the line. `ew build` puts the call before it.
void __everwarp_atomic(void* address, u32 bytes) {
  if (TracedCore* const core = TracedCore::running()) core->access(reinterpret_cast<u64>(address), bytes, true);
}

void __everwarp_stream(void* to, const void* from, unsigned bytes) {
  std::memcpy(to, from, bytes);
  TracedCore* const core = TracedCore::running();
  if (!core) return __everwarp_flush(to);
  u64 at = reinterpret_cast<u64>(to);
  for (const u64 end = at + bytes; at < end;) {
    const u32 here = static_cast<u32>(std::min(end, host::line_of(at) + host::host_line) - at);
    core->streamed(at, here);
    at += here;
  }
}

int __wrap_pthread_mutex_lock(pthread_mutex_t* mutex) {
  TracedCore* const core = TracedCore::running();
  if (!core) return pthread_mutex_lock(mutex);
  core->access(reinterpret_cast<u64>(mutex), sizeof(int), true);
  for (;;) {
    const int result = pthread_mutex_trylock(mutex);
    if (result != EBUSY) return result;
    core->spin();
  }
}
int __wrap_pthread_mutex_unlock(pthread_mutex_t* mutex) {
  if (TracedCore* const core = TracedCore::running()) core->access(reinterpret_cast<u64>(mutex), sizeof(int), true);
  return pthread_mutex_unlock(mutex);
}
int __wrap_pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (TracedCore::running()) refuse("pthread_cond_wait");
  return pthread_cond_wait(condition, mutex);
}
int __wrap_pthread_barrier_wait(pthread_barrier_t* barrier) {
  if (TracedCore::running()) refuse("pthread_barrier_wait");
  return pthread_barrier_wait(barrier);
}
int __wrap_pthread_join(pthread_t thread, void** result) {
  if (TracedCore::running()) refuse("pthread_join");
  return pthread_join(thread, result);
}
int __wrap_sched_yield(void) {
  TracedCore* const core = TracedCore::running();
  if (!core) return sched_yield();
  core->spin();
  return 0;
}

}  // extern "C"
