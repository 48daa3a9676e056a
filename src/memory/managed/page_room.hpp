// Brings managed pages over the link, as far as the device's memory has room beside what is allocated there. When it
// has none, the block of pages whose last page came the longest ago goes back to the host first. Owned by ManagedPages.
#pragma once

#include <deque>

#include "core/time_wheel.hpp"
#include "memory/host_link.hpp"
#include "memory/managed/managed_config.hpp"
#include "memory/managed/page_places.hpp"
#include "memory/managed/resident_blocks.hpp"

namespace ew::memory {

struct ManagedStatistics {
#define STATISTICS "memory/managed/statistics.inc"
#include "core/statistics_set.inc"
};

class PageRoom {
 public:
  /// A page that comes. `id`: of its prefetch; none: for a fault.
  struct Coming {
    static constexpr u64 none = ~u64{0};
    u64 page_address = 0, id = none;
  };
  struct Parts {
    const ManagedConfig& config;
    PagePlaces& places;
    const AddressSpace& space;
    core::TimeWheel& wheel;
    HostLink& link;
    ManagedStatistics& statistics;
    core::TimeWheel::Handler arrived;  // with the page's address and its prefetch, when it has crossed the link
    void* target;
  };
  explicit PageRoom(const Parts&);

  /// Takes in what was allocated on the device since. Between launches.
  void refresh();
  void bring(Coming);
  /// The page lies on the device from now on.
  void came(u64 page_address);
  void left(u64 page_address) { residents_.left(page_address); }
  /// It lies there, and nobody may use it before it came() again. It keeps its room.
  void hold(u64 page_address);

 private:
  void send();
  void evict();
  void has_left(u64, u64);

  const Parts parts_;
  const u64 page_, block_;  // bytes
  ResidentBlocks residents_;
  std::deque<Coming> waiting_;
  u64 room_ = 0, coming_ = 0, leaving_ = 0;  // pages
};

}  // namespace ew::memory
