// An agent's way to the homes: what it sends, and what its releases still wait for. Private caches, cores of the host
// and copy engines are built on it. Owned by its agent's cache (or by the agent itself); called by it alone.
//
// Invariants
// - Each store that is on its way belongs to one generation, and is settled once.
// - A release is over when no store of its generation, or of an older one, is on its way. Releases end in their order.
// - Of a warp's accesses to registers of devices (mmio) one is under way at a time.
#pragma once

#include <array>
#include <string>

#include "core/ring.hpp"
#include "memory/address_map.hpp"
#include "memory/agent.hpp"
#include "memory/network.hpp"

namespace ew::memory {

class AgentPort {
 public:
  struct Parts {
    Injector& network;
    const AddressMap& map;
    Agent* agent;  // is told of releases; nullptr: it makes none
    AgentId id;
    u32 agents;        // homes' nodes start here
    bool dma = false;  // its traffic is counted as such
  };
  explicit AgentPort(const Parts& parts) : parts_(parts) {}

  AgentId id() const { return parts_.id; }
  /// A request to the home of its line. The port fills in origin, slice and traffic.
  void send_home(Request, u32 data_bytes, core::Account);
  /// An answer to a probe or forward, or the receipt of forwarded data, to the home that asked.
  void answer_home(Request, u16 slice, u32 data_bytes, core::Account);
  /// Data for another agent.
  void answer_agent(Request, AgentId, u32 data_bytes, core::Account);

  /// One more store (reduction, atomic) is on its way. Returns its generation, which settle() wants back.
  u32 open() {
    ++open_stores_[generation_ % generations];
    ++open_total_;
    return generation_;
  }
  /// It is visible to every agent. May call Agent::released().
  void settle(u32 generation);
  /// True: nothing is on its way. Else Agent::released(token) comes when all of now is visible.
  bool release(u32 token);
  bool idle() const { return !open_total_ && releases_.empty(); }

  /// False: another access of this warp to registers of devices is under way.
  bool mmio_may_go(const LineAccess& a) const {
    return !(mmio_.warps >> a.warp & 1) || mmio_.access[a.warp] == a.access;
  }
  void mmio_went(const LineAccess&);
  /// REQUIRES: nothing. An access that is none is not found.
  void mmio_over(u32 access, u32 part);

  /// One line for each release that waits.
  std::string what_is_under_way() const;

 private:
  struct Release {
    u32 token = 0, generation = 0;
  };
  static constexpr u32 generations = 256;

  void send(Request&, Node to, u32 data_bytes, core::Account);
  void fire_releases();

  Parts parts_;
  /// Stores on their way, counted by the release that will wait for them.
  std::array<u32, generations> open_stores_{};
  u32 oldest_ = 0, generation_ = 0;
  u64 open_total_ = 0;
  core::Ring<Release> releases_;
  struct Mmio {
    u64 warps = 0;                          // with an access under way
    std::array<u32, 64> access{}, parts{};  // by warp: which, and its parts, one bit each
  } mmio_;
};

}  // namespace ew::memory
