#include "runtime/own_api.hpp"

#include "runtime/host_range.hpp"

namespace ew::runtime {

void check_host_memory(Machine& machine, const void* address, u64 bytes, const char* who) {
  const u64 begin = reinterpret_cast<u64>(address);
  const auto found = machine.memory().space().find(begin);
  if (!found) {
    if (machine.memory().space().reserved(begin) || !is_mapped(begin, bytes))
      throw core::UserError(fmt::format("{}: no memory of the host holds {} bytes at {:#x}", who, bytes, begin));
    return;
  }
  using memory::Region;
  if (found->region != Region::host && found->region != Region::registered && found->region != Region::pool)
    throw core::UserError(fmt::format(
        "{}: {:#x} is not memory of the host: malloc, cudaMallocHost, cudaHostRegister or a pool", who, begin));
  if (found->region != Region::registered && !core::lies_within(begin, bytes, found->begin, found->size))
    throw core::UserError(fmt::format("{}: {} bytes at {:#x} end behind the allocation of {} bytes at {:#x}", who,
                                      bytes, begin, found->size, found->begin));
  if (found->region == Region::pool && machine.config().machine.timing() && machine.config().nvm.near())
    throw core::UserError(fmt::format(
        "{}: {:#x} lies in a pool on the GPU (nvm.attach = near), which the host's cores do not reach", who, begin));
}

bool flush_by_host(Machine& machine, ApiLock& lock, u64 address, u64 bytes) {
  PersistentMemory& memory = machine.persistence();
  if (!memory.host_flushes() || bytes == 0) return memory.make_durable(address, bytes), true;
  memory.settle(address, bytes);  // throws unless a pool holds it
  // Beside what the streams do, and the host waits for it.
  const Ticket flushed =
      machine.queue().submit(host_work_command({{{.act = host::Act::flush, .to = address, .bytes = bytes}}}), {});
  if (machine.context().wait(flushed, lock) != cudaSuccess) return false;
  memory.settle(address, bytes);
  return true;
}

}  // namespace ew::runtime
