// What every persistency model must do, on real private caches, homes and a device without manners: random warps store,
// order, release and acquire; afterwards the order in which bytes became durable is held against the model's axioms
// (docs/semantics/timing-persistency.md), and what is durable in the end against what was stored.
//
// Each word of the pool is written by the warps of one agent alone, and lines are shared by all: so the order of the
// stores to a word is that in which its private cache accepted them. Each store has a value of its own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cctype>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

#include "coherence/models.hpp"
#include "core/configuration.hpp"
#include "memory/masks.hpp"
#include "persist_bench.hpp"
#include "setups.hpp"

namespace ew::persistency {
using memory::BenchAgent;

namespace {

constexpr u32 warps_of_agent = 4, lines = 10, words_of_line = 32, flags = 3;
constexpr u32 most_events = 1200;

struct Event {
  enum class Kind : u8 { persist, order, release, acquire, barrier } kind = Kind::persist;
  u32 thread = 0;
  PersistOrder order = PersistOrder::none;
  Scope scope = Scope::cta;
  u32 word = 0, turn = 0;      // of a persist: of the pool; the how many-eth store to it
  std::vector<u32> after;      // events that it comes directly behind, besides program order
  std::size_t durable_at = 0;  // of an operation that promises durability: length of the device's log when it was over
  bool over = false, flag = false;  // flag: a persist that is the flag of the release before it
};

/// What all agents share: the trace.
struct World {
  PersistBench* bench = nullptr;
  std::deque<Event> events;
  std::map<u32, std::vector<u32>> stores_to;  // word: events, in order of being performed
  std::map<u32, u32> event_of_value;          // of a store to the pool
  std::map<u32, u32> release_of_value;        // of a store to a flag
  u32 next_value = 1;

  u32 add(Event event) {
    events.push_back(std::move(event));
    return static_cast<u32>(events.size() - 1);
  }
};

struct Operation {
  enum class Kind : u8 { store, atomic, volatile_store, volatile_load, order, release, acquire, barrier } kind;
  u32 word = 0;
  PersistOrder order = PersistOrder::none;
  Scope scope = Scope::cta;
  bool strong = false;
};

/// An SM with one block of four warps, a lane each.
class Block final : public BenchAgent {
 public:
  Block(World& world, u32 id, u32 seed, bool flags_in_pool)
      : world_(world), id_(id), random_(seed), flags_in_pool_(flags_in_pool) {}

  void tick();
  bool over() const {
    return std::ranges::all_of(warps_, [](const Warp& w) { return w.left == 0 && w.stage == Stage::next; });
  }
  std::string state() const;
  u32 left_of_each = 60;
  void begin() {
    for (Warp& w : warps_) w.left = left_of_each;
  }
  void flush() { flushed_ = cache().end_kernel(1000); }
  bool flushed() const { return flushed_; }

  ByteMask perform(u32 access, u32, u8* bytes) override;
  void complete(u32 access, u32, ServedBy) override;
  void wake() override { stalled_ = false; }
  void resume(u64 warps) override { held_ &= ~warps; }
  void released(u32 token) override {
    if (token == 1000)
      flushed_ = true;
    else
      warps_[token].stage = Stage::visible;
  }

 private:
  /// ask: the order operation comes next; visible: it is over and what it makes visible, too; access: the access comes
  /// next; wait: it is under way; behind: the order operation behind it comes next.
  static constexpr u32 no_event = ~u32{0};
  enum class Stage : u8 { next, ask, releasing, visible, access, wait, behind, at_barrier };
  struct Warp {
    Stage stage = Stage::next;
    Operation op{};
    u32 left = 0, event = 0, value = 0, reductions = 0;
    u32 access = 0;
  };
  struct Access {
    u32 warp = 0, value = 0, event = 0;
    Operation op{};
    bool is_flag = false;
  };

