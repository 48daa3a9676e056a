// Agents that a test leads by the hand, on a bench whose messages it can hold back.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench.hpp"

namespace ew::memory {

/// An agent that a test leads by the hand: every access is one lane of 1 to 16 bytes.
class Hand final : public BenchAgent {
 public:
  struct Done {
    AccessKind kind;
    u32 offset, size;
    u64 value = 0;  // to store; loaded (the first eight bytes); before an atomic
    bool add = false;
    bool performed = false, completed = false;
    Cycle when = 0;  // completed
    ServedBy by = ServedBy::none;
  };

  ByteMask perform(u32 access, u32, u8* bytes) override {
    Done& done = all[access];
    EXPECT_FALSE(done.performed) << "performed twice";
    done.performed = true;
    u8* const at = bytes + done.offset;
    const u64 value = done.value;
    ByteMask mask;
    if (done.kind == AccessKind::load) {
      std::memcpy(&done.value, at, std::min<u32>(done.size, sizeof done.value));
      return mask;
    }
    u64 old = 0;
    std::memcpy(&old, at, done.size);
    const u64 fresh = done.kind == AccessKind::store ? value : old + value;
    std::memcpy(at, &fresh, done.size);
    if (done.kind == AccessKind::atomic) done.value = old;
    for (u32 i = done.offset; i < done.offset + done.size; ++i) mask.bits[i / 64] |= u64{1} << (i % 64);
    return mask;
  }
  void complete(u32 access, u32, ServedBy by) override {
    EXPECT_FALSE(all[access].completed) << "completed twice";
    EXPECT_TRUE(all[access].performed);
    all[access].completed = true;
    all[access].by = by;
    if (wheel) all[access].when = wheel->now();
  }
  void wake() override { ++wakes; }
  void released(u32 token) override { releases.push_back(token); }

  std::deque<Done> all;
  std::vector<u32> releases;
  u32 wakes = 0;
  core::TimeWheel* wheel = nullptr;
};

struct Options {
  bool strong = false, at_home = false, host = false, read_only = false;
  Scope scope = Scope::gpu;
  bool mmio = false;
  u8 warp = 0;
  bool of_thread = false;
};
inline constexpr Options weak{.scope = Scope::none}, strong{.strong = true}, at_home{.at_home = true};

class Scene {
 public:
  explicit Scene(const std::string& protocol, u32 agents = 3, BenchConfig config = {})
      : bench([&] {
          config.protocol = protocol;
          config.agents = agents;
          return config;
        }()) {
    for (u32 i = 0; i < agents; ++i) bench.add(hands.emplace_back());
    bench.build();
    for (Hand& hand : hands) hand.wheel = &bench.wheel;
    bench.network.delay = [this](Node from, Node to, const Request& request) {
      return slow ? slow(from, to, request) : 0;
    };
  }
  ~Scene() {
    slow = {};
    bench.run();
    EXPECT_TRUE(bench.quiescent()) << bench.what_is_under_way();
  }

  struct Handle {
    Accepted accepted;
    Stall why;
    u32 number;
  };
  Handle access(u32 agent, AccessKind kind, u64 address, u32 size, u64 value, Options options) {
    Hand& hand = hands[agent];
    const u32 line_bytes = bench.config.cache.line, offset = static_cast<u32>(address % line_bytes);
    hand.all.push_back({kind, offset, size, value});
    LineAccess a{.line = address - offset, .access = static_cast<u32>(hand.all.size() - 1), .kind = kind};
    for (u32 word = offset / 4; word <= (offset + size - 1) / 4; ++word) a.words |= WordMask{1} << word;
    a.strong = options.strong;
    a.read_only = options.read_only;
    a.of_thread = options.of_thread;
    a.at_home = options.at_home;
    a.place = bench.map().place(a.line);
    assert(a.place.host == options.host);
    a.scope = options.scope;
    a.mmio = options.mmio;
    a.warp = options.warp;
    a.whole_words = kind == AccessKind::store && address % 4 == 0 && size % 4 == 0;
    Handle handle{Accepted::stalled, Stall::none, a.access};
    for (;;) {
      handle.accepted = bench.caches[agent]->access(a, handle.why);
      if (handle.why != Stall::bank) break;
      handle.why = Stall::none;
      bench.next_cycle();
    }
    return handle;
  }
  Handle load(u32 agent, u64 address, Options options = weak, u32 size = 4) {
    return access(agent, AccessKind::load, address, size, 0, options);
  }
  Handle store(u32 agent, u64 address, u64 value, Options options = weak, u32 size = 4) {
    return access(agent, AccessKind::store, address, size, value, options);
  }
  Handle add(u32 agent, u64 address, u64 value, AccessKind kind = AccessKind::atomic, Options options = strong) {
    return access(agent, kind, address, 4, value, options);
  }
  const Hand::Done& done(u32 agent, Handle handle) { return hands[agent].all[handle.number]; }
  /// The value once everything has come to rest.
  u64 value(u32 agent, Handle handle) {
    EXPECT_NE(handle.accepted, Accepted::stalled);
    bench.run();
    EXPECT_TRUE(done(agent, handle).performed);
    return done(agent, handle).value;
  }
  u64 read(u32 agent, u64 address, Options options = weak, u32 size = 4) {
    return value(agent, load(agent, address, options, size));
  }
  void write(u32 agent, u64 address, u64 value, Options options = weak, u32 size = 4) {
    EXPECT_NE(store(agent, address, value, options, size).accepted, Accepted::stalled);
    bench.run();
  }
  u32 image(u64 address) {
    u32 value;
    std::memcpy(&value, reinterpret_cast<const void*>(address), 4);
    return value;
  }
  void release(u32 agent) {
    static u32 token = 0;
    const u32 mine = ++token;
    if (!bench.caches[agent]->release(Scope::gpu, mine)) {
      bench.run();
      EXPECT_EQ(hands[agent].releases.back(), mine);
    }
  }
  void acquire(u32 agent) { bench.caches[agent]->acquire(Scope::gpu); }
  void flush(u32 agent) {
    if (!bench.caches[agent]->end_kernel(77)) {
      bench.run();
      EXPECT_EQ(hands[agent].releases.back(), 77u);
    }
  }
  Place place(u32 number) const { return bench.map().place(line(number)); }
  u64 line(u32 number) const { return bench.data + u64{number} * bench.config.cache.line; }
  Node home() const { return static_cast<Node>(bench.config.agents); }

  std::deque<Hand> hands;
  Bench bench;
  std::function<u32(Node, Node, const Request&)> slow;
};

/// Of every protocol, and as GoogleTest takes one.
inline std::vector<std::string_view> protocol_names() {
  std::vector<std::string_view> names;
  for (const coherence::Model& model : all_models()) names.push_back(model.name);
  return names;
}
inline std::string test_name(const ::testing::TestParamInfo<std::string_view>& info) {
  std::string name(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace ew::memory
