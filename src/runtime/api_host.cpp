// What include/everwarp/host.cuh declares: timed work of the host. A mistake is one sentence on stderr and -1.
#include <fmt/format.h>

#include <cmath>
#include <everwarp/host.cuh>
#include <thread>
#include <vector>

#include "host/sharers.hpp"
#include "runtime/host_range.hpp"
#include "runtime/own_api.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

void check_threads(unsigned threads, const char* who) {
  if (threads == 0 || threads > 1u << 16)
    throw core::UserError(fmt::format("{}: {} threads; expected 1 to 65536", who, threads));
}

/// Traced code on the host's cores: what they cannot run.
void check_traced(const MachineConfig& config, const Pools& pools, unsigned threads) {
  const unsigned most = std::min(config.host.cores, host::Sharers::most_cores);
  if (threads > most)
    throw core::UserError(
        fmt::format("host_parallel: {} threads; expected at most {}, one for each of the machine's "
                    "cores (host.cores, of which {} at most run traced code)",
                    threads, most, host::Sharers::most_cores));
  if (!process().traces_host())
    throw core::UserError(
        "host_parallel: this program was built without --trace-host, so its host code would take no simulated time; "
        "build it with `ew build --trace-host`");
  if (config.nvm.eadr)
    throw core::UserError(
        "host_parallel: the caches of traced code are not in a persistence domain yet; expected nvm.eadr = false");
  if (config.nvm.near() && pools.range().first < pools.range().second)
    throw core::UserError(
        "host_parallel: pools are on the GPU (nvm.attach = near), where the host's cores do not reach them");
}

/// On threads of the operating system, where they take no simulated time or another one.
void run_threads(unsigned threads, bool untimed, void (*body)(void*, unsigned), void* argument) {
  std::vector<std::thread> all;
  for (unsigned thread = 0; thread < threads; ++thread)
    all.emplace_back([=] {
      in_untimed_code() = untimed;
      body(argument, thread);
    });
  for (std::thread& thread : all) thread.join();
}

int submit(Machine& machine, CUstream_st& stream, host::Work work) {
  return machine.work().enqueue(stream, std::move(work)) == cudaSuccess ? 0 : -1;
}

everwarp_host_file& file_of(Machine& machine, host_file_t handle, const char* who) {
  everwarp_host_file* const file = machine.files().host.find(handle);
  if (!file) throw core::UserError(fmt::format("{}: this is not an open file of host_file_open", who));
  return *file;
}

/// What is read or written is in the file, and the host's cores reach it.
void check_access(const Machine& machine, const everwarp_host_file& file, size_t offset, size_t bytes,
                  const char* who) {
  if (machine.config().machine.timing() && machine.config().nvm.near())
    throw core::UserError(fmt::format(
        "{}: the file lies in a pool on the GPU (nvm.attach = near), which the host's cores do not reach", who));
  if (offset > file.bytes || bytes > file.bytes - offset)
    throw core::UserError(
        fmt::format("{}: {} bytes from {} on end behind the file's {}", who, bytes, offset, file.bytes));
}

}  // namespace

