#include "literal_ptx.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "literal_threads.hpp"

namespace ew::check {

namespace {

using namespace literal;

constexpr std::size_t most_ops = 32;

struct Pairs {
  std::array<u32, most_ops> after{};
  bool operator()(std::size_t a, std::size_t b) const { return (after[a] >> b) & 1; }
  void add(std::size_t a, std::size_t b) { after[a] |= u32{1} << b; }
};

class Literal {
 public:
  Literal(const Litmus& test, u64 most, const std::string& model) : test_(test), most_(most), model_(model) {
    u32 block = 1000;
    for (const ThreadText& t : test.threads)
      places_.push_back(t.placement ? std::pair(t.placement->device, t.placement->block) : std::pair(0u, block++));
    for (const ThreadText& t : test.threads) {
      registers_.emplace_back();
      note_names(t.statements);
    }
    for (const auto& [location, value] : test.initial) initial_[location] = value;
  }

  LiteralStates run() {
    std::vector<std::vector<Run>> runs = all_runs();
    if (result_.complete) combine(runs, {}, 0);
    return std::move(result_);
  }

 private:
  void note_names(const std::vector<Statement>& list) {
    for (const Statement& s : list) {
      if (!s.location.empty()) initial_.insert({s.location, 0});
      if (!s.reg.empty()) registers_.back().insert(s.reg);
      writers_ += !s.location.empty() && s.verb != Verb::ld && s.verb != Verb::await;
      note_names(s.then);
      note_names(s.otherwise);
    }
  }

  std::vector<std::vector<Run>> all_runs() {
    Universe universe, written;
    for (const auto& [location, value] : initial_) written[location] = {value};
    std::vector<std::vector<Run>> runs;
    // A value is made of values that others, or earlier statements, wrote: in as many steps as there are statements.
    for (u32 step = 0; written != universe && step <= writers_ && result_.complete; ++step) {
      universe = written;
      runs.clear();
      u64 ways = 1;
      for (std::size_t t = 0; t < test_.threads.size(); ++t) {
        Walker walker(static_cast<int>(t), universe, written, most_);
        std::vector<const Statement*> rest;
        const auto& list = test_.threads[t].statements;
        for (auto at = list.rbegin(); at != list.rend(); ++at) rest.push_back(&*at);
        Run run;
        for (const std::string& name : registers_[t]) run.registers[name] = 0;
        walker.walk(rest, run);
        ways *= walker.runs.size();
        runs.push_back(std::move(walker.runs));
      }
      result_.complete = ways <= most_;
    }
    return runs;
  }

  void combine(const std::vector<std::vector<Run>>& runs, std::vector<const Run*> chosen, std::size_t t) {
    if (t < runs.size()) {
      chosen.push_back(nullptr);
      for (const Run& run : runs[t]) {
        chosen.back() = &run;
        combine(runs, chosen, t + 1);
      }
      return;
    }
    ops_.clear();
    state_.clear();
    for (const auto& [location, value] : initial_) {
      Op op;
      op.location = location;
      op.writes = true;
      op.put = value;
      ops_.push_back(op);
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const int first = static_cast<int>(ops_.size());
      for (Op op : chosen[i]->ops) {
        std::set<int> from;
        for (const int f : op.from) from.insert(f + first);
        op.from = from;
        ops_.push_back(op);
      }
      for (const auto& [name, value] : chosen[i]->registers)
        state_["T" + std::to_string(test_.threads[i].number) + ":" + name] = value;
    }
    if (ops_.size() > most_ops) {
      result_.complete = false;
      return;
    }
    for (Op& op : ops_) read_by_model(op);
    meetings_.clear();
    meet(std::vector<std::size_t>(test_.threads.size(), 0), {}, std::vector<int>(ops_.size(), -1));
    for (const std::vector<int>& meeting : meetings_) {
      for (std::size_t a = 0; a < ops_.size(); ++a) ops_[a].meeting = meeting[a];
      fixed();
      source_.assign(ops_.size(), 0);
      read_from(0);
    }
  }

  // --- Other models than ptx
  // ------------------------------------------------------------------------------------------

  bool is_sc() const { return model_ == "sc"; }
  bool is_drf0() const { return model_ == "drf0"; }
  bool is_hrf() const { return model_ == "hrf" || model_ == "hrf-direct"; }

