// The contract of coherence, for every protocol of the table: random agents on a few lines, tiny caches, a value
// oracle.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <random>

#include "../memory/scene.hpp"
#include "oracle.hpp"

namespace ew::coherence {
namespace {

struct Traffic {
  std::string name;
  BenchConfig bench;
  u32 operations = 80'000;
  u32 jitter = 30;
  u32 hot_lines = 6;
  u32 most_under_way = 12;
  Region region = Region::managed;  // device: owned words outlive a kernel where the protocol says so
};

constexpr u32 warps = 4;  // of an agent, where releases are of one

class World;

class RandomAgent final : public BenchAgent {
 public:
  RandomAgent(World& world, u32 id, u32 seed) : world_(world), id_(id), random_(seed) {}

  ByteMask perform(u32 access, u32 part, u8* bytes) override;
  void complete(u32 access, u32 part, ServedBy by) override;
  void wake() override { waiting_ = false; }
  void released(u32 token) override;

  /// One cycle. True: it may have something to do in the next.
  bool tick();
  bool idle() const { return under_way_ == 0 && releases_.empty() && !flushing_; }
  void flush();
  std::string state() const {
    return fmt::format("agent {}: {} under way, waiting {}, flushing {}\n", id_, under_way_, waiting_, flushing_);
  }

 private:
  struct Fence {
    u32 token;
    std::vector<u32> stores;
    std::vector<u32> adds;
    std::vector<u32> others;  // stores of warps that it is not about
  };
  u32 below(u32 limit) { return static_cast<u32>(random_() % limit); }
  void invent();
  void stand_at(Operation&, u32 start);
  void invent_lanes(Operation&, bool one_word);
  void issue();
  void judge();
  void fence();
  void check_fence(const Fence&, std::string_view what);
  /// What warps other than this one have done is no business of its fence.
  void leave_to_others(Fence&, u32 warp);
  void stored_here(const Operation&);
  bool promises_newest(const Operation&) const;
  /// A store that is, is performed on owned words.
  bool performed_here(const LineAccess&) const;

  World& world_;
  u32 id_;
  std::mt19937 random_;
  std::deque<Operation> operations_;
  u32 judged_ = 0, under_way_ = 0;
  bool have_next_ = false, inside_access_ = false;
  Operation next_;
  bool waiting_ = false, flushing_ = false;
  bool flushed_alone_ = false;  // nothing was under way when the flush began
  std::vector<Fence> releases_;
  u32 tokens_ = 0;
  Moment acquired_ = 0;
  std::vector<u64> counters_at_acquire_ = std::vector<u64>(1024);
  std::vector<u32> last_add_ = std::vector<u32>(2048);  // by counter: operation + 1
  std::vector<u64> counter_floor_ = std::vector<u64>(2048);
  std::map<u32, u32> warp_of_record_;  // by the first record of a store
};

class World final : public HomeObserver {
 public:
  World(const Traffic& traffic, const Model& model, u32 seed)
      : traffic(traffic),
        bench([&] {
          BenchConfig config = traffic.bench;
          config.protocol = model.name;
          config.agents = oracle_agents;
          config.dma_agent = oracle_agents - 1;
          config.observer = this;
          config.data_bytes = 4096, config.host_bytes = 4096;
          config.region = traffic.region;
          return config;
        }()),
        policy(bench.model.agent),
        data(bench.data, 4096, policy.owns(), policy.home == HomeKind::registry),
        host(bench.host, 4096, false, false),
        random(seed) {
    for (u32 i = 0; i < oracle_agents; ++i) {
      agents.emplace_back(*this, i, seed * 97 + i);
      bench.add(agents.back());
    }
    bench.build();
    bench.network.delay = [this](Node, Node, const Request&) {
      return random() % 64 ? random() % this->traffic.jitter : random() % 400;
    };
    bench.network.watch = [this](Node to, const Request& message, bool before) {
      if (to >= oracle_agents && !before) look();
      if (to < oracle_agents && before && message.kind == RequestKind::data && message.owned) owns_now(to, message);
    };
    for (auto& device : bench.devices) device->watch = [this](bool before) { before ? void() : look(); };
  }

