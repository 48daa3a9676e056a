// Which nodes of a PersistGraph the next persist of one thread must follow, and which nodes stand for what the thread
// has done. A value, one a thread of a recorded run.
//
// What the next persist must follow is `in`. The thread's persists so far are `own` and `open`: those in `open` have no
// node that stands for all of them yet. What must be durable once anything after this point is, is `durable`. Node 0
// is empty.
#pragma once

#include <vector>

#include "check/persist_graph.hpp"

namespace ew::check {

class ThreadOrder {
 public:
  ThreadOrder() = default;
  /// At the beginning of a launch.
  ThreadOrder(u32 in, u32 durable) : in_(in), durable_(durable) {}

  u32 in() const { return in_; }
  u32 durable() const { return durable_; }
  /// The thread's last persist. REQUIRES: there was one since out().
  u32 last() const { return open_.back(); }

  /// A persist of the thread, which was added behind in().
  void persisted(u32 node) {
    open_.push_back(node);
    open_covers_in_ = true;
  }
  /// A node that is none, and counts as a persist of the thread.
  void performed(u32 node) { open_.push_back(node); }
  /// What a release of the thread publishes now: its persists, and what it has acquired.
  u32 out(PersistGraph&);
  /// Persists from here on follow those before.
  void order_own(PersistGraph&);
  /// Persists from here on follow what was published.
  void acquire(PersistGraph&, u32 node);
  /// The thread's persists are durable before anything that comes later; or what this node stands for is.
  void wait_until_durable(PersistGraph&);
  void learn_durable(PersistGraph& graph, u32 node) { durable_ = graph.join(durable_, node); }

 private:
  void close_own(PersistGraph&);

  u32 in_ = 0, own_ = 0, durable_ = 0;
  std::vector<u32> open_;
  bool open_covers_in_ = false;  // a persist of open_ follows all of in_
};

}  // namespace ew::check