  /// "sc: every access is strong, at scope sys." "drf0, hrf: each strong access synchronises; drf0: at scope sys."
  void read_by_model(Op& op) const {
    if (op.thread < 0 || op.kind == Op::Kind::barrier) return;
    if (is_sc() && op.kind == Op::Kind::memory && op.order == Order::weak) op.order = Order::relaxed;
    if (!op.strong()) return;
    if (is_sc() || is_drf0()) op.scope = Scope::sys;
    if (op.kind != Op::Kind::memory || !(is_drf0() || is_hrf())) return;
    op.order = op.atomic ? Order::acq_rel : op.reads ? Order::acquire : Order::release;
  }

  /// "Strong accesses have one order": no circle of communication and of what a thread keeps in order.
  bool one_order(const Pairs& co) const {
    if (model_ == "ptx") return true;
    Pairs before = program_order_;
    for (std::size_t a = 0; a < ops_.size(); ++a)
      for (std::size_t b = 0; b < ops_.size(); ++b)
        if (met(a, b) || (ops_[a].kind == Op::Kind::barrier && ops_[b].kind == Op::Kind::barrier &&
                          key_of(ops_[a]) == key_of(ops_[b]) && ops_[a].meeting < ops_[b].meeting))
          before.add(a, b);
    before = transitive(before);
    Pairs order;
    for (std::size_t a = 0; a < ops_.size(); ++a)
      for (std::size_t b = 0; b < ops_.size(); ++b) {
        const Op &one = ops_[a], &other = ops_[b];
        if (a == b || one.kind != Op::Kind::memory || other.kind != Op::Kind::memory) continue;
        if (!one.strong() || !other.strong()) continue;
        if (before(a, b)) order.add(a, b);
        if (strong_(a, b) && (rf(a, b) || co(a, b) || from_read(a, b, co))) order.add(a, b);
      }
    return !cyclic(order);
  }

  /// "hrf-direct: through operations of one scope alone." Any two operations, otherwise.
  bool of_one_scope(std::size_t a, std::size_t b) const {
    if (model_ != "hrf-direct") return true;
    const Op &one = ops_[a], &other = ops_[b];
    if (one.thread < 0 || other.thread < 0) return false;
    const auto scope = [](const Op& op) {
      return op.kind == Op::Kind::barrier                             ? Scope::cta
             : op.kind == Op::Kind::memory && op.order == Order::weak ? Scope::none
                                                                      : op.scope;
    };
    const auto &here = places_[static_cast<std::size_t>(one.thread)],
               &there = places_[static_cast<std::size_t>(other.thread)];
    if (scope(one) != scope(other) || scope(one) == Scope::none) return false;
    if (scope(one) == Scope::cta) return here == there;
    return scope(one) == Scope::sys || here.first == there.first;
  }

  // --- Barriers: as many arrivals as it waits for complete it, then it begins again
  // -----------------------------------

  using Key = std::pair<std::pair<u32, u32>, u32>;
  Key key_of(const Op& op) const { return {places_[static_cast<std::size_t>(op.thread)], op.barrier}; }
  int wanted(const Op& op) const {
    if (op.threads) return static_cast<int>(op.threads / 32);
    return static_cast<int>(std::ranges::count(places_, places_[static_cast<std::size_t>(op.thread)]));
  }

  void meet(const std::vector<std::size_t>& at, const std::map<Key, int>& arrived, const std::vector<int>& meeting) {
    bool over = true;
    for (std::size_t t = 0; t < at.size(); ++t) {
      std::vector<std::size_t> mine;
      for (std::size_t a = 0; a < ops_.size(); ++a)
        if (ops_[a].thread == static_cast<int>(t) && ops_[a].kind == Op::Kind::barrier) mine.push_back(a);
      if (at[t] > 0) {
        const Op& last = ops_[mine[at[t] - 1]];
        const bool complete = arrived.at(key_of(last)) >= (meeting[mine[at[t] - 1]] + 1) * wanted(last);
        if (last.waits && !complete) {
          over = false;
          continue;
        }
      }
      if (at[t] == mine.size()) continue;
      over = false;
      const Op& op = ops_[mine[at[t]]];
      auto at_next = at;
      auto arrived_next = arrived;
      auto meeting_next = meeting;
      meeting_next[mine[at[t]]] = arrived_next[key_of(op)]++ / wanted(op);
      ++at_next[t];
      meet(at_next, arrived_next, meeting_next);
    }
    if (over) meetings_.insert(meeting);
  }

