#include "literal_persistency.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace ew::check {

namespace {

using Pairs = std::set<std::pair<int, int>>;
using Image = LiteralImages::Image;

struct Step {
  int thread = 0;
  Verb verb = Verb::st;
  Order order = Order::weak;
  Scope scope = Scope::none;
  std::string location;
  bool reads = false, writes = false, fails = false;
  Value value = 0;
  int source = -1;  // who wrote what it reads
  int barrier = -1;
  auto operator<=>(const Step&) const = default;
};

struct Frame {
  const std::vector<Statement>* list;
  std::size_t at;
};

struct World {
  std::vector<std::vector<Frame>> threads;
  std::vector<std::map<std::string, Value>> registers;
  std::map<std::string, Value> memory;
  std::map<std::string, int> writer;
  std::vector<int> barriers;
  std::vector<Step> trace;
};

class Literal {
 public:
  explicit Literal(const Litmus& test) : test_(test) {
    World world;
    u32 next_block = 0;
    for (const ThreadText& t : test.threads)
      if (t.placement && t.placement->device == 0) next_block = std::max(next_block, t.placement->block + 1);
    for (const ThreadText& t : test.threads) {
      world.threads.push_back({{&t.statements, 0}});
      places_.push_back(t.placement ? std::pair(t.placement->device, t.placement->block) : std::pair(0u, next_block++));
    }
    world.registers.resize(test.threads.size());
    world.barriers.resize(test.threads.size());
    for (const auto& [location, value] : test.initial) world.memory[location] = value;
    run(world);
  }

  std::map<std::string, LiteralImages> result;

 private:
  const Statement* next(World& w, int t) const {
    auto& frames = w.threads[static_cast<std::size_t>(t)];
    while (!frames.empty()) {
      Frame& f = frames.back();
      if (f.at < f.list->size()) return &(*f.list)[f.at];
      frames.pop_back();
    }
    return nullptr;
  }

  /// Every thread that can go, goes.
  void run(const World& before) {
    bool any = false;
    for (int t = 0; t < static_cast<int>(before.threads.size()); ++t) {
      World w = before;
      const Statement* s = next(w, t);
      if (!s || !step(w, t, *s)) continue;
      any = true;
      run(w);
    }
    if (!any) ended(before.trace);
  }

  bool step(World& w, int t, const Statement& s) {
    const auto ti = static_cast<std::size_t>(t);
    auto& registers = w.registers[ti];
    const auto value = [&](std::size_t i) { return literal_value(s.values[i], registers); };
    Step e;
    e.thread = t;
    e.verb = s.verb;
    e.location = s.location;
    e.scope = s.tags.scope.value_or(Scope::none);
    e.order = s.tags.order.value_or(s.tags.scope ? Order::relaxed : Order::weak);
    const auto advance = [&] { ++w.threads[ti].back().at; };
    switch (s.verb) {
      case Verb::let:
        registers[s.reg] = value(0);
        advance();
        return true;
      case Verb::use:
        advance();
        return true;
      case Verb::branch: {
        const bool taken = value(0) != 0;
        advance();
        w.threads[ti].push_back({taken ? &s.then : &s.otherwise, 0});
        return true;
      }
      case Verb::bar: {
        std::vector<int> block;
        for (int o = 0; o < static_cast<int>(w.threads.size()); ++o) {
          if (places_[static_cast<std::size_t>(o)] != places_[ti]) continue;
          const Statement* other = next(w, o);
          if (!other || other->verb != Verb::bar) return false;
          block.push_back(o);
        }
        if (block.front() != t) return false;  // one of them lets all pass
        for (const int o : block) {
          e.thread = o;
          e.barrier = w.barriers[static_cast<std::size_t>(o)]++;
          w.trace.push_back(e);
          ++w.threads[static_cast<std::size_t>(o)].back().at;
        }
        return true;
      }
      case Verb::ofence:
      case Verb::dfence:
      case Verb::fence:
        break;
      case Verb::out:
        e.value = value(0);
        break;
      default:
        if (!access(w, s, e, registers, value)) return false;
    }
    w.trace.push_back(e);
    advance();
    return true;
  }

