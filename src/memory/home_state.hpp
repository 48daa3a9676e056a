// The inside of a home: what home*.cpp share. Owned by Home.
//
// Invariants
// - A line with an MSHR is under way to its device, held by the protocol, or has waiting requests; it is not evicted.
//   Requests for it wait in order. Without an MSHR there are none.
// - While `blocked` is not empty, every new request joins it: requests for one line never pass each other.
// - Write-backs and answers to probes never wait.
// - What leaves the home leaves in the order of decision.
#pragma once

#include "core/ring.hpp"
#include "memory/home.hpp"
#include "memory/impossible.hpp"
#include "memory/masks.hpp"
#include "memory/tag_array.hpp"

namespace ew::memory {

struct Home::State {
  static constexpr u32 none = ~u32{0};
  using SectorMask = u32;

  struct Line {
    SectorMask valid = 0, fetching = 0;
    u32 mshr = none;
    ByteMask dirty;    // for the device: the image has them
    ByteMask written;  // since the line came: a sector of which all bytes are is valid
  };

  struct Waiting {
    Request request;
    u32 next = none;
    bool fetched = false;  // its sectors came from the device
  };
  struct List {
    u32 first = none, last = none;
  };

  struct Mshr {
    u32 way = no_way;
    List waiting;
    u32 answers = 0;  // of probes and forwards, to come
    bool held = false, recall = false;
    Request request;  // that it is held for
    bool fetched = false;
    Decision decision;
    Cycle since = 0;
    u32 next_free = none;
    bool active = false;
  };

  /// An access to host memory that is not kept here: performed, and now on its way to the host and back. One to a
  /// device's registers is performed when it has been there: until then `answer` is the request.
  struct HostAccess {
    Request answer;
    u32 data_bytes = 0;
    u32 parts = 0;  // requests at the device
    u32 next_free = none;
    bool mmio = false;
  };

  /// Bytes on their way to the persistence domain.
  struct Persist {
    Request answer;
    u32 parts = 0;  // requests at the device
    u32 next_free = none;
  };

  struct Departure {
    Request message;
    u32 data_bytes = 0;
    Node to = 0;
    u32 next_free = none;
  };

  State(const HomeConfig&, const Parts&, Home&);

  // home.cpp: arrivals and decisions
  void arrive(const Request&);
  void take_turn(const Request&);
  bool dispatch(const Request&, bool again = false);
  bool dispatch_to_host(const Request&, bool mmio);
  u32 make_way(u64 line);
  void decide(u32 way, const Request&, bool fetched);
  void count_hit(const Request&, bool hit);
  void carry_out(u32 way, const Request&, const Decision&, ServedBy);
  bool perform(const Request&, const Decision&, Request& answer, u32& data_bytes, ByteMask& dirty);
  bool perform_in_image(const Request&, const Decision&, Request& answer, u32& data_bytes, ByteMask& dirty);
  void run_waiting(u32 mshr);
  void pump();
  bool needs_mshr_to_decide(u32 way) const { return permission.tracked && lines[way].mshr == none; }
  SectorMask sectors_of(WordMask) const;
  SectorMask complete_sectors(WordMask) const;
  SectorMask needed(const Request&) const;
  WordMask words_of(u32 first_sector, u32 sectors) const {
    const u32 width = config.sector / word_bytes;
    return static_cast<WordMask>(((u64{1} << (sectors * width)) - 1) << (first_sector * width));
  }
  u32 find(u64 line) const { return tags.find(line, parts.map.physical(line)); }
  DirectoryLine& record(u32 way) { return permission.tracked ? directory[way] : untracked; }

  // home_directory.cpp: probes, forwards, recalls, write-backs
  void hold(u32 way, const Request&, const Decision&, bool fetched);
  void probe_answered(const Request&);
  void written_back(const Request&);
  void recall(u32 way);
  void recalled(u32 mshr);
  void send_probe(u64 line, AgentId to, AgentId origin, ProbeKind);
  bool copies_exist(u32 way) const;

  // home_device.cpp: sectors, devices, departures
  void fetch(u32 way, SectorMask);
  void evict(u32 way);
  void write_sectors(u32 way);
  void put(u16 device, const DeviceRequest&);
  void ask_for_room(u32 which);
  void put_waiting(u32 which);
  void served(u64 token);
  void host_served(u32 number);
  void perform_at_host(HostAccess&);
  void persist(u32 way, const Request&, const ByteMask&);
  void persisted(u32 number);
  void drop(u32 way, u64 begin, u64 end, bool gone);
  template <class Visitor>
  void each_run(SectorMask, Visitor&&) const;
  void depart(const Request&, Node, u32 data_bytes);
  void send(u64 departure, u64);

  u32 take_mshr(u32 way);
  void free_mshr(u32);
  u32 take_waiting(const Request&);
  void append(List&, u32 node);

  Cycle now() const { return parts.wheel.now(); }

  HomeConfig config;
  Home::Parts parts;
  Home& home;
  Permission permission;
  /// What follows is on this account.
  void act_for(core::Account whose) {
    if (whose == account) return;
    account = whose;
    counts = &accounts[whose];
  }
  core::Accounts<HomeStatistics> accounts;
  core::Account account = core::nobody;
  HomeStatistics* counts = &accounts[core::nobody];
  HomeStatistics statistics;  // all together, when somebody asks
  u32 agents;

  TagArray tags;
  std::vector<Line> lines;
  std::vector<DirectoryLine> directory;  // by way; empty when the protocol tracks nothing
  DirectoryLine untracked;

  std::vector<Mshr> mshrs;
  u32 free_mshrs = none, active_mshrs = 0;
  std::vector<Waiting> waiting;
  u32 free_waiting = none;
  List blocked;
  bool pumping = false;

  std::vector<HostAccess> host_accesses;
  u32 free_host_access = none, host_accesses_under_way = 0;
  std::vector<Persist> persists;
  u32 free_persist = none, persists_under_way = 0;
  std::vector<core::Ring<DeviceRequest>> queued;  // by device and direction; those that it has no room for yet
  u64 queued_total = 0;

  std::vector<Departure> departures;
  u32 free_departure = none, departing = 0;
  u64 turn = 0;  // in cycles times requests_per_cycle
  Cycle last_start = 0;
};

}  // namespace ew::memory