  void performed(const Request&) override { look(); }

  void look() {
    data.look();
    host.look();
    for (Oracle* oracle : {&data, &host})
      if (!oracle->error.empty()) fail(oracle->error);
  }
  /// What the agent has written and did not own is there for all from now on.
  void owns_now(u32 agent, const Request& message) {
    for (u32 at = 0; at < bench.config.cache.line; at += word_bytes) {
      const u64 address = message.line + at;
      if (!(message.words >> at / word_bytes & 1) || address - bench.data >= 4096) continue;
      const PrivateCache::Peek peek = bench.caches[agent]->peek(address);
      for (u32 b = 0; b < word_bytes && !peek.owned; ++b)
        if (peek.dirty_bytes >> b & 1)
          data.performed(agent, static_cast<u32>(address - bench.data) + b, static_cast<u8>(peek.value >> 8 * b));
    }
  }
  void fail(const std::string& what) {
    if (failure.empty()) failure = fmt::format("cycle {}: {}", bench.wheel.now(), what);
  }
  Oracle& oracle(const LineAccess& a) { return a.place.host ? host : data; }
  u64 base(const LineAccess& a) const { return a.place.host ? bench.host : bench.data; }
  void mix(u64 value) { digest = (digest ^ value) * 0x100'0000'01b3; }

  void run();