  template <class ValueOf>
  bool access(World& w, const Statement& s, Step& e, std::map<std::string, Value>& registers, const ValueOf& value) {
    const Value old = w.memory[s.location];
    const bool is_await = s.verb == Verb::await || s.verb == Verb::pawait;
    const bool persist = s.verb == Verb::prel || s.verb == Verb::pacq || s.verb == Verb::pawait;
    e.reads = s.verb != Verb::st && s.verb != Verb::prel;
    e.writes = s.verb == Verb::st || s.verb == Verb::prel || !(is_await || s.verb == Verb::ld || s.verb == Verb::pacq);
    if (persist || (e.reads && e.writes && e.order == Order::weak)) e.order = Order::relaxed;
    if (e.order != Order::weak && e.scope == Scope::none) e.scope = Scope::sys;
    if (is_await) {
      Expression compare;
      compare.kind = Expression::Kind::operation;
      compare.op = s.relation;
      Expression left, right;
      left.value = old;
      right.value = value(0);
      compare.operands = {left, right};
      if (!literal_value(compare, {})) return false;
    }
    Value written = 0;
    switch (s.verb) {
      case Verb::st:
      case Verb::prel:
      case Verb::xchg:
        written = value(0);
        break;
      case Verb::add:
        written = old + value(0);
        break;
      case Verb::bit_or:
        written = old | value(0);
        break;
      case Verb::max:
        written = std::max(old, value(0));
        break;
      case Verb::cas:
        written = value(1);
        if (old != value(0)) e.writes = false;
        break;
      default:
        break;
    }
    if (e.reads) {
      e.source = w.writer.contains(s.location) ? w.writer[s.location] : -1;
      if (!s.reg.empty()) registers[s.reg] = old;
    }
    e.value = e.writes ? written : old;
    if (e.writes) {
      w.memory[s.location] = written;
      w.writer[s.location] = static_cast<int>(w.trace.size());
    }
    return true;
  }

  // ----- one interleaving

  int count() const { return static_cast<int>(t_.size()); }
  const Step& at(int e) const { return t_[static_cast<std::size_t>(e)]; }
  bool po(int a, int b) const { return at(a).thread == at(b).thread && a < b; }
  bool rf(int w, int r) const { return at(r).reads && at(r).source == w; }
  bool persist(int e) const {
    return at(e).writes && std::ranges::find(test_.persistent, at(e).location) != test_.persistent.end();
  }
  bool is(int e, Verb verb) const { return at(e).verb == verb; }
  bool access(int e) const { return at(e).reads || at(e).writes; }
  bool prel(int e) const { return is(e, Verb::prel); }
  bool pacq(int e) const { return is(e, Verb::pacq) || is(e, Verb::pawait); }
  bool update(int e) const { return at(e).reads && at(e).writes; }
  bool conventional_release(int e) const {
    return at(e).writes && (at(e).order == Order::release || at(e).order == Order::acq_rel);
  }
  bool conventional_acquire(int e) const {
    return at(e).reads && (at(e).order == Order::acquire || at(e).order == Order::acq_rel);
  }
  bool reaches(int a, int b) const {
    const auto mine = places_[static_cast<std::size_t>(at(a).thread)],
               other = places_[static_cast<std::size_t>(at(b).thread)];
    return at(a).scope == Scope::sys || (at(a).scope == Scope::gpu && mine.first == other.first) ||
           (at(a).scope == Scope::cta && mine == other);
  }
  bool incl(int a, int b) const { return widened_ || (reaches(a, b) && reaches(b, a)); }
  bool same_barrier(int a, int b) const {
    return a != b && is(a, Verb::bar) && is(b, Verb::bar) && at(a).barrier == at(b).barrier &&
           places_[static_cast<std::size_t>(at(a).thread)] == places_[static_cast<std::size_t>(at(b).thread)];
  }
  bool conflict(int a, int b) const {
    return a < b && access(a) && access(b) && at(a).location == at(b).location && (at(a).writes || at(b).writes);
  }
  /// r has the value of w, or of atomics that had it.
  bool sees(int w, int r) const {
    if (rf(w, r)) return true;
    for (int u = 0; u < count(); ++u)
      if (update(u) && rf(u, r) && u != r && sees(w, u)) return true;
    return false;
  }

  Pairs close(Pairs pairs) const {
    while (true) {
      Pairs more = pairs;
      for (const auto& [a, b] : pairs)
        for (const auto& [c, d] : pairs)
          if (b == c) more.emplace(a, d);
      if (more == pairs) return pairs;
      pairs = std::move(more);
    }
  }

