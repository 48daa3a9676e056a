// The nodes of a PersistGraph that the next persist of one thread must follow, and the nodes that stand for what the
// thread has done. A value. Each thread of a recorded run has one.
//
// `in` stands for what the next persist must follow. `own` and `open` have the thread's persists so far; no single node
// stands for those in `open` yet. `durable` stands for what is durable before anything behind this point can be. Node 0
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
  /// The thread's last persist. REQUIRES: there was one since the last out(), order_own() or wait_until_durable().
  u32 last() const { return open_.back(); }

  /// A persist of the thread. It was added to the graph behind in().
  void persisted(u32 node) {
    open_.push_back(node);
    open_covers_in_ = true;
  }
  /// A node that is no persist, but counts as one of the thread.
  void performed(u32 node) { open_.push_back(node); }
  /// The node that a release of the thread publishes now: its persists, and what it has acquired.
  u32 out(PersistGraph&);
  /// The thread's persists from here on follow its persists before.
  void order_own(PersistGraph&);
  /// The thread's persists from here on follow this node, which was published.
  void acquire(PersistGraph&, u32 node);
  /// The thread waits until its persists are durable; it learns that what this node stands for is durable.
  void wait_until_durable(PersistGraph&);
  void learn_durable(PersistGraph& graph, u32 node) { durable_ = graph.join(durable_, node); }

 private:
  void close_own(PersistGraph&);

  u32 in_ = 0, own_ = 0, durable_ = 0;
  std::vector<u32> open_;
  bool open_covers_in_ = false;  // some persist in open_ follows everything that in_ stands for
};

}  // namespace ew::check
