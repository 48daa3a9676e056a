// What include/everwarp/storage.cuh declares of the machine's drives. A mistake is one sentence on stderr and a value
// that says so.
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

}  // namespace

extern "C" {

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
