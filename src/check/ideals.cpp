#include "check/ideals.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ew::check {

namespace {

/// Sorts edges by one end (`row`) into rows of their other ends: one array, and where each row begins.
void fill_rows(u32 size, const std::vector<SparseOrder::Edge>& edges, u32 SparseOrder::Edge::*row,
               u32 SparseOrder::Edge::*entry, std::vector<u32>& all, std::vector<u32>& first) {
  first.assign(size + 1, 0);
  for (const auto& edge : edges) ++first[edge.*row + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  all.resize(edges.size());
  std::vector<u32> at(first.begin(), first.end() - 1);
  for (const auto& edge : edges) all[at[edge.*row]++] = edge.*entry;
}

/// Elements of the range that are not in its lower ideal.
std::vector<u32> free_elements(const SparseOrder& order, const IdealRange& range) {
  std::vector<u32> free;
  for (u32 e = 0; e < order.size(); ++e)
    if (range.upper[e] && !range.lower[e]) free.push_back(e);
  return free;
}

/// Finds out whether each component of the free elements is a chain: each element directly follows the one before. Then
/// `chains` has them.
bool find_chains(const SparseOrder& order, const IdealRange& range, const std::vector<u32>& free,
                 std::vector<std::vector<u32>>& chains) {
  std::vector<u32> chain_of(order.size());
  for (const u32 e : free) {
    u32 latest = 0;
    bool follows = false;
    for (const u32 p : order.predecessors(e)) {
      if (range.lower[p]) continue;
      if (follows && chain_of[p] != chain_of[latest]) return false;
      if (!follows || p > latest) latest = p;
      follows = true;
    }
    if (!follows) {
      chain_of[e] = static_cast<u32>(chains.size());
      chains.push_back({e});
      continue;
    }
    chain_of[e] = chain_of[latest];
    if (chains[chain_of[e]].back() != latest) return false;
    chains[chain_of[e]].push_back(e);
  }
  return true;
}

/// Adds elements to the lower ideal in ascending order. So it comes to each ideal in exactly one way.
class Walker {
 public:
  Walker(const SparseOrder& order, const IdealRange& range, IdealWalk& walk)
      : order_(order), range_(range), walk_(walk), waits_for_(order.size()) {}

  bool run() {
    std::vector<u32> ready;
    for (const u32 e : free_elements(order_, range_)) {
      for (const u32 p : order_.predecessors(e)) waits_for_[e] += !range_.lower[p];
      if (!waits_for_[e]) ready.push_back(e);
    }
    if (!walk_.visit()) return false;
    levels_.push_back({std::move(ready), 0});
    return go();
  }

 private:
  struct Level {
    std::vector<u32> ready;  // to be added next, ascending; those before `at` have been
    std::size_t at;
  };

  bool go() {
    while (true) {
      Level& level = levels_.back();
      if (level.at == level.ready.size()) {
        levels_.pop_back();
        if (levels_.empty()) return true;
        leave(levels_.back().ready[levels_.back().at++]);
        continue;
      }
      const u32 element = level.ready[level.at];
      Level next{{level.ready.begin() + static_cast<std::ptrdiff_t>(level.at) + 1, level.ready.end()}, 0};
      const std::size_t before = next.ready.size();
      for (const u32 s : order_.successors(element))
        if (--waits_for_[s] == 0 && range_.upper[s] && !range_.lower[s]) next.ready.push_back(s);
      std::inplace_merge(next.ready.begin(), next.ready.begin() + static_cast<std::ptrdiff_t>(before),
                         next.ready.end());
      walk_.enter(element);
      if (!walk_.visit()) return false;
      levels_.push_back(std::move(next));
    }
  }

  void leave(u32 element) {
    for (const u32 s : order_.successors(element)) ++waits_for_[s];
    walk_.leave(element);
  }

  const SparseOrder& order_;
  const IdealRange& range_;
  IdealWalk& walk_;
  std::vector<u32> waits_for_;
  std::vector<Level> levels_;
};

class Counter final : public IdealWalk {
 public:
  explicit Counter(u64 limit) : limit_(limit) {}
  void enter(u32) override {}
  void leave(u32) override {}
  bool visit() override { return ++ideals < limit_; }
  u64 ideals = 0;

 private:
  u64 limit_;
};

}  // namespace

SparseOrder::SparseOrder(u32 size, std::vector<Edge> edges) : size_(size) {
  const auto key = [](const Edge& e) { return std::pair(e.from, e.to); };
  std::ranges::sort(edges, {}, key);
  const auto twice = std::ranges::unique(edges, {}, key);
  edges.erase(twice.begin(), twice.end());
  fill_rows(size, edges, &Edge::from, &Edge::to, successors_, first_successor_);
  fill_rows(size, edges, &Edge::to, &Edge::from, predecessors_, first_predecessor_);
}

std::vector<u32> SparseOrder::components() const {
  constexpr u32 none = ~u32{0};
  std::vector<u32> component(size_, none), pending;
  u32 number = 0;
  for (u32 e = 0; e < size_; ++e) {
    if (component[e] != none) continue;
    component[e] = number;
    pending.push_back(e);
    while (!pending.empty()) {
      const u32 x = pending.back();
      pending.pop_back();
      for (const auto& neighbours : {successors(x), predecessors(x)}) {
        for (const u32 y : neighbours) {
          if (component[y] != none) continue;
          component[y] = number;
          pending.push_back(y);
        }
      }
    }
    ++number;
  }
  return component;
}

IdealRange whole(const SparseOrder& order) {
  return {Members(order.size(), false), Members(order.size(), true)};
}

bool each_ideal(const SparseOrder& order, const IdealRange& range, IdealWalk& walk) {
  return Walker(order, range, walk).run();
}

IdealCount count_ideals(const SparseOrder& order, const IdealRange& range, u64 limit) {
  // Each component of the free elements is counted by itself.
  std::vector<SparseOrder::Edge> edges;
  const auto free = free_elements(order, range);
  for (const u32 e : free)
    for (const u32 s : order.successors(e))
      if (range.upper[s] && !range.lower[s]) edges.push_back({e, s});
  const SparseOrder among_free(order.size(), std::move(edges));
  const auto component = among_free.components();
  std::vector<std::vector<u32>> parts(order.size());
  for (const u32 e : free) parts[component[e]].push_back(e);

  IdealCount count;
  double product = 1;
  const auto times = [&](double factor) {
    count.log2 += std::log2(factor);
    product *= factor;
  };
  std::vector<u32> number(order.size());  // of an element in its part
  for (const auto& part : parts) {
    if (part.empty()) continue;
    std::vector<SparseOrder::Edge> inner;
    for (u32 i = 0; i < part.size(); ++i) number[part[i]] = i;
    for (const u32 e : part)
      for (const u32 s : among_free.successors(e)) inner.push_back({number[e], number[s]});
    const SparseOrder small(static_cast<u32>(part.size()), std::move(inner));
    Counter counter(limit);
    if (each_ideal(small, whole(small), counter)) {
      times(static_cast<double>(counter.ideals));
      continue;
    }
    // Too many. A chain of length l has l + 1 ideals. Cutting into chains only leaves out edges, so this is a bound.
    count.exact = false;
    std::vector<u32> tail, chain_of(small.size());
    std::vector<u64> length;
    for (u32 e = 0; e < small.size(); ++e) {
      u32 on = static_cast<u32>(tail.size());
      for (const u32 p : small.predecessors(e))
        if (tail[chain_of[p]] == p) on = chain_of[p];
      if (on == tail.size()) {
        tail.push_back(e);
        length.push_back(0);
      }
      chain_of[e] = on;
      tail[on] = e;
      ++length[on];
    }
    for (const u64 l : length) times(static_cast<double>(l + 1));
  }
  count.number = product >= 9e18 ? ~u64{0} : static_cast<u64>(product);
  return count;
}

PairCover::PairCover(const SparseOrder& order, const IdealRange& range)
    : order_(&order), range_(&range), free_(free_elements(order, range)), mark_(order.size()) {}

void PairCover::collect(u32 from, bool forward) {
  found_.clear();
  pending_.assign(1, from);
  mark_[from] = ++generation_;
  while (!pending_.empty()) {
    const u32 e = pending_.back();
    pending_.pop_back();
    found_.push_back(e);
    for (const u32 next : forward ? order_->successors(e) : order_->predecessors(e)) {
      const bool inside = forward ? range_->upper[next] : !range_->lower[next];
      if (!inside || mark_[next] == generation_) continue;
      mark_[next] = generation_;
      pending_.push_back(next);
    }
  }
  std::ranges::sort(found_);
}

CoverState PairCover::state(u64 number) {
  if (number < 2) return {number == 1, {}};
  number -= 2;
  const bool without = number % 2;
  collect(free_[number / 2], without);
  return {without, found_};
}

RandomIdeals::RandomIdeals(const SparseOrder& order, const IdealRange& range, u64 seed)
    : order_(&order), range_(&range), free_(free_elements(order, range)), waits_for_(order.size()), random_(seed) {
  if (!find_chains(order, range, free_, chains_)) chains_.clear();
}

void RandomIdeals::draw_chains(Members& ideal) {
  ideal = range_->lower;
  for (const auto& chain : chains_) {
    const u64 length = below(chain.size() + 1);
    for (u64 i = 0; i < length; ++i) ideal[chain[i]] = true;
  }
}

bool RandomIdeals::can_enter(const Members& ideal, u32 element) const {
  return std::ranges::all_of(order_->predecessors(element), [&](u32 p) { return ideal[p]; });
}

bool RandomIdeals::can_leave(const Members& ideal, u32 element) const {
  return std::ranges::none_of(order_->successors(element), [&](u32 s) { return ideal[s]; });
}

/// A sweep of a heat bath: for each element in turn, upwards and then downwards, a coin says whether it is put in or
/// taken out, if the other elements permit it. The same coins move both states. So `low` stays within `high`.
void RandomIdeals::sweep(Members& low, Members& high, u64 seed) const {
  std::mt19937_64 coins(seed);
  const auto turn = [&](u32 e) {
    const bool in = coins() & 1;
    for (Members* state : {&low, &high}) {
      if (in && !(*state)[e] && can_enter(*state, e)) (*state)[e] = true;
      if (!in && (*state)[e] && can_leave(*state, e)) (*state)[e] = false;
    }
  };
  for (const u32 e : free_) turn(e);
  for (auto e = free_.rbegin(); e != free_.rend(); ++e) turn(*e);
}

bool RandomIdeals::uniform(Members& ideal, u32 sweeps) {
  if (!chains_.empty() || free_.empty()) {
    draw_chains(ideal);
    return true;
  }
  std::vector<u64> seeds;  // of the sweeps, the last one first: going further into the past keeps the later coins
  for (u32 past = 1; past <= sweeps; past *= 2) {
    while (seeds.size() < past) seeds.push_back(random_());
    Members high = range_->upper;
    ideal = range_->lower;
    for (u32 i = past; i-- > 0;) sweep(ideal, high, seeds[i]);
    if (ideal == high) return true;
  }
  return false;
}

void RandomIdeals::prefix(Members& ideal) {
  ideal = range_->lower;
  ready_.clear();
  for (const u32 e : free_) {
    waits_for_[e] = 0;
    for (const u32 p : order_->predecessors(e)) waits_for_[e] += !range_->lower[p];
    if (!waits_for_[e]) ready_.push_back(e);
  }
  for (u64 left = below(free_.size() + 1); left > 0; --left) {
    const u64 chosen = below(ready_.size());
    const u32 e = ready_[chosen];
    ready_[chosen] = ready_.back();
    ready_.pop_back();
    ideal[e] = true;
    for (const u32 s : order_->successors(e))
      if (range_->upper[s] && --waits_for_[s] == 0) ready_.push_back(s);
  }
}

}  // namespace ew::check
