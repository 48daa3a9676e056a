// Accesses of single words, led by the hand: the bench of tests that ask one question of private caches with a
// persistency model.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <optional>

#include "persist_bench.hpp"

namespace ew::persistency {

/// Led by the hand: every access is of one word.
class Hand final : public memory::BenchAgent {
 public:
  struct Done {
    AccessKind kind;
    u32 offset, value;
    bool performed = false;
  };
  ByteMask perform(u32 access, u32, u8* bytes) override {
    Done& done = all[access];
    done.performed = true;
    u32 before;
    std::memcpy(&before, bytes + done.offset, 4);
    ByteMask mask;
    if (done.kind == AccessKind::load) {
      done.value = before;
      return mask;
    }
    const u32 after = done.kind == AccessKind::store ? done.value : before + done.value;
    std::memcpy(bytes + done.offset, &after, 4);
    done.value = done.kind == AccessKind::store ? done.value : before;
    mask.bits[done.offset / 64] |= u64{15} << (done.offset % 64);
    return mask;
  }
  void complete(u32, u32, ServedBy) override {}
  void wake() override {}
  void released(u32) override { ++releases; }

  std::deque<Done> all;
  u32 releases = 0;
};

class Pool {
 public:
  Pool(std::string_view model, std::string_view protocol, u32 agents = 2, u32 seed = 1)
      : Pool([&] {
          PersistBenchConfig config;
          config.model = model, config.protocol = protocol, config.agents = agents, config.seed = seed;
          return config;
        }()) {}
  explicit Pool(const PersistBenchConfig& config) : bench(config), hands(config.agents) {
    for (Hand& hand : hands) bench.add(hand);
    bench.build();
  }
  ~Pool() {
    rest();
    EXPECT_TRUE(bench.quiescent()) << bench.what_is_under_way();
  }

  u64 word(u32 number) const { return bench.pool + 4 * u64{number}; }
  /// The access's number; nothing if it was stalled.
  std::optional<u32> access(u32 sm, AccessKind kind, u64 address, u32 value = 0, bool strong = false) {
    Hand& hand = hands[sm];
    const u32 line = bench.config.cache.line, offset = static_cast<u32>(address % line);
    hand.all.push_back({kind, offset, value});
    LineAccess a{.line = address - offset, .access = static_cast<u32>(hand.all.size() - 1), .kind = kind};
    a.words = WordMask{1} << offset / 4;
    a.place = bench.map().place(a.line);
    a.whole_words = kind == AccessKind::store;
    a.strong = strong;
    a.scope = strong ? Scope::gpu : Scope::none;
    a.warp = 1;
    Stall why = Stall::none;
    if (bench.caches[sm]->access(a, why) != Accepted::stalled) return a.access;
    hand.all.pop_back();
    return {};
  }
  bool performed(u32 sm, u32 number) const { return hands[sm].all[number].performed; }
  void step() {
    bench.wheel.run_due();
    bench.wheel.advance(bench.wheel.now() + 1);
  }
  void rest() {
    for (u32 i = 0; i < 100'000 && (!bench.quiescent() || i < 50); ++i) step();
  }
  u32 value(u32 sm, AccessKind kind, u64 address, u32 operand = 0, bool strong = false) {
    std::optional<u32> number;
    for (u32 i = 0; i < 10'000 && !(number = access(sm, kind, address, operand, strong)); ++i) step();
    EXPECT_TRUE(number) << "never accepted";
    rest();
    EXPECT_TRUE(performed(sm, *number));
    return hands[sm].all[*number].value;
  }
  u32 load(u32 sm, u64 address) { return value(sm, AccessKind::load, address); }
  void store(u32 sm, u64 address, u32 what) { value(sm, AccessKind::store, address, what); }
  /// The order operation of the SM's warp is over.
  void order(u32 sm, PersistOrder kind, Scope scope) {
    for (u32 i = 0; i < 10'000; ++i) {
      if (bench.caches[sm]->order(kind, scope, 2)) return;
      step();
    }
    FAIL() << "an order operation is never over\n" << bench.what_is_under_way();
  }
  void acquire(u32 sm) { bench.caches[sm]->acquire(Scope::gpu); }
  /// What the SM has stored is durable.
  void persist(u32 sm) {
    order(sm, PersistOrder::dfence, Scope::gpu);
    bench.caches[sm]->release(Scope::gpu, 0);
    rest();
  }
  bool owned(u32 sm, u64 address) const { return bench.caches[sm]->peek(address).owned; }
  u32 durable(u64 address) const {
    u32 value = 0;
    for (const BenchNvm::Write& write : bench.nvm->log) {
      const u64 offset = address - write.line;
      if (address >= write.line && offset < bench.config.cache.line &&
          write.bytes.valid.bits[offset / 64] >> offset % 64 & 1)
        std::memcpy(&value, write.bytes.bytes.data() + offset, 4);
    }
    return value;
  }
  u64 forwards() const {
    u64 sum = 0;
    for (const auto& home : bench.homes) sum += home->statistics().forwards;
    return sum;
  }

  PersistBench bench;
  std::deque<Hand> hands;
};

}  // namespace ew::persistency
