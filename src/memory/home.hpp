// The home of the lines of one slice (an L2 slice with its directory). It keeps tags; the bytes are the coherent image
// itself, the memory that host pointers name. Requests for one line are decided one at a time; those that come while it
// is held wait in order. Owned by the machine; called by the network and by its devices.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "memory/address_map.hpp"
#include "memory/agent.hpp"
#include "memory/device.hpp"
#include "memory/memory_config.hpp"
#include "memory/network.hpp"
#include "memory/protocol.hpp"

namespace ew::memory {

struct HomeStatistics {
  u64 reads = 0, read_hits = 0, read_misses = 0, reads_past = 0;
  u64 owns = 0, own_hits = 0, writes = 0, written_bytes = 0, write_backs = 0, written_back_bytes = 0;
  u64 atomics = 0, atomic_hits = 0, atomic_lanes = 0, atomic_wait_cycles = 0;
  u64 sectors_fetched = 0, sectors_written = 0, lines_evicted = 0, recalls = 0;
  u64 host_accesses = 0, host_sectors_read = 0, host_sectors_written = 0;  // of host memory that is not kept here
  u64 probes = 0, forwards = 0, held_cycles = 0, waited = 0;
  // Bytes sent to non-volatile memory: written through for requests that persist, and of lines that were evicted.
  u64 persists = 0, sectors_persisted = 0, persisted_bytes = 0, evicted_persistent_bytes = 0;
};

/// Sees what a home performs, in order: contract suites, traces.
class HomeObserver {
 public:
  virtual ~HomeObserver() = default;
  /// The request has read or changed the image just now.
  virtual void performed(const Request&) = 0;
};

class Home final : public Receiver, public DeviceClient {
 public:
  struct Parts {
    core::TimeWheel& wheel;
    Payloads& payloads;
    Network& network;
    const Protocol& protocol;
    const AddressMap& map;
    std::span<Agent* const> agents;    // performs lanes of atomics and uncached loads in the image
    std::span<Device* const> devices;  // by Place::device
    u32 slice;
    HomeObserver* observer = nullptr;
  };
  Home(const HomeConfig&, const Parts&);
  ~Home() override;

  void receive(const Request&) override;
  void served(u64 token) override;

  /// Dirty sectors go to their devices (for studies that want the medium's traffic whole). Copies stay.
  void write_back_all();
  /// The program's bytes in [begin, end) are durable as they stand: nothing here is dirty in them any more. `gone`:
  /// their pool is unmapped, and no line of it stays. With the machine stopped and nothing under way to these lines.
  void drop(u64 begin, u64 end, bool gone);

  bool quiescent() const;
  const HomeStatistics& statistics() const;
  HomeStatistics take(core::Account);
  std::string what_is_under_way() const;
  /// For contract suites and checkers.
  DirectoryLine directory(u64 line) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ew::memory
