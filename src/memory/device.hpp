// Media behind the homes: channels of GPU memory, host memory behind its link, non-volatile memory on either side. A
// device gives time; bytes lie in the coherent image already. Non-volatile memory puts them into the durable image,
// too. Models stand in media/.
#pragma once

#include "core/time_wheel.hpp"
#include "memory/request.hpp"

namespace ew::memory {

class DeviceClient {
 public:
  virtual ~DeviceClient() = default;
  /// The request with this token is done: a read has its bytes; a write is the device's to finish, and any later read
  /// of those bytes comes after it. Called from the wheel in that cycle.
  virtual void served(u64 token) = 0;
  /// Of registers of a device (mmio): the access is where they are; `served` follows when the answer is back.
  virtual void reached(u64 /*token*/) {}
};

/// What a core of the host wants of the memory beside it, or a drive. Nothing of it crosses the GPU's link.
enum class HostAccess : u8 {
  none,        // it comes over the link
  drive,       // of a drive behind links of its own: as `none`, but it is at the host already
  load,        // a line is put into the last-level cache
  store,       // it is fetched into that cache, and written there
  stream,      // a non-temporal store: past the cache; done when the memory controller has it
  write_back,  // a whole line from a core's own caches, put into that cache without being fetched
  flush        // clwb: what is dirty of the line is written back, and the line stays; done as a stream is
};

struct DeviceRequest {
  u64 address = 0;  // simulated physical, in the device's own space: DevicePlace::address
  u32 bytes = 32;   // a sector or more, inside one line
  bool write = false;
  u64 token = 0;
  DeviceClient* client = nullptr;  // nullptr: nobody waits (a write-back)
  // Of a write to non-volatile memory: the bytes, which the device puts into the durable image when they are durable.
  // With acceptance the payload is the device's. `served` says: in the persistence domain, or in a host cache that does
  // not belong to it (DDIO without eADR), and then durable some time later or never.
  PayloadId payload = no_payload;
  u64 line = 0;        // of the payload: address of its first byte in the program
  bool fence = false;  // of such a write: a fence has sent it
  bool mmio = false;   // for registers of a device behind the link: no cache or memory of the host is asked
  // Of a core: a load reads, the rest writes (a drive does both). The bytes lie inside one line of the last-level
  // cache. A flush's payload is what the line has that is neither durable nor dirty in that cache.
  HostAccess host = HostAccess::none;
  core::Account account = core::nobody;
};

/// All that a device may count, and what is shown of it, by the device's place in the machine.
struct DeviceStatistics {
#define STATISTICS "memory/device_statistics/any.inc"
#include "core/statistics_set.inc"
};
struct GpuMemoryStatistics {
#define STATISTICS "memory/device_statistics/gpu_memory.inc"
#include "core/statistics_set.inc"
};
struct HostMemoryStatistics {
#define STATISTICS "memory/device_statistics/host_memory.inc"
#include "core/statistics_set.inc"
};
struct NvmStatistics {
#define STATISTICS "memory/device_statistics/nvm.inc"
#include "core/statistics_set.inc"
};

class Device {
 public:
  virtual ~Device() = default;
  /// False: the device has no room for a request of this direction; the caller keeps it and asks with notify_when_free.
  virtual bool serve(const DeviceRequest&) = 0;
  /// Called back once, when serve() accepts a read (or a write) again. Those who wait are called in the order of
  /// asking, each when there is room, at the end of what the device does in that cycle; the handler may call serve().
  virtual void notify_when_free(bool write, core::TimeWheel::Handler, void* target, u64 a) = 0;
  /// Non-volatile: the program's bytes in [begin, end) are durable as they stand, or their pool is gone. What is here
  /// of them and not durable is forgotten. With the machine stopped.
  virtual void drop(u64 begin, u64 end) { static_cast<void>(begin), static_cast<void>(end); }
  /// Non-volatile: gpm_persist_begin() (inside) and gpm_persist_end(). With the machine stopped.
  virtual void persist_region(bool inside) { static_cast<void>(inside); }
  virtual u64 in_flight() const = 0;
  virtual const DeviceStatistics& statistics() const = 0;
  /// core::Accounts::tell, as far as it keeps accounts.
  virtual void tell(core::AccountHolders&, u32 /*number*/) {}
  /// What it has counted on this account since it was taken last.
  virtual DeviceStatistics take(core::Account) { return {}; }
};

}  // namespace ew::memory
