// What include/everwarp/gpm.cuh declares: persistent pools for the program. A mistake is one sentence on stderr and a
// null pointer; CUDA's last error is left alone.
#include <cstdio>
#include <everwarp/gpm.cuh>

#include "runtime/process.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

/// Runs `call(machine, lock)`; `otherwise` when it throws or there is no machine.
template <class Result, class F>
Result persistence_api(Result otherwise, F&& call) {
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

}  // namespace

extern "C" {

void* gpm_map(const char* path, size_t size, bool create) {
  return persistence_api<void*>(nullptr, [&](Machine& machine, ApiLock&) {
    if (!path) throw core::UserError("gpm_map: the path is a null pointer");
    void* const pool = machine.pools().map(path, size, create);
    if (machine.recorder())
      machine.recorder()->pool_mapped(path, reinterpret_cast<u64>(pool), Pools::size_of(path), pool_header_bytes);
    return pool;
  });
}

int gpm_unmap(const char*, void* address, size_t) {
  return persistence_api(-1, [&](Machine& machine, ApiLock& lock) {
    machine.wait_idle(lock);  // a kernel under way may still use the pool; a lost context uses nothing
    if (machine.recorder()) machine.recorder()->pool_unmapped(reinterpret_cast<u64>(address));
    machine.pools().unmap(address);
    return 0;
  });
}

size_t gpm_size(const char* path) {
  return path ? Pools::size_of(path) : 0;
}

int gpm_persist_range(const void* address, size_t size) {
  return persistence_api(-1, [&](Machine& machine, ApiLock&) {
    machine.pools().make_durable(reinterpret_cast<u64>(address), size);
    if (machine.recorder()) machine.recorder()->host_persisted(reinterpret_cast<u64>(address), size);
    return 0;
  });
}

void gpm_persist_begin(void) {}
void gpm_persist_end(void) {}

}  // extern "C"
