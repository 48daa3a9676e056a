// Nobody is kept waiting: agents that ask for one line again and again, each with its own period and phase, are each
// served within a bound. The bound: one idle request's time for each agent, since a home decides requests of a line in
// order of arrival and each decision takes no longer than one request that finds the line elsewhere. What a program
// makes of that is its own matter: an agent that is served in time may always find the lock taken
// (simt/timing_spinning.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "../memory/scene.hpp"

namespace ew::coherence {
namespace fairness {
namespace {

struct Asking {
  AccessKind kind = AccessKind::atomic;
  std::vector<u64> addresses;  // in turn
  u32 period = 1;              // cycles from one request's end to the next
  Cycle next = 0;              // its phase, at first
};

/// One agent's requests, one at a time; what is stalled is tried again in each cycle, as an SM does.
class Repeater {
 public:
  Repeater(Scene& scene, u32 agent, Asking asking) : scene_(scene), agent_(agent), asking_(std::move(asking)) {}

  void tick(Cycle now) {
    Hand& hand = scene_.hands[agent_];
    if (under_way_ && hand.all[number_].completed) over(now);
    if (under_way_ || now < asking_.next) return;
    if (!trying_) {
      since_ = now;
      const u64 address = asking_.addresses[served % asking_.addresses.size()];
      const u32 line = scene_.bench.config.cache.line, offset = static_cast<u32>(address % line);
      hand.all.push_back({asking_.kind, offset, 4, 1});
      number_ = static_cast<u32>(hand.all.size() - 1);
      access_ = {.line = address - offset,
                 .place = scene_.bench.map().place(address - offset),
                 .access = number_,
                 .kind = asking_.kind};
      access_.words = WordMask{1} << offset / 4;
      access_.strong = true;
      access_.scope = Scope::gpu;
      trying_ = true;
    }
    Stall why = Stall::none;
    const Accepted accepted = scene_.bench.caches[agent_]->access(access_, why);
    if (accepted == Accepted::stalled) return;
    trying_ = false;
    under_way_ = accepted == Accepted::pending;
    if (!under_way_) over(now);
  }
  bool idle() const { return !under_way_ && !trying_; }
  /// How long the one that is not over has waited, too.
  Cycle worst(Cycle now) const { return idle() ? worst_ : std::max(worst_, now - since_); }

  u32 served = 0;

 private:
  void over(Cycle now) {
    worst_ = std::max(worst_, now - since_);
    under_way_ = false;
    ++served;
    asking_.next = now + asking_.period;
  }

  Scene& scene_;
  u32 agent_;
  Asking asking_;
  LineAccess access_;
  u32 number_ = 0;
  bool trying_ = false, under_way_ = false;
  Cycle since_ = 0, worst_ = 0;
};

/// Each cycle once, until `end`.
void run(Scene& scene, std::vector<Repeater>& agents, Cycle end) {
  core::TimeWheel& wheel = scene.bench.wheel;
  for (; wheel.now() < end; wheel.advance(wheel.now() + 1)) {
    wheel.run_due();
    for (Repeater& agent : agents) agent.tick(wheel.now());
  }
  wheel.run_due();
}

BenchConfig room_for_all() {
  return {};
}
/// One MSHR and one way at the home: every line evicts, or waits for, every other.
BenchConfig room_for_one() {
  BenchConfig config;
  config.slices = 1;
  config.cache = {.bytes = 256, .line = 128, .ways = 2, .banks = 1, .mshrs = 1, .merges = 1, .write_buffer = 1};
  config.home = {.bytes = 256, .line = 128, .ways = 1, .latency = 1, .mshrs = 1};
  return config;
}

constexpr u32 agents = 4;

std::vector<u64> lines_of(const Scene& scene, u32 lines) {
  std::vector<u64> addresses;
  for (u32 i = 0; i < lines; ++i) addresses.push_back(scene.line(i * 2));
  return addresses;
}

/// The longest that a request takes while nothing else is under way, wherever the line is.
Cycle idle_time(const std::string& protocol, const BenchConfig& config, AccessKind kind, u32 lines) {
  Scene scene(protocol, agents, config);
  Cycle longest = 0;
  for (u32 round = 0; round < 3 * lines; ++round)
    for (u32 i = 0; i < agents; ++i) {
      const std::vector<u64> all = lines_of(scene, lines);
      const u64 address = all[round % lines];
      std::vector<Repeater> one{
          {scene, i, {.kind = i % 2 ? AccessKind::atomic : kind, .addresses = {address}, .period = 1u << 30}}};
      run(scene, one, scene.bench.wheel.now() + 1000);
      EXPECT_EQ(one[0].served, 1u);
      longest = std::max(longest, one[0].worst(scene.bench.wheel.now()));
    }
  return longest;
}

/// Agent 0 is the victim: every period and phase of it against every period of the others.
void expect_fair(const std::string& protocol, const BenchConfig& config, AccessKind kind, u32 lines) {
  const Cycle idle = idle_time(protocol, config, kind, lines), bound = (agents + 1) * idle * lines;
  for (const u32 others : {1u, 3u, static_cast<u32>(idle) / 2, static_cast<u32>(idle)})
    for (u32 period = 1; period <= idle + 3; period += 1 + period / 3)
      for (u32 phase = 0; phase < idle; phase += std::max<u32>(1, static_cast<u32>(idle) / 5)) {
        Scene scene(protocol, agents, config);
        std::vector<Repeater> all;
        for (u32 i = 0; i < agents; ++i)
          all.emplace_back(scene, i,
                           Asking{.kind = i ? AccessKind::atomic : kind,
                                  .addresses = lines_of(scene, lines),
                                  .period = i ? others : period,
                                  .next = i ? i : phase});
        const Cycle end = 8 * bound;
        run(scene, all, end);
        for (u32 i = 0; i < agents; ++i) {
          ASSERT_LE(all[i].worst(scene.bench.wheel.now()), bound)
              << "agent " << i << ", others' period " << others << ", period " << period << ", phase " << phase;
          ASSERT_GE(all[i].served, (end - phase) / (bound + std::max(others, period)));
        }
        // The last requests end by themselves: the scene waits for them.
      }
}

class Fair : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Protocols, Fair, ::testing::ValuesIn(protocol_names()), test_name);

TEST_P(Fair, each_atomic_of_one_line_is_served_within_the_bound_in_every_phase) {
  expect_fair(std::string(GetParam()), room_for_all(), AccessKind::atomic, 1);
}

TEST_P(Fair, each_strong_load_among_atomics_is_served_within_the_bound_in_every_phase) {
  expect_fair(std::string(GetParam()), room_for_all(), AccessKind::load, 1);
}

TEST_P(Fair, each_store_among_atomics_is_served_within_the_bound_in_every_phase) {
  expect_fair(std::string(GetParam()), room_for_all(), AccessKind::store, 1);
}

TEST_P(Fair, lines_that_evict_each_other_are_served_within_the_bound_in_every_phase) {
  expect_fair(std::string(GetParam()), room_for_one(), AccessKind::atomic, 3);
}

}  // namespace
}  // namespace fairness
}  // namespace ew::coherence
