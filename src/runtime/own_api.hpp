// The frame of calls that are Everwarp's own (include/everwarp): a mistake is one sentence on stderr and a value that
// says so, and CUDA's last error is left alone.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "runtime/process.hpp"

namespace ew::runtime {

/// Runs `call(machine, lock)`; `otherwise` when it throws or there is no machine.
template <class Result, class F>
Result own_api(Result otherwise, F&& call) {
  if (in_traced_code()) return otherwise;
  const ProgramTime::Call inside;
  try {
    Machine* machine = process().machine();
    if (!machine) return otherwise;
    ApiLock lock(machine->mutex());
    return call(*machine, lock);
  } catch (const std::exception& mistake) {
    std::fprintf(stderr, "everwarp: %s\n", mistake.what());
  }
  return otherwise;
}

/// The host's cores must reach all of these bytes. Throws core::UserError when they do not.
void check_host_memory(Machine&, const void* address, u64 bytes, const char* who);

/// One core of the host flushes these bytes of a pool, and the program waits until they are durable. Where no core
/// reaches the pool it takes no time. False: the GPU has failed before. Throws core::UserError unless one pool holds
/// them all.
bool flush_by_host(Machine&, ApiLock&, u64 address, u64 bytes);

/// The stream that timed work of the host goes to. Throws core::UserError when there is none, or it is captured.
inline CUstream_st& stream_of(Machine& machine, cudaStream_t handle, const char* who) {
  CUstream_st* const stream = machine.work().stream(handle);
  if (!stream) throw core::UserError(fmt::format("{}: this is not a stream", who));
  if (stream->capture) throw core::UserError(fmt::format("{}: a graph cannot have work of the host", who));
  return *stream;
}

}  // namespace ew::runtime