  struct Reading {
    bool literal = false, strong = false;
  };

  Pairs synchronises(Reading reading) const {
    Pairs sw;
    for (int r = 0; r < count(); ++r)
      for (int a = 0; a < count(); ++a) {
        if (prel(r) && pacq(a) && sees(r, a) && incl(r, a) && (!reading.literal || at(r).scope == at(a).scope))
          sw.emplace(r, a);
        if (!reading.literal && same_barrier(r, a)) sw.emplace(r, a);
      }
    if (reading.literal) return sw;
    for (int w = 0; w < count(); ++w)
      for (int r = 0; r < count(); ++r) {
        if (!at(w).writes || !at(r).reads || !sees(w, r) || at(w).order == Order::weak || at(r).order == Order::weak ||
            !incl(w, r))
          continue;
        for (int from = 0; from < count(); ++from)
          for (int to = 0; to < count(); ++to) {
            const bool release = (from == w && conventional_release(w)) || (is(from, Verb::fence) && po(from, w));
            const bool acquire = (to == r && conventional_acquire(r)) || (is(to, Verb::fence) && po(r, to));
            if (release && acquire && incl(from, to)) sw.emplace(from, to);
          }
      }
    Pairs sync = sw;
    while (true) {
      Pairs more = sync;
      for (const auto& [a, b] : sync)
        for (const auto& [c, d] : sw)
          if (b == c || po(b, c)) more.emplace(a, d);
      if (more == sync) return sync;
      sync = std::move(more);
    }
  }

  Pairs sbrp(Reading reading) const {
    const Pairs sync = synchronises(reading);
    Pairs pmo;
    for (int w1 = 0; w1 < count(); ++w1)
      for (int w2 = 0; w2 < count(); ++w2) {
        if (!persist(w1) || !persist(w2) || w1 == w2) continue;
        for (int m = 0; m < count(); ++m)
          if (po(w1, m) && po(m, w2) &&
              (is(m, Verb::ofence) || is(m, Verb::dfence) || is(m, Verb::fence) ||
               (is(m, Verb::bar) && !reading.literal)))
            pmo.emplace(w1, w2);
        for (const auto& [r, a] : sync) {
          if (po(w1, r) && po(a, w2)) pmo.emplace(w1, w2);
          if (reading.strong && w1 == r && (prel(r) || conventional_release(r)) && po(a, w2)) pmo.emplace(w1, w2);
        }
        if (reading.literal) continue;
        if (po(w1, w2) && (prel(w2) || conventional_release(w2))) pmo.emplace(w1, w2);
        if (po(w1, w2) && update(w1) && conventional_acquire(w1)) pmo.emplace(w1, w2);
        if (w1 < w2 && at(w1).location == at(w2).location) pmo.emplace(w1, w2);
      }
    return close(pmo);
  }

  Pairs epoch() const {
    Pairs before;
    for (int a = 0; a < count(); ++a)
      for (int b = 0; b < count(); ++b) {
        if (!access(a) || !access(b)) continue;
        if (conflict(a, b)) before.emplace(a, b);
        for (int m = 0; m < count(); ++m) {
          const bool fence = is(m, Verb::ofence) || is(m, Verb::dfence) || is(m, Verb::fence) || is(m, Verb::bar);
          if (fence && po(a, m) && po(m, b)) before.emplace(a, b);
          if (prel(m) && po(a, m) && (m == b || po(m, b))) before.emplace(a, b);
          if (pacq(m) && (a == m || po(a, m)) && po(m, b)) before.emplace(a, b);
          for (int n = 0; n < count(); ++n)
            if (same_barrier(m, n) && po(a, m) && po(n, b)) before.emplace(a, b);
        }
      }
    Pairs pmo;
    for (const auto& [a, b] : close(before))
      if (persist(a) && persist(b)) pmo.emplace(a, b);
    return pmo;
  }

  Pairs same_location() const {
    Pairs pmo;
    for (int a = 0; a < count(); ++a)
      for (int b = a + 1; b < count(); ++b)
        if (persist(a) && persist(b) && at(a).location == at(b).location) pmo.emplace(a, b);
    return pmo;
  }

  Pairs performed() const {
    Pairs pmo;
    for (int a = 0; a < count(); ++a)
      for (int b = a + 1; b < count(); ++b)
        if (persist(a) && persist(b)) pmo.emplace(a, b);
    return pmo;
  }