  PrivateCache& cache() { return *world_.bench->caches[id_]; }
  u32 thread(u32 warp) const { return id_ * warps_of_agent + warp; }
  Operation invent();
  void begin(u32 warp);
  void ask(u32 warp);
  void access(u32 warp);
  void behind(u32 warp);
  void ended(u32 warp);
  LineAccess describe(u32 number) const;
  u64 address(const Operation&, bool flag) const;
  void note_persist(u32 access);
  void open_barrier();

  World& world_;
  u32 id_;
  std::mt19937 random_;
  bool flags_in_pool_, stalled_ = false, flushed_ = false;
  u64 held_ = 0;
  std::array<Warp, warps_of_agent> warps_;
  std::vector<Access> accesses_;
};

Operation Block::invent() {
  using Kind = Operation::Kind;
  const Scope scopes[] = {Scope::cta, Scope::cta, Scope::gpu, Scope::sys};
  // A word of the agent's own in any line.
  const u32 word = random_() % lines * words_of_line + id_ + 4 * (random_() % 3);
  switch (random_() % 16) {
    default:
      return {Kind::store, word};
    case 8:
      return {Kind::store, word, PersistOrder::none, scopes[random_() % 4], true};
    case 9:
      return {Kind::atomic, word};
    case 10:
      return {random_() % 2 ? Kind::volatile_load : Kind::volatile_store,
              static_cast<u32>(random_() % (lines * words_of_line))};
    case 11:
      return {Kind::order, 0, random_() % 3 ? PersistOrder::ofence : PersistOrder::dfence};
    case 12:
      return {Kind::order, 0, PersistOrder::fence, scopes[random_() % 4]};
    case 13:
      return {Kind::release, id_, random_() % 2 ? PersistOrder::p_release : PersistOrder::release,
              scopes[random_() % 4]};
    case 14:
      return {Kind::acquire, static_cast<u32>(random_() % flags),
              random_() % 2 ? PersistOrder::p_acquire : PersistOrder::acquire, scopes[random_() % 4]};
    case 15:
      return random_() % 4 ? Operation{Kind::store, word} : Operation{Kind::barrier};
  }
}

void Block::begin(u32 number) {
  using Kind = Operation::Kind;
  Warp& w = warps_[number];
  --w.left;
  w.op = invent();
  w.event = no_event;
  switch (w.op.kind) {
    case Kind::order:
    case Kind::release:
      w.stage = Stage::ask;
      break;
    case Kind::barrier:
      w.op.order = PersistOrder::barrier;
      w.stage = Stage::ask;
      break;
    default:
      w.stage = Stage::access;
      break;
  }
}

/// As an SM: a warp's reductions are performed before it orders anything.
void Block::ask(u32 number) {
  Warp& w = warps_[number];
  if (w.reductions) return;
  if (w.event == no_event && w.op.kind != Operation::Kind::barrier)
    w.event = world_.add({.kind = w.op.kind == Operation::Kind::release ? Event::Kind::release : Event::Kind::order,
                          .thread = thread(number),
                          .order = w.op.order,
                          .scope = w.op.scope});
  if (!cache().order(w.op.order, w.op.scope, u64{1} << number)) {
    held_ |= u64{1} << number;
    return;
  }
  if (w.op.kind == Operation::Kind::barrier) {
    w.stage = Stage::at_barrier;
    return open_barrier();
  }
  const bool conventional = w.op.order == PersistOrder::fence || w.op.order == PersistOrder::release;
  w.stage = conventional && !cache().release(w.op.scope, number) ? Stage::releasing : Stage::visible;
}

void Block::open_barrier() {
  if (!std::ranges::all_of(warps_, [](const Warp& w) {
        return w.stage == Stage::at_barrier || (w.left == 0 && w.stage == Stage::next);
      }))
    return;
  u64 mask = 0;
  Event event{.kind = Event::Kind::barrier, .order = PersistOrder::barrier};
  for (u32 i = 0; i < warps_of_agent; ++i)
    if (warps_[i].stage == Stage::at_barrier) mask |= u64{1} << i;
  if (!mask) return;
  event.thread = 1000 + id_;  // of its own, so that it follows what its warps say alone
  const u32 number = world_.add(event);
  for (u32 i = 0; i < warps_of_agent; ++i) {
    if (!(mask >> i & 1)) continue;
    Event own{.kind = Event::Kind::order, .thread = thread(i), .order = PersistOrder::barrier, .scope = Scope::cta};
    own.after.push_back(number);
    const u32 mine = world_.add(own);
    world_.events[mine].over = true;
    world_.events[number].after.push_back(mine);
    warps_[i].stage = Stage::next;
  }
  if (cache().order(PersistOrder::barrier_over, Scope::cta, mask)) return;
  for (u32 i = 0; i < warps_of_agent; ++i) {
    if (!(mask >> i & 1)) continue;
    held_ |= u64{1} << i;
    warps_[i].op.order = PersistOrder::barrier_over;
    warps_[i].stage = Stage::behind;
  }
}

u64 Block::address(const Operation& op, bool flag) const {
  using Kind = Operation::Kind;
  const PersistBench& bench = *world_.bench;
  // Flags stand in lines of their own behind the others.
  if (flag) return (flags_in_pool_ ? bench.pool : bench.data) + (lines + op.word) * words_of_line * 4;
  const bool persistent = op.kind == Kind::store || op.kind == Kind::atomic;
  return (persistent ? bench.pool : bench.data) + op.word * 4;
}

LineAccess Block::describe(u32 number) const {
  using Kind = Operation::Kind;
  const Access& access = accesses_[number];
  const Operation& op = access.op;
  const u64 at = address(op, access.is_flag);
  LineAccess line;
  line.line = at & ~u64{127};
  line.place = world_.bench->map().place(line.line);
  line.words = WordMask{1} << (at % 128 / 4);
  line.access = number;
  line.warp = static_cast<u8>(access.warp);
  line.strong = access.is_flag || op.strong || op.kind == Kind::atomic;
  line.scope = op.kind == Kind::atomic ? Scope::gpu : op.scope;
  line.kind = op.kind == Kind::atomic                                      ? AccessKind::reduction
              : op.kind == Kind::acquire || op.kind == Kind::volatile_load ? AccessKind::load
                                                                           : AccessKind::store;
  return line;
}

void Block::access(u32 number) {
  using Kind = Operation::Kind;
  Warp& w = warps_[number];
  const bool flag = w.op.kind == Kind::release || w.op.kind == Kind::acquire;
  if (w.value == 0) {
    w.value = world_.next_value++;
    w.access = static_cast<u32>(accesses_.size());
    accesses_.push_back({number, w.value, w.event, w.op, flag});
  }
  Stall why = Stall::none;
  const Accepted accepted = cache().access(describe(w.access), why);
  if (accepted == Accepted::stalled) {
    if (holds_the_warp(why))
      held_ |= u64{1} << number;
    else
      stalled_ = why != Stall::bank;
    return;
  }
  w.value = 0;
  if (why == Stall::persist_durable) held_ |= u64{1} << number;
  const bool load = w.op.kind == Kind::acquire || w.op.kind == Kind::volatile_load;
  if (w.op.kind == Kind::atomic) {
    ++w.reductions;
    note_persist(w.access);
  }
  if (load && accepted == Accepted::pending) {
    w.stage = Stage::wait;
    return;
  }
  w.stage = w.op.kind == Kind::acquire ? Stage::behind : Stage::next;
}

/// Stores and atomics of one agent reach the home of a word in the order in which its private cache accepted them.
void Block::note_persist(u32 number) {
  const Access& access = accesses_[number];
  const u32 word = static_cast<u32>(address(access.op, access.is_flag) - world_.bench->pool) / 4;
  Event event{.thread = thread(access.warp), .word = word, .flag = access.is_flag};
  std::vector<u32>& stores = world_.stores_to[word];
  event.turn = static_cast<u32>(stores.size());
  if (access.is_flag) event.after.push_back(access.event);
  const u32 mine = world_.add(event);
  stores.push_back(mine);
  world_.event_of_value[access.value] = mine;
}

ByteMask Block::perform(u32 number, u32, u8* line) {
  using Kind = Operation::Kind;
  const Access& access = accesses_[number];
  const u64 at = address(access.op, access.is_flag);
  u8* const bytes = line + at % 128;
  ByteMask mask = bytes_of(WordMask{1} << (at % 128 / 4));
  if (access.op.kind == Kind::volatile_load) return {};
  if (access.op.kind == Kind::acquire) {
    u32 value = 0;
    std::memcpy(&value, bytes, 4);
    Event event{.kind = Event::Kind::acquire,
                .thread = thread(access.warp),
                .order = access.op.order,
                .scope = access.op.scope};
    if (const auto found = world_.release_of_value.find(value); found != world_.release_of_value.end())
      event.after.push_back(found->second);
    world_.add(event);
    return {};
  }
  std::memcpy(bytes, &access.value, 4);
  if (access.is_flag) {
    world_.release_of_value[access.value] = access.event;
    if (access.op.order == PersistOrder::p_release) cache().flag(access.op.order, at / 128, access.warp);
  }
  if (access.op.kind == Kind::volatile_store || (access.is_flag && !flags_in_pool_)) return mask;
  if (access.op.kind == Kind::atomic)
    --warps_[access.warp].reductions;
  else
    note_persist(number);
  return mask;
}

void Block::complete(u32 number, u32, ServedBy) {
  Warp& w = warps_[accesses_[number].warp];
  if (w.stage == Stage::wait && w.access == number)
    w.stage = accesses_[number].op.kind == Operation::Kind::acquire ? Stage::behind : Stage::next;
}

void Block::behind(u32 number) {
  Warp& w = warps_[number];
  if (w.op.order == PersistOrder::p_acquire) cache().flag(w.op.order, address(w.op, true) / 128, number);
  if (!cache().order(w.op.order, w.op.scope, u64{1} << number)) {
    held_ |= u64{1} << number;
    return;
  }
  if (w.op.order == PersistOrder::acquire) cache().acquire(w.op.scope);
  w.stage = Stage::next;
}

/// The order operation is over.
void Block::ended(u32 number) {
  Warp& w = warps_[number];
  Event& event = world_.events[w.event];
  event.over = true;
  event.durable_at = world_.bench->nvm->log.size();
  w.stage = w.op.kind == Operation::Kind::release ? Stage::access : Stage::next;
}

void Block::tick() {
  if (over()) return;
  const u32 number = random_() % warps_of_agent;
  Warp& w = warps_[number];
  if (held_ >> number & 1) return;
  switch (w.stage) {
    case Stage::next:
      if (w.left)
        begin(number);
      else
        open_barrier();
      break;
    case Stage::ask:
      ask(number);
      break;
    case Stage::visible:
      ended(number);
      break;
    case Stage::access:
      if (!stalled_) access(number);
      break;
    case Stage::behind:
      behind(number);
      break;
    default:
      break;
  }
}

std::string Block::state() const {
  std::string text;
  for (u32 i = 0; i < warps_of_agent; ++i)
    text += "agent " + std::to_string(id_) + " warp " + std::to_string(i) + ": stage " +
            std::to_string(static_cast<u32>(warps_[i].stage)) + ", " + std::to_string(warps_[i].left) +
            " operations left" + (held_ >> i & 1 ? ", held" : "") + "\n";
  return text;
}

// --- The axioms

using Set = std::bitset<most_events>;

/// What a model promises, over the trace: its row of axioms, and what its traits say of its order operations.
class Axioms {
 public:
  Axioms(const World& world, const Model& model)
      : world_(world), axioms_(model.promises()), traits_(model.traits), before_(world.events.size()) {
    connect();
  }
  /// Everything that must be durable when this event is.
  const Set& before(u32 event) const { return before_[event]; }
  /// When it was over, the persists before it in its thread were durable. When a barrier was over is not in the trace.
  bool makes_durable(const Event& e) const {
    return e.over && e.kind != Event::Kind::persist && e.order != PersistOrder::barrier && waits(e);
  }
  /// How that follows, event by event.
  std::string why(u32 event, u32 older) const;