  // --- What does not depend on the choices
  // ----------------------------------------------------------------------------

  bool includes(const Op& a, const Op& b) const {
    const auto &mine = places_[static_cast<std::size_t>(a.thread)],
               &other = places_[static_cast<std::size_t>(b.thread)];
    if (a.scope == Scope::sys) return true;
    if (a.scope == Scope::gpu) return mine.first == other.first;
    return a.scope == Scope::cta && mine == other;
  }
  bool overlap(std::size_t a, std::size_t b) const {
    return ops_[a].kind == Op::Kind::memory && ops_[b].kind == Op::Kind::memory && ops_[a].location == ops_[b].location;
  }
  bool program_order(std::size_t a, std::size_t b) const {
    return a < b && ops_[a].thread >= 0 && ops_[a].thread == ops_[b].thread;
  }

  void fixed() {
    strong_ = program_order_ = {};
    for (std::size_t a = 0; a < ops_.size(); ++a)
      for (std::size_t b = 0; b < ops_.size(); ++b)
        if (program_order(a, b)) program_order_.add(a, b);
    fences_.clear();
    writes_.clear();
    for (std::size_t a = 0; a < ops_.size(); ++a)
      for (std::size_t b = 0; b < ops_.size(); ++b) {
        const Op &one = ops_[a], &other = ops_[b];
        if (a == b || one.thread < 0 || other.thread < 0) continue;
        const bool scopes = one.strong() && other.strong() && includes(one, other) && includes(other, one);
        if (!program_order(a, b) && !program_order(b, a) && !scopes) continue;
        if (one.kind == Op::Kind::memory && other.kind == Op::Kind::memory && !overlap(a, b)) continue;
        strong_.add(a, b);
        if (a < b && one.sc && other.sc) fences_.emplace_back(a, b);
        if (a < b && overlap(a, b) && one.writes && other.writes) writes_.emplace_back(a, b);
      }
  }

  // --- Choices
  // --------------------------------------------------------------------------------------------------------

  void read_from(std::size_t at) {
    while (at < ops_.size() && !ops_[at].reads) ++at;
    if (at == ops_.size()) {
      if (out_of_thin_air()) return;
      observation_ = observation();
      synchronises_ = synchronises();
      orders();
      return;
    }
    for (std::size_t w = 0; w < ops_.size() && result_.complete; ++w) {
      if (w == at || !overlap(w, at) || !ops_[w].writes || ops_[w].put != ops_[at].got) continue;
      source_[at] = w;
      read_from(at + 1);
    }
  }

  bool rf(std::size_t w, std::size_t r) const { return ops_[r].reads && source_[r] == w; }

  void orders() {
    const u64 choices = u64{1} << (fences_.size() + writes_.size());
    for (u64 choice = 0; choice < choices; ++choice) {
      if (++result_.executions > most_) {
        result_.complete = false;
        return;
      }
      Pairs sc, co;
      for (std::size_t i = 0; i < fences_.size(); ++i) direct(sc, fences_[i], (choice >> i) & 1);
      for (std::size_t i = 0; i < writes_.size(); ++i) direct(co, writes_[i], (choice >> (fences_.size() + i)) & 1);
      consider(transitive(sc), co);
    }
  }

  static void direct(Pairs& pairs, std::pair<std::size_t, std::size_t> pair, bool turned) {
    turned ? pairs.add(pair.second, pair.first) : pairs.add(pair.first, pair.second);
  }
  Pairs transitive(Pairs p) const {
    for (std::size_t z = 0; z < ops_.size(); ++z)
      for (std::size_t x = 0; x < ops_.size(); ++x)
        if (p(x, z)) p.after[x] |= p.after[z];
    return p;
  }
  bool cyclic(const Pairs& p) const {
    const Pairs all = transitive(p);
    for (std::size_t x = 0; x < ops_.size(); ++x)
      if (all(x, x)) return true;
    return false;
  }

  // --- The text
  // -------------------------------------------------------------------------------------------------------