  Traffic traffic;
  Bench bench;
  const AgentPolicy& policy;
  Oracle data, host;
  std::mt19937 random;
  std::deque<RandomAgent> agents;
  u64 issued = 0, outlived = 0;
  u64 left_behind = 0;  // releases of one warp that left another's store where it was
  std::array<u64, stalls> stalled{};
  std::string failure;
  u64 digest = 0xcbf2'9ce4'8422'2325;
};

ByteMask RandomAgent::perform(u32 access, u32, u8* bytes) {
  Operation& operation = inside_access_ ? next_ : operations_[access];
  Oracle& oracle = world_.oracle(operation.access);
  ByteMask mask;
  if (operation.performed != never_yet) world_.fail("performed twice");
  operation.performed = oracle.now();
  const u32 line = world_.bench.config.cache.line;
  const AccessKind kind = operation.access.kind;
  if (operation.counter) {
    const u32 at = operation.lane[0].at;
    u32 value;
    std::memcpy(&value, bytes + at % line, 4);
    operation.count = value;
    if (kind == AccessKind::load) return mask;
    if (operation.local && Oracle::local_agent(at) != id_) world_.fail("another agent's counter");
    if (value != oracle.counters[at / 4])
      world_.fail(fmt::format("an add saw {} in the counter at {}, not {}", value, at, oracle.counters[at / 4]));
    operation.count = ++oracle.counters[at / 4];
    ++value;
    std::memcpy(bytes + at % line, &value, 4);
    for (u32 b = at % line; b < at % line + 4; ++b) mask.bits[b / 64] |= u64{1} << (b % 64);
    return mask;
  }
  std::array<Lane, 3> stored = operation.lane;
  for (u32 i = 0; i < operation.lanes; ++i) {
    Lane& lane = operation.lane[i];
    for (u32 b = 0; b < lane.size; ++b) {
      const u32 at = (lane.at + b) % line;
      if (kind != AccessKind::store) lane.bytes[b] = bytes[at];
      if (kind == AccessKind::load) continue;
      bytes[at] = stored[i].bytes[b];
      mask.bits[at / 64] |= u64{1} << (at % 64);
    }
  }
  if (kind == AccessKind::load) return mask;
  if (kind == AccessKind::atomic)
    if (const std::string wrong = oracle.check_newest(operation); !wrong.empty()) world_.fail(wrong);
  operation.lane = stored;
  // An atomic is performed for all to see. So is a store to an owned word; one at the home comes there later.
  const bool here = performed_here(operation.access);
  if (here && kind == AccessKind::store && world_.policy.owns_later())
    stored_here(operation);
  else if (kind == AccessKind::atomic || here)
    oracle.performed(id_, operation);
  if (here && world_.policy.copies_are_current())
    for (u32 other = 0; other < oracle_agents; ++other)
      if (other != id_ && world_.bench.caches[other]->peek(operation.access.line + operation.lane[0].at % line).valid)
        world_.fail(fmt::format("agent {} writes what agent {} has a copy of", id_, other));
  return mask;
}

/// On owned words it is there for all. Other words will be owned later: World::owns_now().
void RandomAgent::stored_here(const Operation& operation) {
  for (u32 i = 0; i < operation.lanes; ++i)
    for (u32 b = 0; b < operation.lane[i].size; ++b) {
      const u32 at = operation.lane[i].at + b;
      if (world_.bench.caches[id_]->peek(world_.bench.data + (at & ~3u)).owned)
        world_.data.performed(id_, at, operation.lane[i].bytes[b]);
    }
}

void RandomAgent::complete(u32 access, u32, ServedBy by) {
  Operation& operation = operations_[access];
  if (operation.performed == never_yet) world_.fail("completed but not performed");
  if (operation.over) world_.fail("completed twice");
  operation.over = true;
  --under_way_;
  if (operation.access.kind == AccessKind::store && !operation.counter) {
    std::vector<u32> mine;
    for (u32 i = 0; i < operation.lanes; ++i)
      for (u32 b = 0; b < operation.lane[i].size; ++b)
        mine.push_back(operation.first_record + static_cast<u32>(mine.size()));
    if (!world_.oracle(operation.access).seen(mine)) world_.fail("a store completes and is not visible");
  }
  world_.mix(world_.bench.wheel.now() << 20 ^ u64{access} << 4 ^ id_ ^ u64{static_cast<u8>(by)} << 60);
  for (u32 i = 0; i < operation.lanes; ++i)
    for (u32 b = 0; b < operation.lane[i].size; ++b) world_.mix(operation.lane[i].bytes[b]);
}

void RandomAgent::released(u32 token) {
  const auto found = std::find_if(releases_.begin(), releases_.end(), [&](const Fence& f) { return f.token == token; });
  if (found == releases_.end()) return world_.fail("released twice");
  check_fence(*found, "a release");
  releases_.erase(found);
  if (flushing_ && token >= 1'000'000) {
    flushing_ = false;
    const bool outlives = world_.policy.outlives_kernels && world_.traffic.region == Region::device;
    for (u64 at = 0; at < 4096 && flushed_alone_; at += 4) {
      const PrivateCache::Peek peek = world_.bench.caches[id_]->peek(world_.bench.data + at);
      if (peek.valid && !outlives) world_.fail("a copy outlives a kernel");
      if (peek.valid && !peek.owned && world_.policy.drops_at_acquire) world_.fail("a stale copy outlives a kernel");
      if (peek.dirty_bytes && !peek.owned) world_.fail("dirty bytes that nobody owns outlive a kernel");
      world_.outlived += peek.valid;
    }
  }
}

void RandomAgent::check_fence(const Fence& fence, std::string_view what) {
  if (!world_.data.seen(fence.stores)) world_.fail(fmt::format("{} of agent {} left a store behind", what, id_));
  for (const u32 add : fence.adds)
    if (operations_[add].performed == never_yet) world_.fail(fmt::format("{} left an atomic behind", what));
  world_.left_behind += !world_.data.seen(fence.others);
}

void RandomAgent::leave_to_others(Fence& fence, u32 warp) {
  std::erase_if(fence.adds, [&](u32 add) { return operations_[add].access.warp != warp; });
  std::erase_if(fence.stores, [&](u32 record) {
    const bool other = std::prev(warp_of_record_.upper_bound(record))->second != warp;
    if (other) fence.others.push_back(record);
    return other;
  });
}

void RandomAgent::fence() {
  Fence fence{++tokens_, world_.data.unseen(id_), {}};
  for (u32 i = judged_; i < operations_.size(); ++i)
    if (operations_[i].access.kind != AccessKind::load && !operations_[i].over) fence.adds.push_back(i);
  const bool own = world_.traffic.bench.drains_own;
  const u32 warp = own ? below(warps) : 0;
  if (own) leave_to_others(fence, warp);
  const Scope scope = below(8) ? Scope::gpu : Scope::cta;
  if (scope == Scope::cta) {
    if (!world_.bench.caches[id_]->release(scope, fence.token)) world_.fail("a release of block scope waits");
    return;
  }
  releases_.push_back(fence);
  if (!world_.bench.caches[id_]->release(scope, fence.token, core::nobody, warp)) return;
  check_fence(fence, "a release that is over at once");
  releases_.pop_back();
}

void RandomAgent::flush() {
  flushing_ = true;
  flushed_alone_ = under_way_ == 0;
  Fence fence{1'000'000 + ++tokens_, world_.data.unseen(id_), {}};
  for (u32 i = judged_; i < operations_.size(); ++i) {  // what is under way goes on, and nobody waits for it
    const Operation& operation = operations_[i];
    u32 bytes = 0;
    for (u32 lane = 0; lane < operation.lanes; ++lane) bytes += operation.lane[lane].size;
    if (!operation.over && operation.access.kind != AccessKind::load && !operation.counter)
      std::erase_if(fence.stores, [&](u32 record) { return record - operation.first_record < bytes; });
  }
  releases_.push_back(fence);
  if (world_.bench.caches[id_]->end_kernel(fence.token)) released(fence.token);
}

void RandomAgent::stand_at(Operation& operation, u32 start) {
  operation.access.line = world_.base(operation.access) + start;
  operation.access.place = world_.bench.map().place(operation.access.line);
}

void RandomAgent::invent_lanes(Operation& operation, bool one_word) {
  const u32 line_bytes = world_.bench.config.cache.line;
  Oracle& oracle = world_.oracle(operation.access);
  const u32 lines = 4096 / line_bytes, hot = world_.traffic.hot_lines;
  u32 line = below(8) ? below(hot) : below(lines);
  if (operation.access.place.host) line = below(4);
  const u32 start = line * line_bytes;
  if (operation.counter) {
    u32 at = start + line_bytes - 4;
    if (operation.local) at = (at / 128 / oracle_agents * oracle_agents + id_) % (4096 / 128) * 128 + at % 128 - 4;
    operation.lanes = 1;
    operation.lane[0] = {.at = at, .size = 0};
    operation.access.words = WordMask{1} << (at % line_bytes / 4);
    stand_at(operation, at - at % line_bytes);
    return;
  }
  const u32 wanted = one_word || below(3) ? 1 : 1 + below(3);
  // Most accesses meet in the first two sectors.
  const u32 span = below(4) ? 48 : line_bytes;
  operation.access.words = 0;
  for (u32 i = 0; i < wanted; ++i) {
    const u32 size = one_word ? 4 : 1u << below(5);
    const u32 at = start + below(span / size) * size;
    bool taken = false;
    for (u32 b = at; b < at + size; ++b) {
      taken |= oracle.is_counter(b);
      for (u32 j = 0; j < operation.lanes; ++j)
        taken |= b >= operation.lane[j].at && b < operation.lane[j].at + operation.lane[j].size;
    }
    if (taken) continue;
    operation.lane[operation.lanes++] = {.at = at, .size = size};
    for (u32 b = at; b < at + size; ++b) operation.access.words |= WordMask{1} << (b % line_bytes / 4);
  }
  stand_at(operation, start);
  u32 bytes = 0;
  for (u32 i = 0; i < operation.lanes; ++i) bytes += operation.lane[i].size;
  const bool store = operation.access.kind == AccessKind::store;
  operation.access.whole_words = store && bytes == word_bytes * static_cast<u32>(std::popcount(operation.access.words));
}

void RandomAgent::invent() {
  next_ = {};
  LineAccess& a = next_.access;
  if (world_.bench.config.drains_own) a.warp = static_cast<u8>(below(warps));
  const bool dma = id_ == world_.bench.config.dma_agent;
  const u32 dice = below(100);
  a.kind = dice < 48 ? AccessKind::load : dice < 84 ? AccessKind::store : AccessKind::atomic;
  next_.counter = dice >= 88 || (dice < 48 && !below(12));
  if (dice >= 94) a.kind = AccessKind::reduction;
  if (dma && dice >= 84) a.kind = AccessKind::store, next_.counter = false;
  a.place.host = !below(20);
  a.strong = a.kind >= AccessKind::atomic || !below(4);
  a.at_home = dma || !below(12);
  a.scope = a.strong ? (below(5) || a.kind >= AccessKind::atomic ? Scope::gpu : Scope::cta) : Scope::none;
  a.streaming = !below(10);
  a.lanes = static_cast<u8>(1 + below(4));
  if (!dma && !below(10)) {
    next_.local = next_.counter = true;
    a.place.host = a.at_home = false;
    a.kind = below(4) ? below(3) ? AccessKind::atomic : AccessKind::reduction : AccessKind::load;
    a.strong = a.kind == AccessKind::load && below(2);
    a.scope = a.strong ? Scope::gpu : Scope::cta;
  }
  invent_lanes(next_, a.kind == AccessKind::atomic);
  have_next_ = next_.lanes;
}

bool RandomAgent::promises_newest(const Operation& operation) const {
  const LineAccess& a = operation.access;
  return world_.policy.copies_are_current() || !world_.policy.keeps_copies() || a.place.host || a.at_home ||
         (a.strong && a.scope != Scope::cta);
}

bool RandomAgent::performed_here(const LineAccess& a) const {
  if (!world_.policy.owns() || a.place.host || id_ == world_.bench.config.dma_agent) return false;
  return !a.at_home || world_.policy.on(Use::past_store, DataKind::ordinary).otherwise != Otherwise::past;
}

void RandomAgent::issue() {
  Oracle& oracle = world_.oracle(next_.access);
  const u32 counter = next_.lane[0].at / 4 + (next_.access.place.host ? 1024 : 0);
  const bool writes = next_.access.kind != AccessKind::load && !next_.counter;
  if (writes)
    oracle.store(id_, next_);
  else if (!next_.counter)
    oracle.load(id_, next_);
  next_.issued = oracle.now();
  next_.acquired = next_.access.place.host ? next_.issued : acquired_;
  if (next_.counter) {
    next_.behind_add = last_add_[counter];
    next_.count_at_issue = oracle.counters[next_.lane[0].at / 4];
    next_.count_at_acquire =
        next_.access.place.host ? next_.count_at_issue : counters_at_acquire_[next_.lane[0].at / 4];
  }
  next_.access.access = static_cast<u32>(operations_.size());
  Stall why = Stall::none;
  inside_access_ = true;
  const Accepted accepted = world_.bench.caches[id_]->access(next_.access, why);
  inside_access_ = false;
  if (accepted == Accepted::stalled) {
    if (next_.performed != never_yet) world_.fail("performed and stalled");
    if (why == Stall::none) world_.fail("stalled for no reason");
    if (writes) oracle.undo(id_, next_);
    ++world_.stalled[static_cast<u32>(why)];
    waiting_ = why != Stall::bank;  // else it tries again in the next cycle
    return;
  }
  if (accepted == Accepted::performed) {
    if (next_.performed == never_yet) world_.fail("`performed`, but was not");
    next_.over = true;
    // A store that was meant for the home, to a line that the agent owns.
    const bool store = next_.access.kind == AccessKind::store;
    if (store && next_.access.at_home && world_.policy.owns() && !performed_here(next_.access))
      oracle.performed(id_, next_);
  } else {
    ++under_way_;
  }
  if (writes && !next_.access.place.host) warp_of_record_[next_.first_record] = next_.access.warp;
  operations_.push_back(next_);
  if (next_.counter && next_.access.kind != AccessKind::load) last_add_[counter] = static_cast<u32>(operations_.size());
  have_next_ = false;
  ++world_.issued;
}

/// In program order, as far as everything is over.
void RandomAgent::judge() {
  for (; judged_ < operations_.size() && operations_[judged_].over; ++judged_) {
    const Operation& operation = operations_[judged_];
    Oracle& oracle = world_.oracle(operation.access);
    std::string wrong;
    if (operation.access.kind == AccessKind::load && !operation.counter)
      wrong = oracle.check(id_, operation, promises_newest(operation));
    if (operation.counter) {
      u64& floor = counter_floor_[operation.lane[0].at / 4 + (operation.access.place.host ? 1024 : 0)];
      u64 least = floor;
      if (operation.behind_add) {
        const Operation& add = operations_[operation.behind_add - 1];
        if (add.performed > operation.performed) wrong = "passed an add of its own agent";
        least = std::max(least, add.count);
      }
      if (operation.access.kind == AccessKind::load)
        least = std::max(least, promises_newest(operation) ? operation.count_at_issue : operation.count_at_acquire);
      if (operation.count < least)
        wrong = fmt::format("the counter at {} went back from {} to {}", operation.lane[0].at, least, operation.count);
      floor = std::max(floor, operation.count);
    }
    if (!wrong.empty())
      world_.fail(fmt::format("agent {}, operation {} (kind {}, strong {}, at home {}, host {}, scope {}): {}", id_,
                              judged_, static_cast<int>(operation.access.kind), operation.access.strong,
                              operation.access.at_home, operation.access.place.host,
                              static_cast<int>(operation.access.scope), wrong));
  }
}

bool RandomAgent::tick() {
  judge();
  if (waiting_ || flushing_) return false;
  const bool more = world_.issued < world_.traffic.operations;
  if (!more || under_way_ >= world_.traffic.most_under_way) return false;
  if (!have_next_) {
    if (!below(3)) return true;
    const u32 dice = below(400);
    if (dice < 8) {
      world_.bench.caches[id_]->acquire(dice ? Scope::gpu : Scope::cta);
      if (dice) acquired_ = world_.data.now(), counters_at_acquire_ = world_.data.counters;
    } else if (dice < 14) {
      fence();
    } else if (dice == 14 && !below(4)) {
      flush();
      return false;
    }
    invent();
  }
  if (have_next_) issue();
  return !waiting_;
}

void World::run() {
  core::TimeWheel& wheel = bench.wheel;
  bool draining = false;
  while (failure.empty()) {
    wheel.run_due();
    bool active = false, idle = true;
    for (RandomAgent& agent : agents) {
      active |= agent.tick();
      active |= agent.tick();  // two accesses a cycle: they may meet in a bank
      idle &= agent.idle();
    }
    if (issued >= traffic.operations && idle && !draining) {
      draining = true;
      for (RandomAgent& agent : agents) agent.flush();
      continue;
    }
    const core::Cycle next = wheel.next();
    if (!active && next == core::never) {
      if (draining && idle) break;
      std::string states;
      for (const RandomAgent& agent : agents) states += agent.state();
      fail("deadlock\n" + states + bench.what_is_under_way());
      return;
    }
    wheel.advance(active ? std::min(next, wheel.now() + 1) : next);
  }
  if (!failure.empty()) return;
  if (!bench.quiescent()) fail("not quiescent: " + bench.what_is_under_way());
  look();
  for (const auto& cache : bench.caches)
    for (u64 line = bench.data; line < bench.data + 4096; line += bench.config.cache.line)
      cache->meet_image(line, false);
  for (Oracle* oracle : {&data, &host})
    if (const std::string wrong = oracle->check_image(); !wrong.empty()) fail(wrong);
}

#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
constexpr u32 share = 10;
#else
constexpr u32 share = 1;
#endif

std::vector<Traffic> traffics() {
  std::vector<Traffic> all(6);
  for (Traffic& traffic : all) {
    traffic.operations /= share;
    if ((&traffic - all.data()) & 1) traffic.region = Region::device;
    traffic.bench.slices = 2;
    traffic.bench.home = {.bytes = 1024, .line = 128, .ways = 2, .latency = 5, .mshrs = 4};
  }
  all[0].name = "direct_mapped";
  all[0].bench.cache = {
      .bytes = 512, .line = 128, .ways = 1, .banks = 2, .mshrs = 3, .merges = 2, .write_buffer = 3, .drain_after = 40};
  all[1].name = "fully_associative_lines_of_64";
  all[1].bench.cache = {
      .bytes = 2048, .line = 64, .ways = 0, .banks = 4, .mshrs = 8, .merges = 4, .write_buffer = 6, .drain_after = 200};
  all[1].bench.home.bytes = 512;
  all[1].hot_lines = 12;
  all[2].name = "starved";
  all[2].bench.cache = {
      .bytes = 256, .line = 128, .ways = 2, .banks = 1, .mshrs = 1, .merges = 1, .write_buffer = 1, .drain_after = 10};
  all[2].bench.home = {.bytes = 256, .line = 128, .ways = 1, .latency = 1, .mshrs = 1};
  all[3].name = "roomy_no_timer";
  all[3].bench.cache = {.bytes = 4096,
                        .line = 128,
                        .ways = 4,
                        .banks = 4,
                        .mshrs = 32,
                        .merges = 8,
                        .write_buffer = 32,
                        .drain_after = 0};
  all[3].bench.home = {.bytes = 8192, .line = 128, .ways = 4, .latency = 9, .mshrs = 16, .keep_host_lines = true};
  all[3].bench.home.atomic_latency = 25;
  all[4].name = "two_lines_are_the_world";
  all[4].bench.cache = {
      .bytes = 1024, .line = 128, .ways = 4, .banks = 2, .mshrs = 6, .merges = 6, .write_buffer = 4, .drain_after = 60};
  all[4].bench.home.atomic_latency = 60;  // what is decided later may come first
  all[4].hot_lines = 2;
  all[4].jitter = 80;
  all[5].name = "sectors_of_64";
  all[5].bench.cache = {.bytes = 1024,
                        .line = 128,
                        .sector = 64,
                        .ways = 8,
                        .banks = 2,
                        .mshrs = 6,
                        .merges = 3,
                        .write_buffer = 5,
                        .drain_after = 100};
  all[5].jitter = 3;
  return all;
}

class Contract : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Protocols, Contract, ::testing::ValuesIn(protocol_names()), test_name);

/// What must have happened somewhere, lest the traffic was too tame.
struct Coverage {
  PrivateCacheStatistics caches;
  HomeStatistics homes;
  u64 refused = 0, outlived = 0;
  std::array<u64, stalls> stalled{};

