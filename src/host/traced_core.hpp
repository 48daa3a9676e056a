// A core of the host that runs traced code of the program (ew build --trace-host): one thread of host_parallel(). The
// code runs natively, on a stack of its own, and calls in at each basic block, load, store, flush and fence. What it
// does there takes simulated time:
//
//   instructions    `issue_width` a cycle
//   a load          if the core's own caches lack the line, the core goes on for `window` instructions, then waits
//   a store         never waits for its line, only for room among the `misses` lines under way
//   clwb            is issued, and is under way as a line is
//   sfence          waits for stores and flushes
//
// A load reads, and a store writes, the coherent image when it is issued, in the order of simulated time; while a
// thread uses what its own caches have it may run ahead of the others a little (TracedTime).
//
// Owned by TracedCores; which core runs which thread decides Cores.
#pragma once

#include <span>
#include <string>

#include "host/combined_stores.hpp"
#include "host/lines_under_way.hpp"
#include "host/own_cache.hpp"
#include "host/port.hpp"
#include "host/streams.hpp"
#include "host/traced_pages.hpp"
#include "host/traced_time.hpp"

namespace ew::host {

class TracedCores;

class TracedCore final : public memory::DeviceClient {
 public:
  /// The core whose code the calling thread of the operating system runs now; nullptr: none.
  static TracedCore* running();

  TracedCore(const Surroundings&, HostStatistics&, TracedCores& all, u32 number, std::span<u8> stack);

  /// The step's thread begins, `wake` later. REQUIRES: idle().
  void start(const Step&, u32 thread, core::Picoseconds wake);
  bool idle() const { return time_.over(); }
  std::string what_is_under_way() const;
  void served(u64 slot) override;

  // Of the code that runs here.
  void instructions(u32 count) {
    if (time_.issue(count)) [[unlikely]]
      look();
  }
  /// It is about to load or store; a block is many lines.
  void access(u64 address, u64 bytes, bool store);
  /// It has written these bytes of a line by non-temporal stores.
  void streamed(u64 address, u32 bytes);
  void flush(u64 address);
  void fence();
  /// It waits for another thread, a moment.
  void spin();

 private:
  friend class TracedCores;

  void look();
  template <class Done>
  void wait(Done done);
  void go_on();
  void run();
  void touch(const TracedPages::Line&, bool store);
  void fetch(const TracedPages::Line&, bool store, bool prefetch);
  void prefetch(const TracedPages::Line&, bool missed);
  void make_room(u32 way);
  void send_streamed();

  const Surroundings parts_;
  HostStatistics& statistics_;
  TracedCores& all_;
  const u32 number_;
  Step step_;
  u32 thread_ = 0;
  TracedTime time_;
  u64 last_ = LinesUnderWay::never;  // the line that was used last, if it need not be looked for
  bool last_stores_ = false;         // it may be stored to
  OwnCache cache_;
  Streams streams_;
  TracedPages pages_;
  LinesUnderWay lines_;
  CombinedStores combined_;
  Port port_;
};

}  // namespace ew::host