 private:
  using Across = PersistAxioms::Across;
  bool across(Across how) const { return axioms_.across == how; }
  /// Where regions keep their fences, the operations of regions are nothing by themselves.
  bool means_something(const Event& e) const {
    return traits_.regions || (e.order != PersistOrder::ofence && e.order != PersistOrder::dfence &&
                               e.order != PersistOrder::p_release && e.order != PersistOrder::p_acquire);
  }
  bool waits(const Event& e) const {
    return traits_.order_waits || (means_something(e) && axioms_.makes_durable(e.order, e.scope));
  }
  bool orders_both_ways(const Event& e) const { return axioms_.orders.has(e.order) || waits(e); }
  bool orders_older(const Event& e) const {
    return orders_both_ways(e) || (across(Across::releases) && e.kind == Event::Kind::release);
  }
  bool orders_younger(const Event& e) const {
    return orders_both_ways(e) || (across(Across::releases) && e.kind == Event::Kind::acquire);
  }
  /// Points where an acquired order goes on to a release.
  static bool acquires(const Event& e) {
    return e.kind == Event::Kind::acquire || e.kind == Event::Kind::barrier || e.order == PersistOrder::fence ||
           e.order == PersistOrder::barrier;
  }
  static bool releases(const Event& e) {
    return e.kind == Event::Kind::release || e.order == PersistOrder::fence || e.order == PersistOrder::barrier;
  }
  bool synchronises(const Event& release, const Event& acquire) const {
    if (!across(Across::releases)) return true;
    const bool block = release.scope == Scope::cta || acquire.scope == Scope::cta;
    const bool same = release.thread / warps_of_agent == acquire.thread / warps_of_agent;
    const bool kinds = (release.order == PersistOrder::p_release) == (acquire.order == PersistOrder::p_acquire);
    return kinds && (!block || same);
  }
  void connect();

