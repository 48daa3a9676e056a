// Managed memory of a GPU that has a memory of its own: how its pages move (page_places.hpp says where each lies). A
// page starts on the host; the first access of a kernel faults, and after the fault's latency the page crosses the host
// link. A page that the host is seen to touch goes back (docs/semantics.md says what is not seen). A page that is
// mostly read (cudaMemAdvise) may lie on both sides until one of them writes; a prefetch moves pages without faults.
// Only time: the bytes of a page have one place whatever its state. Owned by MemoryHierarchy.
//
// PagedPort stands between an SM and its private cache: an access of a page that is not there is answered `pending` and
// held until it is; what the same warps do with other pages goes on.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/time_wheel.hpp"
#include "memory/address_space.hpp"
#include "memory/cache/private_cache.hpp"
#include "memory/host_link.hpp"
#include "runtime/model_config.hpp"
#include "runtime/page_places.hpp"
#include "runtime/prefetch.hpp"
#include "simt/line_port.hpp"

namespace ew::runtime {

class PagedPort;

struct ManagedStatistics {
  u64 faults = 0, pages_to_device = 0, pages_to_host = 0, pages_prefetched = 0, held_accesses = 0;
};

class ManagedPages {
 public:
  /// `prefetch_latency`: before a prefetch's first page. `done` is called when a prefetch is over.
  ManagedPages(const ManagedConfig&, core::Picoseconds prefetch_latency, core::Kilohertz sm_clock,
               const memory::AddressSpace&, core::TimeWheel&, memory::HostLink&, std::function<void(u64 id)> done);

  /// Takes in what was allocated since. Between launches.
  void refresh() { places_.refresh(); }
  /// May a kernel's access go on? True for every address that is not managed.
  bool resident(u64 address, bool writes) const { return places_.resident(address, writes); }
  /// The page comes; then every port that has asked is told. REQUIRES: !resident(address, writes).
  void fault(u64 address, bool writes, PagedPort&);
  /// The host has touched these bytes: their pages go back, or their copies here if they were only read.
  void touched_by_host(u64 address, u64 bytes, bool store);
  /// Moves the pages that are away from there. A page that comes already is left to its fault.
  void prefetch(u64 id, Prefetch);
  void advise(u64 begin, u64 bytes, ManagedAdvice advice) { places_.advise(begin, bytes, advice); }

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
    Prefetch what;
    u64 next = 0;  // page
    u32 in_flight = 0;
  };

  void begin_faults();
  void fault_handled(u64 page_address, u64 transfer);
  void arrived(u64 page_address, u64);
  void go_on_prefetching(u64 id, u64);
  bool prefetch_page(u64 id, Moving&);
  void prefetched(u64 page_address, u64 id);
  void left(u64, u64 id);

  const ManagedConfig config_;
  const u64 page_;  // bytes
  PagePlaces places_;
  const u64 fault_cycles_, prefetch_cycles_;
  core::TimeWheel& wheel_;
  memory::HostLink& link_;
  const std::function<void(u64 id)> done_;
  std::deque<Fault> waiting_for_batch_;
  std::map<u64, Moving> prefetches_;
  std::vector<Waiting> waiting_;
  u64 in_service_ = 0, under_way_ = 0;
  ManagedStatistics statistics_;
};

class PagedPort final : public simt::LinePort, public memory::Agent {
 public:
  PagedPort(ManagedPages& pages, memory::Agent& sm, core::TimeWheel& wheel) : pages_(pages), sm_(sm), wheel_(wheel) {}
  void attach(memory::PrivateCache& cache) { cache_ = &cache; }
  void page_arrived(u64 page_address, u64 bytes);

  memory::Accepted access(const memory::LineAccess&, memory::Stall& why) override;
  void acquire(Scope scope, core::Account account) override { cache_->acquire(scope, account); }
  // What is held is not performed: nobody can have seen it, and its own warp and kernel wait for it by themselves.
  bool release(Scope scope, u32 token, core::Account account) override {
    return cache_->release(scope, token, account);
  }
  bool flush(u32 token, core::Account account) override { return cache_->flush(token, account); }
  bool order(memory::PersistOrder kind, Scope scope, u64 warps, core::Account account) override {
    return cache_->order(kind, scope, warps, account);
  }
  void flag(memory::PersistOrder kind, u64 flag, u32 warp) override { cache_->flag(kind, flag, warp); }
  std::string what_is_under_way() const override;

  memory::ByteMask perform(u32 access, u32 part, u8* bytes) override { return sm_.perform(access, part, bytes); }
  void complete(u32 access, u32 part, memory::ServedBy by) override { sm_.complete(access, part, by); }
  void wake() override;
  void resume(u64 warps) override;
  void released(u32 token) override { sm_.released(token); }

 private:
  struct Held {
    memory::LineAccess access;
    bool asked = false;  // for its page
    bool writes() const { return access.kind != memory::AccessKind::load; }
  };

  bool must_hold(const memory::LineAccess&) const;
  void go_on_at(core::Cycle);
  void go_on(u64, u64);
  void completed(u64 access, u64 part);

  ManagedPages& pages_;
  memory::Agent& sm_;
  core::TimeWheel& wheel_;
  memory::PrivateCache* cache_ = nullptr;
  std::vector<Held> held_;  // in order of arrival
  bool asked_ = false;
};

}  // namespace ew::runtime
