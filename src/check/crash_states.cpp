#include "check/crash_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <random>

#include "core/diagnostics.hpp"

namespace ew::check {
namespace {

constexpr u32 most_listed = 20000;             // persists of a graph whose states are listed
constexpr std::size_t most_edges = 4'000'000;  // between these persists

std::string grouped(u64 number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

}  // namespace

bool persist_edges(const PersistGraph& graph, std::size_t most, std::vector<SparseOrder::Edge>& edges) {
  std::vector<u32> mark(graph.nodes(), 0), pending;
  for (u32 persist = 0; persist < graph.size(); ++persist) {
    const u32 generation = persist + 1;
    pending.assign(1, graph.node_of(persist));
    while (!pending.empty()) {
      const u32 node = pending.back();
      pending.pop_back();
      for (const u32 earlier : graph.before(node)) {
        if (mark[earlier] == generation) continue;
        mark[earlier] = generation;
        const u32 other = graph.persist_at(earlier);
        if (other == no_persist)
          pending.push_back(earlier);
        else
          edges.push_back({other, persist});
      }
    }
    if (edges.size() > most) return false;
  }
  return true;
}

CrashStates::CrashStates(const PersistGraph& graph, u64 budget, u64 seed) : graph_(graph), seed_(seed) {
  exhaustive_ = list_every(budget);
  if (exhaustive_) return;
  choose_cover(budget, seed);
  find_antichain();
}

namespace {

struct Lister final : IdealWalk {
  explicit Lister(u32 size, u64 limit) : present(size), most(limit) {}
  void enter(u32 element) override { present.add(element); }
  void leave(u32 element) override { present.remove(element); }
  bool visit() override {
    all.push_back(present);
    return all.size() <= most;
  }
  PersistSet present;
  u64 most;
  std::vector<PersistSet> all;
};

}  // namespace

bool CrashStates::list_every(u64 budget) {
  const u64 words = u64{graph_.size()} / 64 + 1;
  if (graph_.size() > most_listed || graph_.size() >= budget || words * budget > (u64{1} << 27)) return false;
  std::vector<SparseOrder::Edge> edges;
  if (!persist_edges(graph_, most_edges, edges)) return false;
  const SparseOrder order(graph_.size(), std::move(edges));
  Lister lister(graph_.size(), budget);
  if (!each_ideal(order, whole(order), lister)) return false;
  every_ = std::move(lister.all);
  return true;
}

/// Takes persists from every place of the program in turn: of each place the first, then the last, then any.
void CrashStates::choose_cover(u64 budget, u64 seed) {
  const u64 pairs = budget > 2 ? budget - 2 : 0;
  if (2 * u64{graph_.size()} <= pairs) {
    for (u32 persist = 0; persist < graph_.size(); ++persist) covered_.push_back(persist);
  } else {
    std::map<std::pair<u32, u32>, std::vector<u32>> places;
    for (u32 persist = 0; persist < graph_.size(); ++persist) {
      const Persist& p = graph_.persist(persist);
      if (p.launch != 0) {
        places[{p.kernel, p.pc}].push_back(persist);
        continue;
      }
      u32 flush = 0;  // stores of the host have no line: those behind the same flush are of one place
      for (const u32 node : graph_.before(graph_.node_of(persist)))
        if (graph_.persist_at(node) == no_persist) flush = std::max(flush, node);
      places[{no_persist, flush}].push_back(persist);
    }
    std::mt19937_64 random(seed);
    std::vector<std::vector<u32>> lists;
    for (auto& [place, list] : places) {
      if (list.size() > 2) {
        std::swap(list[1], list.back());
        for (std::size_t i = list.size() - 1; i > 2; --i) std::swap(list[i], list[2 + random() % (i - 1)]);
      }
      lists.push_back(std::move(list));
    }
    places_ = lists.size();
    const u64 wanted = pairs * 4 / 10;  // each makes two states; the rest of the budget are random states
    for (std::size_t round = 0; covered_.size() < wanted; ++round)
      for (const auto& list : lists)
        if (round < list.size() && covered_.size() < wanted) covered_.push_back(list[round]);
  }
  random_ = std::max<u64>(pairs - std::min(pairs, 2 * u64{covered_.size()}), pairs / 10);
}

/// Persists of one depth are not ordered with each other. So a crash may leave any subset of the widest depth.
void CrashStates::find_antichain() {
  std::vector<u32> depth(graph_.nodes(), 0), width;
  for (u32 node = 1; node < graph_.nodes(); ++node) {
    for (const u32 earlier : graph_.before(node)) depth[node] = std::max(depth[node], depth[earlier]);
    if (graph_.persist_at(node) == no_persist) continue;
    const u32 here = ++depth[node];
    if (width.size() <= here) width.resize(here + 1);
    antichain_ = std::max(antichain_, ++width[here]);
  }
}

std::string CrashStates::name(u64 index) const {
  if (exhaustive_) return fmt::format("state:{}", index);
  if (index < 2) return index == 0 ? "none" : "all";
  index -= 2;
  if (index < 2 * covered_.size())
    return fmt::format("{}:{}", index % 2 == 0 ? "with" : "without", covered_[index / 2]);
  return fmt::format("random:{}", index - 2 * covered_.size());
}

PersistSet CrashStates::state(u64 index, Reach& reach) const {
  return named(name(index), reach);
}

PersistSet CrashStates::named(const std::string& name, Reach& reach) const {
  const u32 size = graph_.size();
  if (name == "none") return PersistSet(size);
  if (name == "all") return PersistSet(size, true);
  // "upto:N,without:M"
  if (const auto comma = name.find(",without:"); name.starts_with("upto:") && comma != name.npos) {
    PersistSet set = named(name.substr(0, comma), reach);
    const PersistSet rest = named(name.substr(comma + 1), reach);
    for (u32 p = 0; p < size; ++p)
      if (!rest.has(p)) set.remove(p);
    return set;
  }
  const auto colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  u64 number = 0;
  bool good = colon != name.npos && colon + 1 < name.size();
  if (good) {
    const char* const end = name.data() + name.size();
    const auto [at, error] = std::from_chars(name.data() + colon + 1, end, number);
    good = error == std::errc{} && at == end;
  }
  if (good && kind == "random") return random_state(number, reach);
  if (good && kind == "state" && number < every_.size()) return every_[number];
  if (good && kind == "upto" && number <= size) return PersistSet(size, true).cut_at(static_cast<u32>(number));
  if (good && (kind == "with" || kind == "without") && number < size) {
    PersistSet set(size, kind == "without");
    if (kind == "with")
      reach.add_below(static_cast<u32>(number), set);
    else
      reach.remove_above(static_cast<u32>(number), set);
    return set;
  }
  throw core::UserError(
      fmt::format("there is no crash state \"{}\": the run has {} persists, so state:N, with:N, without:N, upto:N and "
                  "random:N are those of a report of the same run with the same --count and --seed",
                  name, grouped(size)));
}

PersistSet CrashStates::random_state(u64 number, Reach& reach) const {
  const u32 size = graph_.size();
  std::mt19937_64 random(seed_ * 0x9e3779b97f4a7c15 + number);
  const u32 some = 1 + static_cast<u32>(random() % 8);
  if (size == 0) return PersistSet(0);
  if (number % 3 == 0) {
    PersistSet set(size);
    for (u32 i = 0; i < some; ++i) reach.add_below(static_cast<u32>(random() % size), set);
    return set;
  }
  // A moment of the run without some of its latest persists, or the whole run without some persists.
  const u32 moment = number % 3 == 1 ? 1 + static_cast<u32>(random() % size) : size;
  PersistSet set = PersistSet(size, true).cut_at(moment);
  const u32 lately = std::min(moment, number % 3 == 1 ? 256u : size);
  for (u32 i = 0; i < some; ++i)
    if (const u32 one = moment - 1 - static_cast<u32>(random() % lately); set.has(one)) reach.remove_above(one, set);
  return set;
}

std::string CrashStates::coverage() const {
  const std::string persists = grouped(graph_.size());
  if (graph_.size() == 0) return "exhaustive: the one state that there is without persists";
  if (exhaustive_)
    return fmt::format("exhaustive: all {} states that {} persists allow", grouped(every_.size()), persists);
  const double digits = antichain_ * std::log10(2.0);
  const u64 few = antichain_ < 60 ? std::max(u64{1} << antichain_, u64{graph_.size()} + 1) : 0;
  const std::string least = antichain_ >= 60 ? fmt::format(" of at least 10^{:.0f}", std::floor(digits))
                            : few > size()   ? " of at least " + grouped(few)
                                             : std::string();
  if (covered_.size() == graph_.size())
    return fmt::format(
        "{}{} states: the pair cover, in which every two of {} persists stand in every way that is "
        "allowed "
        "(one there without the other), and {} random ones",
        grouped(size()), least, persists, grouped(random_));
  const std::string share = covered_.size() >= places_ ? "every place of the program has its share"
                                                       : fmt::format("{} of the program's {} places have one",
                                                                     grouped(covered_.size()), grouped(places_));
  return fmt::format("{}{} states: with and without each of {} persists (of {}; {}), and {} random ones",
                     grouped(size()), least, grouped(covered_.size()), persists, share, grouped(random_));
}

}  // namespace ew::check