  /// w must be durable once e has happened.
  using Durable = std::function<bool(int w, int e)>;

  void crashes(const std::string& model, const Pairs& pmo, const Durable& durable) {
    std::vector<int> lengths(test_.threads.size()), cut(lengths.size());
    for (const Step& s : t_) ++lengths[static_cast<std::size_t>(s.thread)];
    std::map<std::set<int>, std::vector<std::set<int>>> cuts;  // of each set of persists
    std::function<void(std::size_t)> choose = [&](std::size_t thread) {
      if (thread == cut.size()) return with_cut(cut, pmo, durable, cuts);
      for (cut[thread] = 0; cut[thread] <= lengths[thread]; ++cut[thread]) choose(thread + 1);
    };
    choose(0);
    LiteralImages& result_of = result[model];
    for (const auto& [persists, sets] : cuts) {
      std::set<int> outputs;
      for (const auto& c : sets)
        for (const int e : c)
          if (is(e, Verb::out)) outputs.insert(e);
      for (const auto& c : sets) {
        result_of.images.insert(image(persists, c));
        if (std::ranges::includes(c, outputs)) result_of.latest.insert(image(persists, c));
      }
    }
  }

  void with_cut(const std::vector<int>& prefix, const Pairs& pmo, const Durable& durable,
                std::map<std::set<int>, std::vector<std::set<int>>>& cuts) const {
    std::set<int> c;
    std::vector<int> taken(prefix.size()), persists;
    for (int e = 0; e < count(); ++e) {
      const auto thread = static_cast<std::size_t>(at(e).thread);
      if (taken[thread]++ < prefix[thread]) c.insert(e);
    }
    for (const int e : c) {
      if (at(e).source >= 0 && !c.contains(at(e).source)) return;
      for (int o = 0; o < count(); ++o)
        if (same_barrier(o, e) && !c.contains(o)) return;
      if (persist(e)) persists.push_back(e);
    }
    for (u32 subset = 0; subset < u32{1} << persists.size(); ++subset) {
      std::set<int> d;
      for (std::size_t i = 0; i < persists.size(); ++i)
        if ((subset >> i) & 1) d.insert(persists[i]);
      const bool ordered =
          std::ranges::all_of(pmo, [&](const auto& p) { return !d.contains(p.second) || d.contains(p.first); });
      const bool kept = std::ranges::all_of(c, [&](int e) {
        for (int w = 0; w < count(); ++w)
          if (persist(w) && durable(w, e) && !d.contains(w)) return false;
        return true;
      });
      if (ordered && kept) cuts[d].push_back(c);
    }
  }

  Image image(const std::set<int>& persists, const std::set<int>& cut) const {
    Image image;
    for (const std::string& location : test_.persistent) image[location] = 0;
    for (const auto& [location, value] : test_.initial)
      if (image.contains(location)) image[location] = value;
    for (const std::string& output : outputs_) image[output] = 0;
    for (const int e : persists) image[at(e).location] = at(e).value;
    for (const int e : cut)
      if (is(e, Verb::out)) image[at(e).location] = at(e).value;
    return image;
  }

  void ended(const std::vector<Step>& trace) {
    t_ = trace;
    outputs_.clear();
    std::function<void(const std::vector<Statement>&)> collect = [&](const std::vector<Statement>& list) {
      for (const Statement& s : list) {
        if (s.verb == Verb::out) outputs_.insert(s.location);
        collect(s.then);
        collect(s.otherwise);
      }
    };
    for (const ThreadText& t : test_.threads) collect(t.statements);
    const auto own = [this](Verb verb) { return [this, verb](int w, int e) { return is(e, verb) && po(w, e); }; };
    // Strict sees the order of all persists, the others that of what meets (is_new).
    std::vector<Step> persists;
    for (int e = 0; e < count(); ++e)
      if (persist(e)) persists.push_back(at(e));
    const bool new_execution = is_new();
    if (strict_seen_.emplace(execution_, persists).second) crashes("strict", performed(), own(Verb::dfence));
    if (!new_execution) return;
    widened_ = false;
    crashes("sbrp", sbrp({}), own(Verb::dfence));
    crashes("sbrp-lit", sbrp({.literal = true}), own(Verb::dfence));
    const Pairs sync = synchronises({});
    crashes("sbrp-strong", sbrp({.strong = true}), [&](int w, int e) {
      if ((is(e, Verb::dfence) || prel(e)) && po(w, e)) return true;
      return is(e, Verb::dfence) &&
             std::ranges::any_of(sync, [&](const auto& s) { return po(w, s.first) && po(s.second, e); });
    });
    crashes("epoch", epoch(), own(Verb::dfence));
    crashes("gpm", same_location(), [&](int w, int e) {
      return po(w, e) && (is(e, Verb::ofence) || is(e, Verb::dfence) || prel(e) ||
                          (is(e, Verb::fence) && at(e).scope == Scope::sys));
    });
    crashes("gpm-ddio", same_location(), [](int, int) { return false; });
    widened_ = true;
    crashes("sbrp-sys", sbrp({}), own(Verb::dfence));
  }

