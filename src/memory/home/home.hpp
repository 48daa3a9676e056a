// The home of the lines of one slice (an L2 slice with its directory). It keeps tags; the bytes are the coherent image
// itself, the memory that host pointers name. Requests for one line are decided one at a time; those that come while it
// is held wait in order. Owned by the machine; called by the network and by its devices.
//
// Invariants
// - Write-backs and answers to probes never wait.
// - What leaves the home leaves in the order of decision, but for values of atomics, which are late (atomic_latency).
#pragma once

#include <string>

#include "memory/home/directory.hpp"
#include "memory/home/held_polls.hpp"
#include "memory/home/host_accesses.hpp"
#include "memory/home/persists.hpp"
#include "memory/home/sector_traffic.hpp"

namespace ew::memory {

class Home final : public Receiver, public DeviceClient {
 public:
  Home(const HomeConfig& config, const HomeSurroundings& around) : p_(config, around) {}

  void receive(const Request&) override;
  void expect(const Request&, u32 step) override;
  void served(u64 token) override;
  void reached(u64 token) override { host_.reached(static_cast<u32>(token & ~host_token)); }

  /// Dirty sectors go to their devices (for studies that want the medium's traffic whole). Copies stay.
  void write_back_all();
  /// The same for lines of pools, in their turn. `waits` is told of each request, and how many there are is answered.
  u32 write_back_pools(DeviceClient& waits);
  /// The program's bytes in [begin, end) are durable as they stand: nothing here is dirty in them any more. `gone`:
  /// their pool is unmapped, and no line of it stays. With the machine stopped and nothing under way to these lines.
  void drop(u64 begin, u64 end, bool gone);

  bool quiescent() const;
  HomeStatistics statistics() const { return p_.counts.total(); }
  /// core::Accounts::tell.
  void tell(core::AccountHolders& holders, u32 number) { p_.counts.tell(holders, number); }
  HomeStatistics take(core::Account account) { return p_.counts.take(account); }
  std::string what_is_under_way() const;
  /// For contract suites and checkers.
  LineRecord directory(u64 line) const;

 private:
  void take_turn(const Request&);
  u64 turns_of_atomic(const Request&) const;
  bool dispatch(const Request&, bool again);
  u32 make_way(u64 line, Place);
  void decide(u32 way, const Request&, bool fetched);
  void count_hit(const Request&, bool hit);
  void carry_out(u32 way, const Request&, const Decision&, ServedBy);
  void run_waiting(u32 mshr);
  void pump();
  void free_mshr(u32 mshr);
  void answered(const Request&);
  void recalled(u32 mshr);
  void written_back(const Request&);
  WordMask taken(u32 way, const Request&);
  void evict(u32 way);
  void drop_line(u32 way, u64 begin, u64 end, bool gone);
  SectorMask needed(const Request&) const;

  HomeParts p_;
  Directory directory_{p_};
  SectorTraffic sectors_{p_, *this};
  HostAccesses host_{p_, *this};
  HomePersists persists_{p_, *this};
  HeldPolls polls_{p_, *this};
  bool pumping_ = false;
};

}  // namespace ew::memory