  /// "An execution cannot speculatively produce a value in such a way that the speculation becomes self-satisfying
  /// through chains of instruction dependencies and inter-thread communication."
  bool out_of_thin_air() const {
    std::vector<std::set<std::size_t>> decides(ops_.size());  // write -> writes whose values it is made of
    for (std::size_t w = 0; w < ops_.size(); ++w) {
      if (!ops_[w].writes) continue;
      for (const int r : ops_[w].from) decides[w].insert(source_[static_cast<std::size_t>(r)]);
      if (ops_[w].from_own) decides[w].insert(source_[w]);
    }
    Pairs chain;
    for (std::size_t w = 0; w < ops_.size(); ++w)
      for (const std::size_t v : decides[w]) chain.add(v, w);
    return cyclic(chain);
  }

  /// "W precedes R if R and W are morally strong and R reads the value written by W, or for some atomic operation Z, W
  /// precedes Z and Z precedes R."
  Pairs observation() const {
    Pairs obs;
    for (std::size_t w = 0; w < ops_.size(); ++w)
      for (std::size_t r = 0; r < ops_.size(); ++r)
        if (strong_(w, r) && rf(w, r)) obs.add(w, r);
    for (bool more = true; more;) {
      more = false;
      for (std::size_t w = 0; w < ops_.size(); ++w)
        for (std::size_t z = 0; z < ops_.size(); ++z)
          for (std::size_t r = 0; r < ops_.size(); ++r)
            if (obs(w, z) && ops_[z].atomic && ops_[z].writes && obs(z, r) && !obs(w, r)) obs.add(w, r), more = true;
    }
    return obs;
  }

  /// The first operations of release patterns that have the write `w`, and the last ones of acquire patterns that have
  /// the read `r`.
  std::vector<std::size_t> releases(std::size_t w) const {
    std::vector<std::size_t> firsts;
    for (std::size_t a = 0; a < ops_.size(); ++a) {
      const bool follows = ops_[w].writes && ops_[w].strong() && program_order(a, w);
      if ((a == w && ops_[w].releases()) || (follows && overlap(a, w) && ops_[a].releases()) ||
          (follows && ops_[a].kind == Op::Kind::fence))
        firsts.push_back(a);
    }
    return firsts;
  }
  std::vector<std::size_t> acquires(std::size_t r) const {
    std::vector<std::size_t> lasts;
    for (std::size_t a = 0; a < ops_.size(); ++a) {
      // "Atomic reductions: this strong read does not form an acquire pattern."
      const bool precedes = ops_[r].reads && !ops_[r].red && ops_[r].strong() && program_order(r, a);
      if ((a == r && ops_[r].acquires()) || (precedes && overlap(a, r) && ops_[a].acquires()) ||
          (precedes && ops_[a].kind == Op::Kind::fence))
        lasts.push_back(a);
    }
    return lasts;
  }

  bool met(std::size_t x, std::size_t y) const {
    const Op &one = ops_[x], &other = ops_[y];
    return x != y && one.kind == Op::Kind::barrier && other.kind == Op::Kind::barrier && key_of(one) == key_of(other) &&
           other.waits && one.meeting <= other.meeting;
  }

  /// Other than by the order of sc fences.
  Pairs synchronises() const {
    Pairs sw;
    for (std::size_t x = 0; x < ops_.size(); ++x)
      for (std::size_t y = 0; y < ops_.size(); ++y) {
        if (met(x, y)) sw.add(x, y);
        if (!observation_(x, y)) continue;
        for (const std::size_t first : releases(x))
          for (const std::size_t last : acquires(y))
            if (strong_(first, last)) sw.add(first, last);
      }
    return sw;
  }

  /// Through operations of the scope of this one.
  void add_causes(std::size_t of, const Pairs& sc, Pairs& cause) const {
    Pairs base = program_order_;
    for (std::size_t a = 0; a < ops_.size(); ++a)
      for (std::size_t b = 0; b < ops_.size(); ++b)
        if ((synchronises_(a, b) || sc(a, b)) && of_one_scope(of, a) && of_one_scope(of, b)) base.add(a, b);
    base = transitive(base);
    for (std::size_t x = 0; x < ops_.size(); ++x) {
      cause.after[x] |= base.after[x];
      for (std::size_t z = 0; z < ops_.size(); ++z)
        if (observation_(x, z) && of_one_scope(of, x) && of_one_scope(of, z)) cause.after[x] |= base.after[z];
    }
  }

