// What include/everwarp/gpufs.cuh declares. A mistake is one sentence on stderr and -1.
#include <everwarp/gpufs_format.h>

#include <everwarp/host.cuh>

#include "runtime/gpufs.hpp"
#include "runtime/own_api.hpp"

using namespace ew;
using namespace ew::runtime;

extern "C" {

int everwarp_gpufs_serve(const everwarp::GpufsMailbox* mailbox, unsigned daemons) {
  return own_api(-1, [&](Machine& machine, ApiLock&) {
    machine.persistence().expect_host_work();
    machine.files().gpufs.begin(*mailbox, daemons);
    return 0;
  });
}

int everwarp_gpufs_end(const everwarp::GpufsMailbox* mailbox) {
  return own_api(-1, [&](Machine& machine, ApiLock& lock) {
    machine.context().wait_idle(lock);
    machine.files().gpufs.end(*mailbox);
    return 0;
  });
}

int gpufs_offer(const everwarp::GpufsMailbox* mailbox, host_file_t handle, const char* name) {
  return own_api(-1, [&](Machine& machine, ApiLock&) {
    everwarp_host_file* const file = machine.files().host.find(handle);
    if (!file || !mailbox || !name)
      throw core::UserError("gpufs_offer: a mailbox, an open file of host_file_open and a name are expected");
    return machine.files().gpufs.offer(*mailbox, file, name);
  });
}

}  // extern "C"
