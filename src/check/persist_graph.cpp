#include "check/persist_graph.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace ew::check {

u32 PersistGraph::add_node(std::span<const u32> before) {
  for (const u32 node : before)
    if (node) predecessors_.push_back(node);
  first_.push_back(predecessors_.size());
  persist_at_.push_back(no_persist);
  return nodes() - 1;
}

u32 PersistGraph::join(std::span<const u32> nodes) {
  u32 only = 0;
  for (const u32 node : nodes) {
    if (!node || node == only) continue;
    if (only) return add_node(nodes);
    only = node;
  }
  return only;
}

u32 PersistGraph::join(u32 a, u32 b) {
  return join(std::array{a, b});
}

u32 PersistGraph::add(const Persist& persist, std::span<const u32> before) {
  const u32 node = add_node(before);
  persist_at_[node] = size();
  persists_.push_back(persist);
  nodes_.push_back(node);
  return node;
}

u32 PersistGraph::widen(u32 node, const Widening& widening) {
  const u32 made = add_node(std::array{node});
  widenings_.push_back(widening);
  widenings_.back().node = made;
  return made;
}

void PersistGraph::complete() {
  first_successor_.assign(nodes() + 1, 0);
  for (const u32 node : predecessors_) ++first_successor_[node + 1];
  for (u32 node = 0; node < nodes(); ++node) first_successor_[node + 1] += first_successor_[node];
  successors_.resize(predecessors_.size());
  std::vector<u64> at(first_successor_.begin(), first_successor_.end() - 1);
  for (u32 node = 0; node < nodes(); ++node)
    for (const u32 earlier : before(node)) successors_[at[earlier]++] = node;
}

u32 PersistSet::count() const {
  u32 sum = 0;
  for (const u64 word : bits_) sum += static_cast<u32>(std::popcount(word));
  return sum;
}

PersistSet PersistSet::cut_at(u32 end) const {
  PersistSet result = *this;
  for (u32 word = 0; word < bits_.size(); ++word) {
    if (u64{word} * 64 + 64 <= end) continue;
    result.bits_[word] &= word * 64 >= end ? 0 : (u64{1} << end % 64) - 1;
  }
  return result;
}

PersistSet PersistSet::filled_to(u32 end) const {
  PersistSet result = *this;
  for (u32 word = 0; word < bits_.size() && word * 64 < end; ++word)
    result.bits_[word] |= word * 64 + 64 <= end ? ~u64{0} : (u64{1} << end % 64) - 1;
  return result;
}

template <bool down, class Visit>
void Reach::walk(u32 persist, Visit&& visit) {
  ++generation_;
  pending_.assign(1, graph_.node_of(persist));
  mark_[pending_[0]] = generation_;
  while (!pending_.empty()) {
    const u32 node = pending_.back();
    pending_.pop_back();
    const u32 here = graph_.persist_at(node);
    if (here != no_persist && !visit(here)) continue;
    for (const u32 next : down ? graph_.before(node) : graph_.after(node)) {
      if (mark_[next] == generation_) continue;
      mark_[next] = generation_;
      pending_.push_back(next);
    }
  }
}

void Reach::add_below(u32 persist, PersistSet& to) {
  walk<true>(persist, [&](u32 here) {  // a persist that is in the set already has everything below it there
    if (here != persist && to.has(here)) return false;
    to.add(here);
    return true;
  });
}

void Reach::remove_above(u32 persist, PersistSet& from) {
  walk<false>(persist, [&](u32 here) {
    if (here != persist && !from.has(here)) return false;
    from.remove(here);
    return true;
  });
}

PersistSet Reach::closed(const PersistSet& set) {
  PersistSet result(set.size());
  for (u32 persist = set.size(); persist-- > 0;)  // late persists first: they bring the earlier ones
    if (set.has(persist) && !result.has(persist)) add_below(persist, result);
  return result;
}

bool Reach::is_ideal(const PersistSet& set) {
  return closed(set) == set;
}

bool Reach::ordered(u32 first, u32 second) {
  bool found = false;
  walk<true>(second, [&](u32 here) {
    found |= here == first;
    return !found && here >= first;
  });
  return found;
}

}  // namespace ew::check
