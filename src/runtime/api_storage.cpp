// What include/everwarp/storage.cuh and storage_host.cuh declare of the machine's drives. A mistake is one sentence on
// stderr and a value that says so.
#include <everwarp/storage_host_calls.h>
#include <everwarp/storage_registers.h>
#include <fmt/format.h>

#include "runtime/own_api.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

const memory::RegisterWindows::Window& window_of(Machine& machine, const volatile void* address, u32 bytes,
                                                 const char* who) {
  const u64 begin = reinterpret_cast<u64>(address);
  const auto* const window = machine.memory().space().registers().find(begin);
  if (!window || window->end - begin < bytes)
    throw core::UserError(fmt::format("{}: no register of a drive stands at {:#x}", who, begin));
  return *window;
}

unsigned long long load(const volatile void* address, u32 bytes, const char* who) {
  return own_api(~0ull, [&](Machine& machine, ApiLock& lock) -> unsigned long long {
    const auto& window = window_of(machine, address, bytes, who);
    machine.context().wait_idle(lock);
    return window.registers->host_load(reinterpret_cast<u64>(address) - window.begin, bytes);
  });
}

int store(volatile void* address, u32 bytes, u64 value, const char* who) {
  return own_api(-1, [&](Machine& machine, ApiLock& lock) {
    const auto& window = window_of(machine, address, bytes, who);
    machine.context().wait_idle(lock);
    window.registers->host_store(reinterpret_cast<u64>(address) - window.begin, bytes, value);
    return 0;
  });
}

HostQueue& queue_of(Machine& machine, host_queue_t handle, const char* who) {
  HostQueue* const queue = machine.storage().find(reinterpret_cast<HostQueue*>(handle));
  if (!queue) throw core::UserError(fmt::format("{}: this is no open queue of host_queue_open", who));
  return *queue;
}

constexpr core::Picoseconds between_looks{100'000};

}  // namespace

extern "C" {

host_queue_t host_queue_open(void* commands, void* completions, unsigned entries, volatile void* tail_doorbell,
                             volatile void* head_doorbell) {
  return own_api<host_queue_t>(nullptr, [&](Machine& machine, ApiLock&) {
    window_of(machine, tail_doorbell, 4, "host_queue_open");
    window_of(machine, head_doorbell, 4, "host_queue_open");
    if (entries < 2) throw core::UserError(fmt::format("host_queue_open: {} entries; expected 2 or more", entries));
    const MachineConfig& config = machine.config();
    if (config.machine.timing() && config.device.integrated)
      throw core::UserError(
          "host_queue_open: this machine's GPU shares the host's memory (device.integrated); its host has no cores "
          "that "
          "use drives");
    const core::Kilohertz clock = config.device.clock;
    return reinterpret_cast<host_queue_t>(machine.storage().open_queue(
        HostRing(reinterpret_cast<u64>(commands), reinterpret_cast<u64>(completions), entries),
        {.tail = reinterpret_cast<u64>(tail_doorbell), .head = reinterpret_cast<u64>(head_doorbell)},
        {.doorbell = core::cycles_covering(clock, config.host_link.latency),
         .look = core::cycles_covering(clock, between_looks)}));
  });
}

int host_queue_call(host_queue_t handle, const void* commands, unsigned count, cudaStream_t stream) {
  return own_api(-1, [&](Machine& machine, ApiLock&) {
    CUstream_st& to = stream_of(machine, stream, "host_queue_call");
    HostQueue& queue = queue_of(machine, handle, "host_queue_call");
    if (count == 0) return 0;
    const u64 call = queue.add({static_cast<const storage::Command*>(commands), count});
    const host::HostConfig& costs = machine.config().host;
    host::Work work{{{.act = host::Act::compute, .picoseconds = costs.io_submit.count},
                     {.act = host::Act::errand, .from = call, .errand = &queue},
                     {.act = host::Act::compute, .picoseconds = costs.io_complete.count}}};
    return machine.work().enqueue(to, std::move(work)) == cudaSuccess ? 0 : -1;
  });
}

unsigned long long host_queue_failures(host_queue_t handle, unsigned* first) {
  return own_api(~0ull, [&](Machine& machine, ApiLock& lock) -> unsigned long long {
    HostQueue& queue = queue_of(machine, handle, "host_queue_failures");
    machine.context().wait_idle(lock);
    const HostQueue::Failures failures = queue.take_failures();
    if (first) *first = failures.first;
    return failures.count;
  });
}

int host_queue_close(host_queue_t handle) {
  return own_api(-1, [&](Machine& machine, ApiLock& lock) {
    HostQueue& queue = queue_of(machine, handle, "host_queue_close");
    machine.context().wait_idle(lock);
    machine.storage().close_queue(&queue);
    return 0;
  });
}

int storage_drives(void) {
  return own_api(0, [](Machine& machine, ApiLock&) { return static_cast<int>(machine.storage().count()); });
}

volatile void* storage_registers(int number, size_t* bytes) {
  return own_api<volatile void*>(nullptr, [&](Machine& machine, ApiLock&) {
    const u32 drives = machine.storage().count();
    if (number < 0 || static_cast<u32>(number) >= drives)
      throw core::UserError(
          fmt::format("storage_registers: there is no drive {}; this machine has {} (storage.drives)", number, drives));
    const Storage::Drive& drive = machine.storage().drive(static_cast<u32>(number));
    if (bytes) *bytes = drive.window_bytes;
    return reinterpret_cast<volatile void*>(drive.window);
  });
}

unsigned storage_read32(const volatile void* address) {
  return static_cast<unsigned>(load(address, 4, "storage_read32"));
}
unsigned long long storage_read64(const volatile void* address) {
  return load(address, 8, "storage_read64");
}
int storage_write32(volatile void* address, unsigned value) {
  return store(address, 4, value, "storage_write32");
}
int storage_write64(volatile void* address, unsigned long long value) {
  return store(address, 8, value, "storage_write64");
}

}  // extern "C"