extern "C" {

int host_copy(void* to, const void* from, size_t bytes, unsigned threads, cudaStream_t handle) {
  return own_api(-1, [&](Machine& machine, ApiLock&) {
    CUstream_st& stream = stream_of(machine, handle, "host_copy");
    check_threads(threads, "host_copy");
    if (bytes == 0) return 0;
    check_host_memory(machine, to, bytes, "host_copy");
    check_host_memory(machine, from, bytes, "host_copy");
    return submit(machine, stream,
                  {{{.act = host::Act::copy,
                     .threads = threads,
                     .to = reinterpret_cast<u64>(to),
                     .from = reinterpret_cast<u64>(from),
                     .bytes = bytes}}});
  });
}

int host_persist(const void* address, size_t bytes, unsigned threads, cudaStream_t handle) {
  return own_api(-1, [&](Machine& machine, ApiLock&) {
    CUstream_st& stream = stream_of(machine, handle, "host_persist");
    check_threads(threads, "host_persist");
    if (bytes == 0) return 0;
    check_host_memory(machine, address, bytes, "host_persist");
    return submit(
        machine, stream,
        {{{.act = host::Act::flush, .threads = threads, .to = reinterpret_cast<u64>(address), .bytes = bytes}}});
  });
}

int host_cache_durable(void) {
  return own_api(-1, [&](Machine& machine, ApiLock&) {
    const bool at_once = !machine.config().machine.timing() && !machine.persistence().recorder();
    return at_once || machine.config().nvm.eadr ? 1 : 0;
  });
}

int host_compute(double nanoseconds, unsigned threads, cudaStream_t handle) {
  return own_api(-1, [&](Machine& machine, ApiLock&) {
    CUstream_st& stream = stream_of(machine, handle, "host_compute");
    check_threads(threads, "host_compute");
    if (!(nanoseconds >= 0) || nanoseconds > 1e12)
      throw core::UserError(fmt::format("host_compute: {} nanoseconds; expected 0 to 1e12", nanoseconds));
    return submit(machine, stream,
                  {{{.act = host::Act::compute,
                     .threads = threads,
                     .picoseconds = static_cast<u64>(std::llround(nanoseconds * 1000))}}});
  });
}

int everwarp_host_parallel(unsigned threads, void (*body)(void*, unsigned), void* argument, cudaStream_t handle) {
  if (in_traced_code() || cudaStreamSynchronize(handle) != cudaSuccess) return -1;
  return own_api(-1, [&](Machine& machine, ApiLock& lock) {
    CUstream_st& stream = stream_of(machine, handle, "host_parallel");
    check_threads(threads, "host_parallel");
    const MachineConfig& config = machine.config();
    if (machine.persistence().recorder() && !config.machine.timing())
      throw core::UserError(
          "host_parallel: what is recorded in functional mode (ew crash) lacks the stores of threads of the host; "
          "crash "
          "it at moments of a timing machine: ew crash --timing --at random");
    if (!config.machine.timing() || config.device.integrated) {
      lock.unlock();
      run_threads(threads, !config.machine.timing(), body, argument);
      lock.lock();
      return 0;
    }
    check_traced(config, machine.persistence().pools(), threads);
    const int result = submit(
        machine, stream,
        {{{.act = host::Act::traced, .threads = threads, .from = reinterpret_cast<u64>(argument), .body = body}}});
    if (result != 0 || stream.last == 0) return result;
    return machine.context().wait(stream.last, lock) == cudaSuccess ? 0 : -1;
  });
}

host_file_t host_file_open(const char* path, size_t bytes, bool create) {
  return own_api<host_file_t>(nullptr, [&](Machine& machine, ApiLock&) {
    if (!path) throw core::UserError("host_file_open: the path is a null pointer");
    return machine.files().host.open(path, bytes, create);
  });
}

int host_file_write(host_file_t handle, size_t offset, const void* from, size_t bytes, cudaStream_t stream_handle) {
  return own_api(-1, [&](Machine& machine, ApiLock&) {
    CUstream_st& stream = stream_of(machine, stream_handle, "host_file_write");
    everwarp_host_file& file = file_of(machine, handle, "host_file_write");
    check_access(machine, file, offset, bytes, "host_file_write");
    if (bytes) check_host_memory(machine, from, bytes, "host_file_write");
    return submit(machine, stream, machine.files().host.write(file, offset, reinterpret_cast<u64>(from), bytes));
  });
}

int host_file_read(host_file_t handle, size_t offset, void* to, size_t bytes, cudaStream_t stream_handle) {
  return own_api(-1, [&](Machine& machine, ApiLock&) {
    CUstream_st& stream = stream_of(machine, stream_handle, "host_file_read");
    const everwarp_host_file& file = file_of(machine, handle, "host_file_read");
    check_access(machine, file, offset, bytes, "host_file_read");
    if (bytes) check_host_memory(machine, to, bytes, "host_file_read");
    return submit(machine, stream, machine.files().host.read(file, offset, reinterpret_cast<u64>(to), bytes));
  });
}

int host_file_sync(host_file_t handle, cudaStream_t stream_handle) {
  return own_api(-1, [&](Machine& machine, ApiLock&) {
    CUstream_st& stream = stream_of(machine, stream_handle, "host_file_sync");
    return submit(machine, stream, machine.files().host.sync(file_of(machine, handle, "host_file_sync")));
  });
}

int host_file_close(host_file_t handle) {
  return own_api(-1, [&](Machine& machine, ApiLock& lock) {
    file_of(machine, handle, "host_file_close");
    machine.context().wait_idle(lock);
    machine.files().host.close(handle);
    return 0;
  });
}

void* host_map(const char* path, size_t bytes, bool create) {
  return own_api<void*>(nullptr, [&](Machine& machine, ApiLock&) {
    if (!path) throw core::UserError("host_map: the path is a null pointer");
    void* const address = machine.persistence().map(path, bytes, create, PoolUsers::host);
    machine.persistence().expect_host_work();
    return address;
  });
}

int host_unmap(const char*, void* address, size_t) {
  return own_api(-1, [&](Machine& machine, ApiLock& lock) {
    machine.context().wait_idle(lock);
    machine.persistence().unmap(address);
    return 0;
  });
}

int measure_begin(const char* name, cudaStream_t handle) {
  return own_api(-1, [&](Machine& machine, ApiLock&) {
    if (!name) throw core::UserError("measure_begin: the name is a null pointer");
    machine.measured().begin(name, stream_of(machine, handle, "measure_begin"), machine.work());
    return 0;
  });
}

int measure_end(const char* name, cudaStream_t handle) {
  return own_api(-1, [&](Machine& machine, ApiLock&) {
    if (!name) throw core::UserError("measure_end: the name is a null pointer");
    if (!machine.measured().end(name, stream_of(machine, handle, "measure_end"), machine.work()))
      throw core::UserError(fmt::format("measure_end: no stretch named \"{}\" has begun", name));
    return 0;
  });
}

double measured(const char* name) {
  return own_api(-1.0, [&](Machine& machine, ApiLock& lock) {
    const Ticket last = name ? machine.measured().last_end(name) : 0;
    if (last == 0 || machine.context().wait(last, lock) != cudaSuccess) return -1.0;
    return static_cast<double>(machine.measured().sum(name, machine.queue()));
  });
}

}  // extern "C"