  const World& world_;
  const PersistAxioms& axioms_;
  const PersistencyTraits& traits_;
  std::vector<Set> before_;
  std::vector<std::vector<u32>> direct_;
};

std::string Axioms::why(u32 event, u32 older) const {
  std::string text;
  for (u32 at = event;;) {
    const Event& e = world_.events[at];
    text += fmt::format("\n  {}: thread {}, kind {}, order {}, scope {}, word {}", at, e.thread,
                        static_cast<u32>(e.kind), static_cast<u32>(e.order), static_cast<u32>(e.scope), e.word);
    if (at == older) return text;
    const auto& direct = direct_[at];
    const auto next = std::ranges::find_if(direct, [&](u32 d) { return d == older || before_[d].test(older); });
    if (next == direct.end() || text.size() > 4000) return text;
    at = *next;
  }
}

/// Events come in an order in which whatever an event is behind has been added before it, but for the flags of releases
/// and barriers, which name their parts: so direct predecessors are collected first and closed after.
void Axioms::connect() {
  const auto& events = world_.events;
  auto& direct = direct_;
  direct.resize(events.size());
  std::map<u32, std::vector<u32>> of_thread;
  for (u32 i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    for (const u32 older : of_thread[e.thread]) {
      const Event& o = events[older];
      const bool persist = e.kind == Event::Kind::persist, older_persist = o.kind == Event::Kind::persist;
      if (persist && older_persist ? across(Across::performance)
          : persist                ? orders_younger(o)
          : older_persist          ? orders_older(e)
                                   : acquires(o) && releases(e) && !across(Across::nothing))
        direct[i].push_back(older);
    }
    for (const u32 older : e.after) {
      const Event& o = events[older];
      const bool sync = o.kind == Event::Kind::release && e.kind == Event::Kind::acquire;
      const bool self = o.kind == Event::Kind::release && e.kind == Event::Kind::persist;
      const bool barrier = e.order == PersistOrder::barrier;
      if (across(Across::nothing) || (sync && !synchronises(o, e))) continue;
      if (sync || self || barrier) direct[i].push_back(older);
    }
    if (e.kind == Event::Kind::persist && e.turn) direct[i].push_back(world_.stores_to.at(e.word)[e.turn - 1]);
    of_thread[e.thread].push_back(i);
  }
  bool changed = true;
  while (changed) {
    changed = false;
    for (u32 i = 0; i < events.size(); ++i) {
      const Set was = before_[i];
      for (const u32 d : direct[i]) {
        before_[i] |= before_[d];
        before_[i].set(d);
      }
      changed |= before_[i] != was;
    }
  }
}

/// The place in the device's log at which a persist, or a younger one to its word, was durable.
std::vector<std::size_t> durable_places(const World& world) {
  constexpr std::size_t never = ~std::size_t{0};
  std::vector<std::size_t> place(world.events.size(), never);
  const auto& log = world.bench->nvm->log;
  for (std::size_t at = 0; at < log.size(); ++at) {
    for (u32 w = 0; w < words_of_line; ++w) {
      if (!(log[at].bytes.valid.bits[w / 16] >> (w % 16 * 4) & 1)) continue;
      u32 value = 0;
      std::memcpy(&value, log[at].bytes.bytes.data() + w * 4, 4);
      const auto found = world.event_of_value.find(value);
      EXPECT_NE(found, world.event_of_value.end()) << "a value that nobody stored became durable";
      if (found == world.event_of_value.end()) continue;
      const Event& event = world.events[found->second];
      EXPECT_EQ(event.word, (log[at].line - world.bench->pool) / 4 + w);
      for (u32 turn = 0; turn <= event.turn; ++turn) {
        std::size_t& of = place[world.stores_to.at(event.word)[turn]];
        of = std::min(of, at);
      }
    }
  }
  return place;
}

void check_order(const World& world, const Model& model, const std::string& where) {
  const Axioms axioms(world, model);
  const std::vector<std::size_t> place = durable_places(world);
  u32 pairs = 0;
  for (u32 i = 0; i < world.events.size(); ++i) {
    if (world.events[i].kind != Event::Kind::persist) continue;
    for (u32 j = 0; j < world.events.size(); ++j) {
      if (world.events[j].kind != Event::Kind::persist || !axioms.before(i).test(j)) continue;
      ++pairs;
      ASSERT_LE(place[j], place[i]) << where << ": event " << j << " must be durable before event " << i
                                    << axioms.why(i, j);
    }
  }
  EXPECT_GT(pairs, 0u) << where << ": nothing was ordered, so nothing was tested";
  for (u32 i = 0; i < world.events.size(); ++i) {
    const Event& e = world.events[i];
    if (!axioms.makes_durable(e)) continue;
    for (u32 j = 0; j < i; ++j) {
      if (world.events[j].kind != Event::Kind::persist || world.events[j].thread != e.thread) continue;
      ASSERT_LT(place[j], e.durable_at) << where << ": event " << j << " must be durable when " << i << " is over";
    }
  }
}

void check_end(const World& world, const std::string& where) {
  std::map<u64, std::array<u8, 128>> durable;
  for (const BenchNvm::Write& write : world.bench->nvm->log)
    for (u32 b = 0; b < 128; ++b)
      if (write.bytes.valid.bits[b / 64] >> (b % 64) & 1) durable[write.line][b] = write.bytes.bytes[b];
  for (const auto& [word, stores] : world.stores_to) {
    const u64 at = world.bench->pool + word * 4;
    u32 expected = 0, kept = 0, visible = 0;
    for (const auto& [value, event] : world.event_of_value)
      if (event == stores.back()) expected = value;
    std::memcpy(&kept, durable[at & ~u64{127}].data() + at % 128, 4);
    std::memcpy(&visible, reinterpret_cast<const void*>(at), 4);
    ASSERT_EQ(visible, expected) << where << ": word " << word << " of the coherent image";
    ASSERT_EQ(kept, expected) << where << ": word " << word << " of the durable image";
  }
}

/// Who runs beside whom, and where the flags lie that blocks wait for.
struct Crew {
  const char* name;
  u32 agents;
  bool flags_in_pool;
  friend void PrintTo(const Crew& crew, std::ostream* out) { *out << crew.name; }
};
constexpr Crew crews[] = {{"one_sm", 1, false},    {"one_sm_flags_in_pool", 1, true},
                          {"two_sms", 2, false},   {"two_sms_flags_in_pool", 2, true},
                          {"three_sms", 3, false}, {"three_sms_flags_in_pool", 3, true}};

class EveryModel : public testing::TestWithParam<std::tuple<Setup, Crew>> {};

void run(const Setup& setup, const Crew& crew, u32 seed) {
  PersistBenchConfig config;
  config.model = setup.model->name;
  config.protocol = setup.protocol;
  apply(setup, config.persistency);
  config.seed = seed;
  config.agents = crew.agents;
  config.cache.drain_persists_after = seed % 2 ? 0 : 50;
  PersistBench bench(config);
  World world{.bench = &bench};
  std::deque<Block> blocks;
  for (u32 i = 0; i < config.agents; ++i) blocks.emplace_back(world, i, seed * 31 + i, crew.flags_in_pool);
  for (Block& block : blocks) bench.add(block);
  bench.build();
  for (Block& block : blocks) block.begin();
  const std::string where = fmt::format("{} {} seed {}", setup.name(), crew.name, seed);
  const auto states = [&] {
    std::string text = where + "\n" + bench.what_is_under_way();
    for (const Block& block : blocks) text += block.state();
    return text;
  };
  const auto cycle = [&] {
    bench.wheel.run_due();
    for (Block& block : blocks) block.tick();
    bench.wheel.advance(bench.wheel.now() + 1);
  };
  const auto all = [&](auto&& what) { return std::ranges::all_of(blocks, what); };
  for (u32 i = 0; i < 400'000 && !all([](const Block& b) { return b.over(); }); ++i) cycle();
  ASSERT_TRUE(all([](const Block& b) { return b.over(); })) << "nobody goes on\n" << states();
  for (Block& block : blocks) block.flush();
  for (u32 i = 0; i < 100'000 && !(all([](const Block& b) { return b.flushed(); }) && bench.quiescent()); ++i) cycle();
  ASSERT_TRUE(bench.quiescent()) << states();
  ASSERT_LT(world.events.size(), most_events);
  check_order(world, *setup.model, where);
  check_end(world, where);
  for (const auto& cache : bench.caches) {
    const PersistStatistics& persist = cache->statistics().persist;
    ASSERT_EQ(persist.acknowledged, persist.sent) << where;
  }
}

TEST_P(EveryModel, keeps_its_axioms_loses_nothing_and_ends) {
  const auto& [setup, crew] = GetParam();
  for (u32 seed = 1; seed <= 7 && !testing::Test::HasFatalFailure(); ++seed) run(setup, crew, seed);
}

INSTANTIATE_TEST_SUITE_P(Persistency, EveryModel,
                         testing::Combine(testing::ValuesIn(setups()), testing::ValuesIn(crews)), [](const auto& info) {
                           return fmt::format("{}_{}", std::get<0>(info.param).name(), std::get<1>(info.param).name);
                         });

}  // namespace
}  // namespace ew::persistency