  void consider(const Pairs& sc, Pairs co) {
    if (cyclic(sc)) return;
    Pairs cause = program_order_;
    const std::size_t scopes = model_ == "hrf-direct" ? ops_.size() : 1;
    for (std::size_t of = 0; of < scopes; ++of) add_causes(of, sc, cause);
    // Fence-SC.
    for (std::size_t a = 0; a < ops_.size(); ++a)
      for (std::size_t b = 0; b < ops_.size(); ++b)
        if (sc(a, b) && cause(b, a)) return;
    // Coherence.
    for (std::size_t a = 0; a < ops_.size(); ++a)
      for (std::size_t b = 0; b < ops_.size(); ++b)
        if (a != b && overlap(a, b) && ops_[a].writes && ops_[b].writes && (cause(a, b) || ops_[a].thread < 0))
          co.add(a, b);
    co = transitive(co);
    if (cyclic(co) || !atomic(co) || !per_location(co) || !causal(co, cause) || !one_order(co)) return;
    std::vector<std::string> locations;
    for (const auto& [location, value] : initial_) locations.push_back(location);
    finish(co, locations, 0);
  }

  /// "R returns the value written by a write W' that precedes W in coherence order."
  bool from_read(std::size_t r, std::size_t w, const Pairs& co) const {
    return r != w && ops_[r].reads && ops_[w].writes && co(source_[r], w);
  }

  bool atomic(const Pairs& co) const {
    for (std::size_t a = 0; a < ops_.size(); ++a)
      for (std::size_t w = 0; w < ops_.size(); ++w)
        if (ops_[a].atomic && ops_[a].writes && strong_(a, w) && overlap(a, w) && ops_[w].writes && co(source_[a], w) &&
            co(w, a))
          return false;
    return true;
  }

  /// "A concatenation of program order between overlapping operations and morally strong relations in communication
  /// order cannot result in a cycle."
  bool per_location(const Pairs& co) const {
    Pairs chain;
    for (std::size_t a = 0; a < ops_.size(); ++a)
      for (std::size_t b = 0; b < ops_.size(); ++b) {
        if (a == b || !overlap(a, b)) continue;
        const bool communicates = rf(a, b) || co(a, b) || from_read(a, b, co);
        if (program_order(a, b) || (strong_(a, b) && communicates)) chain.add(a, b);
      }
    return !cyclic(chain);
  }

  /// "If a read R precedes an overlapping write W in causality order, then R cannot read from W. If a write W precedes
  /// an overlapping read R in causality order, then R cannot read from any write W' that precedes W in coherence
  /// order."
  bool causal(const Pairs& co, const Pairs& cause) const {
    for (std::size_t r = 0; r < ops_.size(); ++r)
      for (std::size_t w = 0; w < ops_.size(); ++w) {
        if (!ops_[r].reads || !ops_[w].writes || !overlap(r, w)) continue;
        if (cause(r, w) && rf(w, r)) return false;
        if (cause(w, r) && co(source_[r], w)) return false;
      }
    return true;
  }

  void finish(const Pairs& co, const std::vector<std::string>& locations, std::size_t at) {
    if (at == locations.size()) {
      result_.states.insert(state_);
      return;
    }
    for (std::size_t w = 0; w < ops_.size(); ++w) {
      if (!ops_[w].writes || ops_[w].location != locations[at]) continue;
      bool last = true;
      for (std::size_t v = 0; v < ops_.size(); ++v) last &= !co(w, v);
      if (!last) continue;
      state_[locations[at]] = ops_[w].put;
      finish(co, locations, at + 1);
    }
  }

  const Litmus& test_;
  u64 most_;
  std::string model_;
  u32 writers_ = 0;
  std::vector<std::pair<u32, u32>> places_;       // of threads: device, block
  std::vector<std::set<std::string>> registers_;  // of threads
  std::map<std::string, Value> initial_;
  std::vector<Op> ops_;
  std::vector<std::size_t> source_;  // of reads
  std::set<std::vector<int>> meetings_;
  Pairs strong_, program_order_;                                      // morally strong
  Pairs observation_, synchronises_;                                  // of the choice of who reads from whom
  std::vector<std::pair<std::size_t, std::size_t>> fences_, writes_;  // pairs that must be related
  LiteralStates::State state_;
  LiteralStates result_;
};

}  // namespace

LiteralStates literal_ptx(const Litmus& test, u64 most, const std::string& model) {
  return Literal(test, most, model).run();
}

}  // namespace ew::check