  void add(const World& world) {
    outlived += world.outlived;
    for (u32 i = 0; i < stalls; ++i) stalled[i] += world.stalled[i];
    for (const auto& cache : world.bench.caches) {
      const PrivateCacheStatistics& s = cache->statistics();
      caches.lines_evicted += s.lines_evicted;
      caches.load_hits += s.load_hits;
      caches.atomic_hits += s.atomic_hits;
      caches.load_merges += s.load_merges;
      caches.words_invalidated += s.words_invalidated;
      caches.lines_drained += s.lines_drained;
      caches.lines_written += s.lines_written;
      caches.forwards += s.forwards;
    }
    for (const auto& home : world.bench.homes) {
      homes.lines_evicted += home->statistics().lines_evicted;
      homes.recalls += home->statistics().recalls;
      homes.forwards += home->statistics().forwards;
      homes.probes += home->statistics().probes;
      homes.waited += home->statistics().waited;
      homes.sectors_written += home->statistics().sectors_written;
    }
    for (const auto& device : world.bench.devices) refused += device->refused;
  }
};

TEST_P(Contract, a_million_random_operations_and_a_value_oracle) {
  const Model& model = model_named(GetParam());
  Coverage coverage;
  const char* const first = std::getenv("EW_CONTRACT_SEED");  // for longer searches by hand
  u32 seed = first ? static_cast<u32>(std::atoi(first)) : 1;
  for (const Traffic& traffic : traffics()) {
    World world(traffic, model, seed++);
    world.run();
    ASSERT_EQ(world.failure, "") << traffic.name << ", seed " << seed - 1;
    EXPECT_GE(world.issued, traffic.operations);
    coverage.add(world);
  }
  const auto stalled = [&](Stall why) { return coverage.stalled[static_cast<u32>(why)]; };
  const AgentPolicy& policy = model.agent;
  EXPECT_GT(stalled(Stall::bank), 0u);
  EXPECT_GT(stalled(Stall::mshr), 0u);
  EXPECT_GT(stalled(Stall::write_buffer), 0u);
  EXPECT_GT(coverage.homes.lines_evicted, 0u);
  EXPECT_GT(coverage.homes.sectors_written, 0u);
  EXPECT_GT(coverage.homes.waited, 0u);
  EXPECT_GT(coverage.refused, 0u);
  if (policy.keeps_copies()) {
    EXPECT_GT(stalled(Stall::merge), 0u);
    EXPECT_GT(stalled(Stall::line), 0u);
    EXPECT_GT(coverage.caches.load_hits, 0u);
    EXPECT_GT(coverage.caches.load_merges, 0u);
    EXPECT_GT(coverage.caches.lines_evicted, 0u);
    EXPECT_GT(coverage.caches.lines_written, 0u);
  }
  if (policy.drops_at_acquire && policy.keeps_copies()) {
    EXPECT_GT(coverage.caches.words_invalidated, 0u);
  }
  EXPECT_EQ(coverage.outlived > 0, policy.outlives_kernels);
  EXPECT_EQ(coverage.caches.atomic_hits > 0, policy.owns() || policy.atomics_on_copies());
  if (policy.drains_at_release) {
    EXPECT_GT(coverage.caches.lines_drained, 0u);
  }
  if (model.home().tracks()) {
    EXPECT_GT(coverage.homes.recalls, 0u);
    EXPECT_GT(coverage.homes.forwards, 0u);
    EXPECT_GT(coverage.homes.probes, 0u);
  }
}

/// Consistency::drained: a release waits for its own warp's stores, and leaves others' where they are.
TEST_P(Contract, releases_of_one_warp_on_random_operations) {
  const Model& model = model_named(GetParam());
  u64 left_behind = 0;
  u32 seed = 1;
  for (Traffic& traffic : traffics()) {
    traffic.bench.drains_own = true;
    traffic.operations /= 2;
    World world(traffic, model, seed++);
    world.run();
    ASSERT_EQ(world.failure, "") << traffic.name << ", seed " << seed - 1;
    left_behind += world.left_behind;
  }
  EXPECT_EQ(left_behind > 0, model.agent.drains_at_release);
}

/// Prefetches change what is where, and when, but nothing that an agent may see.
TEST_P(Contract, every_prefetcher_on_random_operations) {
  const Model& model = model_named(GetParam());
  const char* const first = std::getenv("EW_CONTRACT_SEED");
  u32 seed = first ? static_cast<u32>(std::atoi(first)) : 1;
  for (const std::string_view prefetcher : prefetcher_names()) {
    if (prefetcher == "none") continue;
    u64 made = 0, useful = 0;
    for (Traffic traffic : traffics()) {
      if (traffic.bench.cache.mshrs < 4) continue;  // a prefetch may not take one
      traffic.operations /= 4;
      traffic.bench.cache.prefetcher = prefetcher;
      World world(traffic, model, seed++);
      world.run();
      ASSERT_EQ(world.failure, "") << prefetcher << ", " << traffic.name << ", seed " << seed - 1;
      for (const auto& cache : world.bench.caches) {
        made += cache->statistics().prefetches;
        useful += cache->statistics().prefetches_useful;
      }
    }
    const bool fetches = model.agent.on(Use::load, DataKind::ordinary).otherwise == Otherwise::fetch;
    EXPECT_EQ(made > 0, fetches) << prefetcher;
    EXPECT_EQ(useful > 0, fetches) << prefetcher;
  }
}

TEST_P(Contract, a_run_repeats) {
  Traffic traffic = traffics()[0];
  traffic.operations = 8000;
  u64 digests[3];
  for (u32 i = 0; i < 3; ++i) {
    World world(traffic, model_named(GetParam()), i == 2 ? 8 : 7);
    world.run();
    ASSERT_EQ(world.failure, "");
    digests[i] = world.digest;
  }
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_NE(digests[0], digests[2]);
}

}  // namespace
}  // namespace ew::coherence
