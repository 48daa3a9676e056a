// Managed memory of a GPU that has a memory of its own: how its pages move (page_places.hpp says where each lies). A
// page starts on the host; the first access of a kernel faults, and after the fault's latency the page crosses the host
// link. A page that the host is seen to touch goes back (docs/semantics/host.md says what is not seen). A page that is
// mostly read (cudaMemAdvise) may lie on both sides until one of them writes; a prefetch moves pages without faults.
// What fits into the device's memory, and what leaves it, says page_room.hpp. Only time: the bytes of a page have one
// place whatever its state. Owned by MemoryHierarchy.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/time_wheel.hpp"
#include "memory/address_space.hpp"
#include "memory/host_link.hpp"
#include "memory/managed/managed_advice.hpp"
#include "memory/managed/managed_config.hpp"
#include "memory/managed/page_places.hpp"
#include "memory/managed/page_room.hpp"

namespace ew::memory {

class PagedPort;

class ManagedPages {
 public:
  /// `prefetch_latency`: before a prefetch's first page. `done` is called when a prefetch is over.
  ManagedPages(const ManagedConfig&, core::Picoseconds prefetch_latency, core::Kilohertz sm_clock, const AddressSpace&,
               core::TimeWheel&, HostLink&, std::function<void(u64 id)> done);

  /// Takes in what was allocated since. Between launches.
  void refresh();
  /// May a kernel's access go on? True for every address that is not managed.
  bool resident(u64 address, bool writes) const { return places_.resident(address, writes); }
  /// The page comes; then every port that has asked is told. REQUIRES: !resident(address, writes).
  void fault(u64 address, bool writes, PagedPort&);
  /// The host has touched these bytes: their pages go back, or their copies here if they were only read.
  void touched_by_host(u64 address, u64 bytes, bool store);
  /// Moves the pages that are away from there. A page that comes already is left to its fault.
  void prefetch(u64 id, PagePrefetch);
  void advise(u64 begin, u64 bytes, ManagedAdvice);

  /// A line for each page that is waited for, the first few: for reports of deadlocks.
  std::string what_is_under_way() const;
  const ManagedStatistics& statistics() const { return statistics_; }
  ManagedStatistics& counters() { return statistics_; }

 private:
  struct Waiting {
    u64 page_address = 0;
    PagedPort* port = nullptr;
    bool writes = false;
  };
  struct Fault {
    u64 page_address = 0;
    bool transfer = true;  // false: the page is here, and its copy on the host goes
  };
  struct Moving {
    PagePrefetch what;
    u64 next = 0;  // page
    u32 in_flight = 0;
  };

  void begin_faults();
  void fault_handled(u64 page_address, u64 transfer);
  void arrived(u64 page_address, u64 prefetch);
  void go_on_prefetching(u64 id, u64 moved);
  bool prefetch_page(u64 id, Moving&);

  const ManagedConfig config_;
  const u64 page_;  // bytes
  PagePlaces places_;
  const u64 fault_cycles_, handler_cycles_, prefetch_cycles_;
  core::TimeWheel& wheel_;
  HostLink& link_;
  const std::function<void(u64 id)> done_;
  std::deque<Fault> waiting_for_batch_;
  std::map<u64, Moving> prefetches_;
  std::vector<Waiting> waiting_;
  u64 in_service_ = 0, under_way_ = 0;
  core::Cycle handler_free_ = 0;
  ManagedStatistics statistics_;
  PageRoom room_;
};

}  // namespace ew::memory
