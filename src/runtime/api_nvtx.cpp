// NVTX ranges, of include/cuda/nvToolsExt.h.
#include <unistd.h>

#include "nvToolsExt.h"
#include "runtime/process.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

/// Where the host stands. Before there is a machine, at the beginning.
u64 now() {
  Machine* const machine = process().existing_machine();
  return machine ? machine->queue().host_nanoseconds() : 0;
}

u64 this_thread() {
  return static_cast<u64>(gettid());
}

std::string_view text(const char* name) {
  return name ? name : "";
}

}  // namespace

int everwarp_nvtx_push(const char* name) {
  return process().ranges().push(this_thread(), text(name), now());
}

int everwarp_nvtx_pop() {
  return process().ranges().pop(this_thread(), now());
}

nvtxRangeId_t everwarp_nvtx_start(const char* name) {
  return process().ranges().start(text(name), now());
}

void everwarp_nvtx_end(nvtxRangeId_t id) {
  process().ranges().end(id, now());
}
