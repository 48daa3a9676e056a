#include "check/thread_order.hpp"

namespace ew::check {

/// Afterwards `own_` stands for all persists of the thread so far.
void ThreadOrder::close_own(PersistGraph& graph) {
  if (open_.empty()) return;
  open_.push_back(own_);
  own_ = graph.join(open_);
  open_.clear();
}

u32 ThreadOrder::out(PersistGraph& graph) {
  const bool covers = open_covers_in_ && !open_.empty();
  close_own(graph);
  if (covers) return own_;
  if (in_ == 0 || in_ == own_) return own_;
  return graph.join(in_, own_);
}

void ThreadOrder::order_own(PersistGraph& graph) {
  in_ = out(graph);
  open_covers_in_ = false;
}

void ThreadOrder::acquire(PersistGraph& graph, u32 node) {
  if (!node || node == in_) return;
  in_ = graph.join(in_, node);
  open_covers_in_ = false;
}

void ThreadOrder::wait_until_durable(PersistGraph& graph) {
  close_own(graph);
  durable_ = graph.join(durable_, own_);
}

}  // namespace ew::check
