// Makes the PersistGraph of a recorded run under a row of axioms (persistency/axioms.hpp), from the run's events. Each
// builder makes one graph.
//
// The builder takes one event after the other, and knows the launches, blocks and threads. Its parts know
//   thread_order.hpp             the nodes that a thread's next persist must follow
//   block_barriers.hpp           the threads that have arrived at a block's barriers
//   persist_synchronisation.hpp  the order that fences and strong accesses carry from thread to thread
//   host_order.hpp               the order that the host, its commands and its persist calls make
//   persist_words.hpp            the persists: each comes behind the older ones of its bytes
// A release publishes what its thread has persisted and acquired. The persists behind an acquire follow what was
// published. A fence or barrier orders the thread's own persists. Of accesses to volatile memory the graph has only the
// strong ones (relaxed and stronger, volatile, atomics). A program that passes data through plain accesses has a race:
// they order nothing here.
#pragma once

#include <memory>

#include "check/event_file.hpp"
#include "check/host_order.hpp"
#include "check/persist_graph.hpp"
#include "check/persist_synchronisation.hpp"
#include "check/persist_words.hpp"
#include "check/recorded_thread.hpp"
#include "persistency/axioms.hpp"

namespace ew::check {

/// The whole run.
PersistGraph build_persist_graph(const EventFile&, const PersistAxioms&);

class PersistBuilder {
 public:
  /// Both outlive this. REQUIRES: axioms.recorded.
  PersistBuilder(const EventFile& events, const PersistAxioms& axioms)
      : events_(events),
        axioms_(axioms),
        words_(events, axioms_, graph_),
        synchronisation_(axioms_, graph_),
        host_(events, axioms_, graph_, words_) {}
  PersistBuilder(const PersistBuilder&) = delete;
  PersistBuilder& operator=(const PersistBuilder&) = delete;

  /// Takes the run's next event.
  void take(const EventRecord&, std::span<const u64> words);
  /// The number that the next persist will have.
  u32 persists() const { return graph_.size(); }
  PersistGraph finish();

 private:
  bool rests_in_cache(simt::TransferPath) const;
  void begin_launch(const EventRecord&, std::span<const u64>);
  void end_launch(const EventRecord&);
  u32 whole_warps(const EventRecord&) const;
  RecordedBlock& block_of(const EventRecord&);
  RecordedThread& thread_of(RecordedBlock&, const EventRecord&, u32 lane);
  void leave_barrier(RecordedBlock&, RecordedThread&);

  /// A fence of system scope, or the end, of a cached launch: the host's cache has all that was stored before.
  void reach_cache(RecordedLaunch&);
  /// What threads of this event's launch tell each other matters.
  bool synchronises(const EventRecord&) const;
  void order(const EventRecord&);
  void arrive(const EventRecord&, std::span<const u64>);
  void access(const EventRecord&, std::span<const u64>);
  void store(const LaneAccess&, std::span<const u64> value, bool reads_too);
  void add_persists(const LaneAccess&, std::span<const u64> value, u32 flag_node);
  bool in_pool(u64 address) const;

  const EventFile& events_;
  const PersistAxioms& axioms_;
  PersistGraph graph_;
  PersistWords words_;
  PersistSynchronisation synchronisation_;
  HostOrder host_;
  std::vector<std::unique_ptr<RecordedLaunch>> launches_{1};
};

}  // namespace ew::check