  /// Two interleavings in which each thread does the same, reads from the same, and every location and output is
  /// written in the same order are one execution to every model but strict.
  bool is_new() {
    std::vector<int> number(t_.size());
    std::vector<int> in_thread(test_.threads.size());
    for (std::size_t e = 0; e < t_.size(); ++e) number[e] = in_thread[static_cast<std::size_t>(t_[e].thread)]++;
    const auto name = [&](int e) {
      return e < 0 ? std::pair(-1, -1) : std::pair(at(e).thread, number[static_cast<std::size_t>(e)]);
    };
    std::set<std::pair<std::pair<int, int>, std::pair<int, int>>> meeting;
    for (int a = 0; a < count(); ++a)
      for (int b = a + 1; b < count(); ++b)
        if (conflict(a, b) || (is(a, Verb::out) && is(b, Verb::out) && at(a).location == at(b).location))
          meeting.emplace(name(a), name(b));
    std::vector<std::vector<Step>> threads(test_.threads.size());
    for (Step s : t_) {
      s.source = -1;  // follows from the order of accesses
      threads[static_cast<std::size_t>(s.thread)].push_back(s);
    }
    const auto [entry, added] = seen_.try_emplace({std::move(threads), std::move(meeting)}, seen_.size());
    execution_ = entry->second;
    return added;
  }

  const Litmus& test_;
  std::vector<std::pair<u32, u32>> places_;
  std::set<std::string> outputs_;
  std::vector<Step> t_;
  bool widened_ = false;
  using Named = std::pair<int, int>;  // thread, which of its steps
  std::map<std::pair<std::vector<std::vector<Step>>, std::set<std::pair<Named, Named>>>, std::size_t> seen_;
  std::size_t execution_ = 0;  // of the present interleaving
  std::set<std::pair<std::size_t, std::vector<Step>>> strict_seen_;
};

}  // namespace

Value literal_value(const Expression& e, const std::map<std::string, Value>& names) {
  if (e.kind == Expression::Kind::constant) return e.value;
  if (e.kind == Expression::Kind::name) return names.contains(e.name) ? names.at(e.name) : 0;
  const auto bits = [&](std::size_t i) { return static_cast<u32>(literal_value(e.operands[i], names)); };
  const Value left = static_cast<Value>(bits(0)), right = e.operands.size() > 1 ? static_cast<Value>(bits(1)) : 0;
  switch (e.op) {
    case Operator::logical_or:
      return left || right;
    case Operator::logical_and:
      return left && right;
    case Operator::bit_or:
      return left | right;
    case Operator::bit_xor:
      return left ^ right;
    case Operator::bit_and:
      return left & right;
    case Operator::equal:
      return left == right;
    case Operator::not_equal:
      return left != right;
    case Operator::less:
      return left < right;
    case Operator::less_equal:
      return left <= right;
    case Operator::greater:
      return left > right;
    case Operator::greater_equal:
      return left >= right;
    case Operator::add:
      return static_cast<Value>(bits(0) + bits(1));
    case Operator::subtract:
      return static_cast<Value>(bits(0) - bits(1));
    case Operator::multiply:
      return static_cast<Value>(bits(0) * bits(1));
    case Operator::negate:
      return static_cast<Value>(0u - bits(0));
    case Operator::logical_not:
      return !left;
  }
  return 0;
}

std::map<std::string, LiteralImages> literal_images(const Litmus& test) {
  return Literal(test).result;
}

}  // namespace ew::check
