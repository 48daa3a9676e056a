// What every network promises, asked of every entry of the table: arrival exactly once and in order for each pair of
// nodes, latency as configured, links that carry no more than their width, traffic figures that add up, determinism,
// bounded jitter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

#include "core/clock_ratio.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "memory/networks/crossbar.hpp"
#include "memory/networks/ideal_network.hpp"
#include "memory/networks/mesh.hpp"
#include "memory/networks/networks.hpp"
#include "parameter_name.hpp"

namespace ew::memory {
namespace {

using namespace core::literals;

constexpr core::Kilohertz sm_clock = 700_MHz;

/// Nodes that write down what they receive.
class Bench {
 public:
  struct Arrival {
    core::Cycle when;
    u32 number;
    bool operator==(const Arrival&) const = default;
  };

  explicit Bench(const NetworkConfig& config, u32 agents = 16, u32 homes = 16, u64 seed = 0,
                 std::span<const Position> placement = {})
      : nodes_(agents + homes) {
    network_ = make_network(config, {wheel, sm_clock, agents, homes, seed, placement});
    for (u32 i = 0; i < nodes_.size(); ++i) {
      nodes_[i].bench = this;
      network_->attach(static_cast<Node>(i), nodes_[i]);
    }
  }

  void send(Node from, Node to, u32 bytes, Traffic traffic = Traffic::read) {
    Request request;
    request.access = static_cast<u32>(sent.size());
    sent.push_back({from, to, bytes, traffic, wheel.now()});
    network_->send(from, to, request, bytes, traffic);
  }
  void run() {
    wheel.run_due();
    while (wheel.next() != core::never) {
      wheel.advance(wheel.next());
      wheel.run_due();
    }
  }
  void run_until(core::Cycle cycle) {
    while (wheel.next() <= cycle) {
      wheel.advance(wheel.next());
      wheel.run_due();
    }
    wheel.advance(cycle);
  }
  /// Cycle in which the message arrived; fails if it did not, or twice.
  core::Cycle arrived(u32 number) const {
    core::Cycle when = core::never;
    u32 times = 0;
    for (const Endpoint& node : nodes_)
      for (const Arrival& arrival : node.received)
        if (arrival.number == number) {
          when = arrival.when;
          ++times;
        }
    EXPECT_EQ(times, 1u) << "message " << number;
    return when;
  }
  /// Cycles that one message takes on an otherwise empty network.
  core::Cycle lone(Node from, Node to, u32 bytes) {
    const core::Cycle begun = wheel.now();
    send(from, to, bytes);
    run();
    return arrived(static_cast<u32>(sent.size() - 1)) - begun;
  }
  Network& network() { return *network_; }
  const std::vector<Arrival>& received(Node node) const { return nodes_[node].received; }
  u32 nodes() const { return static_cast<u32>(nodes_.size()); }

  struct Sent {
    Node from, to;
    u32 bytes;
    Traffic traffic;
    core::Cycle when;
  };
  std::vector<Sent> sent;
  core::TimeWheel wheel;
  bool displaced = false;  // of the last that was received

 private:
  struct Endpoint final : Receiver {
    void receive(const Request& request) override {
      received.push_back({bench->wheel.now(), request.access});
      bench->displaced = request.displaced;
    }
    Bench* bench = nullptr;
    std::vector<Arrival> received;
  };

  std::vector<Endpoint> nodes_;
  std::unique_ptr<Network> network_;
};

/// Each message arrives once, and those of one pair in the order of sending.
void expect_all_in_order(const Bench& bench) {
  std::vector<u32> times(bench.sent.size());
  for (u32 node = 0; node < bench.nodes(); ++node) {
    std::map<Node, u32> last;  // by sender
    for (const Bench::Arrival& arrival : bench.received(static_cast<Node>(node))) {
      const Bench::Sent& message = bench.sent[arrival.number];
      ++times[arrival.number];
      ASSERT_EQ(message.to, node);
      ASSERT_GE(arrival.when, message.when);
      const auto [at, first] = last.emplace(message.from, arrival.number);
      if (!first) {
        ASSERT_LT(at->second, arrival.number) << "overtaken from node " << message.from << " to " << node;
        at->second = arrival.number;
      }
    }
  }
  for (u32 i = 0; i < times.size(); ++i) ASSERT_EQ(times[i], 1u) << "message " << i;
}

/// Random traffic in bursts: all classes, sizes of 0 to 128 bytes, now and then to one hot node.
void send_randomly(Bench& bench, u32 messages, u32 seed, u32 most_pause) {
  std::mt19937 random(seed);
  for (u32 i = 0; i < messages; ++i) {
    const Node from = static_cast<Node>(random() % bench.nodes());
    const Node to = static_cast<Node>(random() % 4 == 0 ? 20 : random() % bench.nodes());
    bench.send(from, to, random() % 5 * 32, static_cast<Traffic>(random() % traffic_classes));
    if (most_pause && random() % 3 == 0) bench.run_until(bench.wheel.now() + random() % most_pause);
  }
  bench.run();
}

/// The fields of the kind's own section, whatever it is called.
std::vector<core::Field> fields_of(const NetworkKind& kind, NetworkConfig& config) {
  std::vector<core::Field> fields;
  if (kind.section.collect) kind.section.collect(config.sections, core::FieldCollector(fields, kind.name));
  return fields;
}

void set_each_clock(NetworkConfig& config, core::Kilohertz clock) {
  for (const core::Field& field : fields_of(*find_network_kind(config.kind), config))
    if (auto* const target = std::get_if<core::Kilohertz*>(&field.target)) **target = clock;
}

struct NamedNetwork {
  std::string name;
  NetworkConfig config;
  friend void PrintTo(const NamedNetwork& network, std::ostream* out) { *out << network.name; }
};

/// Each kind as it is by default, and a crossbar of two partitions.
std::vector<NamedNetwork> every_network() {
  std::vector<NamedNetwork> networks;
  for (const NetworkKind& kind : network_kinds()) {
    networks.push_back({std::string(kind.name), {}});
    networks.back().config.kind = kind.name;
  }
  NamedNetwork parted{"partitions", {}};
  parted.config.sections.of<CrossbarConfig>().partitions = 2;
  parted.config.sections.of<CrossbarConfig>().partition_latency = 50;
  parted.config.sections.of<CrossbarConfig>().partition_width = 64;
  networks.push_back(parted);
  return networks;
}

class EveryNetwork : public testing::TestWithParam<NamedNetwork> {
 protected:
  static NetworkConfig config() { return GetParam().config; }
  static const NetworkKind& kind() { return *find_network_kind(config().kind); }
  /// SM cycles in which a port moves so many bytes.
  static double cycles_for(u64 bytes) {
    const NetworkPort port = kind().port(config());
    return static_cast<double>(bytes) / port.width * static_cast<double>(sm_clock.count) /
           static_cast<double>(port.clock.count);
  }
};

u64 all_crossings(const Network& network) {
  const auto& crossings = network.statistics().flit_crossings;
  return std::accumulate(crossings.begin(), crossings.end(), u64{0});
}
/// Of one message.
u64 crossings_of(Bench& bench, Node from, Node to, u32 bytes) {
  const u64 before = all_crossings(bench.network());
  bench.lone(from, to, bytes);
  return all_crossings(bench.network()) - before;
}

INSTANTIATE_TEST_SUITE_P(Networks, EveryNetwork, testing::ValuesIn(every_network()),
                         [](const auto& network) { return parameter_name(network.param.name); });

TEST_P(EveryNetwork, ALoneMessageTakesTheIdleLatency) {
  Bench bench(config());
  for (u32 from = 0; from < bench.nodes(); from += 3)
    for (u32 to = 0; to < bench.nodes(); ++to)
      for (const u32 bytes : {0u, 32u, 128u}) {
        const u64 expected = bench.network().idle_latency(static_cast<Node>(from), static_cast<Node>(to), bytes);
        const core::Cycle took = bench.lone(static_cast<Node>(from), static_cast<Node>(to), bytes);
        // Time between the clocks' edges: less than a cycle.
        EXPECT_GE(took, expected);
        EXPECT_LE(took, expected + 1) << from << " to " << to;
      }
}

TEST_P(EveryNetwork, RandomTrafficArrivesOnceAndInOrder) {
  for (const u32 pause : {0u, 3u, 40u}) {
    Bench bench(config());
    send_randomly(bench, 20'000, 5 + pause, pause);
    expect_all_in_order(bench);
    EXPECT_EQ(bench.network().in_flight(), 0u);
    EXPECT_EQ(bench.wheel.pending(), 0u);
  }
}

/// Where the network's clock is faster than the SMs', several messages come in one cycle.
TEST_P(EveryNetwork, OrderHoldsWhateverTheClocks) {
  for (const core::Kilohertz clock : {100_MHz, 701_MHz, 2'117_MHz, 9'999_MHz}) {
    NetworkConfig fast = config();
    set_each_clock(fast, clock);
    Bench bench(fast);
    send_randomly(bench, 20'000, 99, 5);
    expect_all_in_order(bench);
  }
}

TEST_P(EveryNetwork, InFlightCountsWhatHasNotArrived) {
  Bench bench(config());
  for (u32 i = 0; i < 10; ++i) bench.send(0, 20, 32);
  EXPECT_EQ(bench.network().in_flight(), 10u);
  bench.run();
  EXPECT_EQ(bench.network().in_flight(), 0u);
}

/// Agents that run ahead of the wheel by the network's lookahead, as on a machine, and homes that do not.
class EarlyBench {
 public:
  EarlyBench(const NetworkConfig& config, u32 agents, u32 homes) : nodes_(agents + homes) {
    network_ =
        make_network(config, {.wheel = wheel_, .clock = sm_clock, .agents = agents, .homes = homes, .early = true});
    for (u32 i = 0; i < nodes_.size(); ++i) {
      nodes_[i].bench = this;
      if (i < agents) nodes_[i].inbox = std::make_unique<core::Inbox>(core::Agenda::Line(agenda_, 0));
      network_->attach(static_cast<Node>(i), nodes_[i], nodes_[i].inbox.get());
    }
  }

  Network& network() { return *network_; }
  u32 nodes() const { return static_cast<u32>(nodes_.size()); }
  core::Cycle now() const { return wheel_.now(); }
  void send(Node from, Node to, u32 bytes) {
    Request request;
    request.access = static_cast<u32>(arrived.size());
    arrived.push_back(core::never);
    network_->go(network_->keep(from, to, request), bytes, Traffic::read);
  }
  /// What is to be sent in this cycle has been sent: the agents run as far as they may, and time goes on.
  void end_cycle() {
    wheel_.run_due();
    const core::Cycle known = wheel_.now() + network_->lookahead();
    for (Endpoint& node : nodes_) {
      if (!node.inbox) continue;
      for (; node.inbox->next() <= known; node.inbox->run_due(node.now)) {
        ASSERT_GT(node.inbox->next(), agents_have_run) << "a message for a cycle that its agent has run already";
        node.now = node.inbox->next();
      }
    }
    agents_have_run = known;
    wheel_.advance(wheel_.now() + 1);
    wheel_.run_due();
  }

  std::vector<core::Cycle> arrived;  // by message
  core::Cycle agents_have_run = 0;

 private:
  struct Endpoint final : Receiver {
    void receive(const Request& request) override {
      EXPECT_EQ(bench->arrived[request.access], core::never) << "message " << request.access << " comes twice";
      bench->arrived[request.access] = inbox ? now : bench->now();
    }
    EarlyBench* bench = nullptr;
    std::unique_ptr<core::Inbox> inbox;
    core::Cycle now = 0;
  };

  core::TimeWheel wheel_;
  core::Agenda agenda_{1};
  std::vector<Endpoint> nodes_;
  std::unique_ptr<Network> network_;
};

TEST_P(EveryNetwork, AgentsThatRunAheadMissNoMessage) {
  EarlyBench bench(config(), 16, 16);
  EXPECT_GE(bench.network().lookahead(), 1u);
  std::mt19937 random(11);
  std::vector<core::Cycle> sent;
  for (u32 cycle = 0; cycle < 20'000; ++cycle) {
    for (u32 i = cycle < 3000 ? random() % 4 : 0; i > 0; --i) {
      const Node from = static_cast<Node>(random() % bench.nodes());
      sent.push_back(bench.now());
      bench.send(from, static_cast<Node>(random() % 4 ? random() % bench.nodes() : 3), random() % 5 * 32);
    }
    bench.end_cycle();
    if (HasFatalFailure()) return;
  }
  for (u32 i = 0; i < sent.size(); ++i) {
    ASSERT_NE(bench.arrived[i], core::never) << "message " << i;
    ASSERT_GE(bench.arrived[i], sent[i] + bench.network().lookahead()) << "message " << i;
  }
}

TEST_P(EveryNetwork, ALoneMessageTakesTheSameTimeWhenItIsDecidedEarly) {
  EarlyBench bench(config(), 16, 16);
  for (const u32 bytes : {0u, 32u, 128u})
    for (const auto& [from, to] : {std::pair<Node, Node>{0, 20}, {20, 0}, {3, 7}, {15, 31}, {31, 15}}) {
      const core::Cycle begun = bench.now();
      bench.send(from, to, bytes);
      for (u32 i = 0; i < 1000; ++i) bench.end_cycle();
      const u64 expected = bench.network().idle_latency(from, to, bytes), took = bench.arrived.back() - begun;
      EXPECT_GE(took, expected) << from << " to " << to;  // time between the clocks' edges: less than a cycle
      EXPECT_LE(took, expected + 1) << from << " to " << to;
    }
}

TEST_P(EveryNetwork, TheSameTrafficArrivesInTheSameCycles) {
  NetworkConfig jittery = config();
  jittery.jitter = 7;
  Bench first(jittery, 16, 16, 42), second(jittery, 16, 16, 42), other(jittery, 16, 16, 43);
  for (Bench* bench : {&first, &second, &other}) send_randomly(*bench, 5'000, 17, 6);
  bool differs = false;
  for (u32 node = 0; node < first.nodes(); ++node) {
    EXPECT_EQ(first.received(static_cast<Node>(node)), second.received(static_cast<Node>(node)));
    differs |= first.received(static_cast<Node>(node)) != other.received(static_cast<Node>(node));
  }
  EXPECT_TRUE(differs) << "another seed, the same run";
}

TEST_P(EveryNetwork, JitterKeepsOrder) {
  NetworkConfig jittery = config();
  jittery.jitter = 50;
  Bench bench(jittery, 16, 16, 7);
  send_randomly(bench, 20'000, 3, 4);
  expect_all_in_order(bench);
}

/// Each message by itself, so that nothing else delays it: 0 to J cycles late, and all of these occur.
TEST_P(EveryNetwork, JitterStaysInItsBoundAndUsesIt) {
  NetworkConfig jittery = config();
  jittery.jitter = 5;
  Bench bench(jittery, 16, 16, 11);
  std::array<u32, 7> seen{};
  for (u32 i = 0; i < 600; ++i) {
    const Node from = static_cast<Node>(i % 32), to = static_cast<Node>(i * 7 % 32);
    const u64 idle = bench.network().idle_latency(from, to, 32);
    const core::Cycle took = bench.lone(from, to, 32);
    ASSERT_GE(took, idle);
    ASSERT_LE(took, idle + 5 + 1);
    ++seen[took - idle];
  }
  for (u32 late = 0; late <= 5; ++late) EXPECT_GT(seen[late], 20u) << late;
}

/// With a burst in one pair the clamp that keeps the order must not let delays add up.
TEST_P(EveryNetwork, JitterDoesNotAddUpInAPair) {
  NetworkConfig jittery = config();
  jittery.jitter = 20;
  Bench plain(config()), bench(jittery, 16, 16, 3);
  for (Bench* b : {&plain, &bench}) {
    for (u32 i = 0; i < 500; ++i) {
      b->send(2, 25, 32);
      b->run_until(b->wheel.now() + 3);
    }
    b->run();
  }
  for (u32 i = 0; i < 500; ++i) {
    ASSERT_GE(bench.arrived(i), plain.arrived(i));
    ASSERT_LE(bench.arrived(i), plain.arrived(i) + 21);
  }
}

TEST_P(EveryNetwork, CountsMessagesByClass) {
  Bench bench(config());
  send_randomly(bench, 5'000, 1, 2);
  std::array<u64, traffic_classes> messages{};
  for (const Bench::Sent& message : bench.sent) ++messages[static_cast<u32>(message.traffic)];
  EXPECT_EQ(bench.network().statistics().messages, messages);
}

/// Fifteen agents send to one home, one agent to many homes, one home to many agents.
TEST_P(EveryNetwork, APortMovesNoMoreThanItsWidth) {
  if (!kind().port) GTEST_SKIP() << "messages do not share ports";
  constexpr u32 rounds = 40, bytes = 1024;
  for (const u32 pattern : {0u, 1u, 2u}) {
    Bench bench(config());
    for (u32 round = 0; round < rounds; ++round)
      for (u32 i = 0; i < 15; ++i) {
        const Node agent = static_cast<Node>(pattern == 1 ? 3 : i),
                   home = static_cast<Node>(pattern == 0 ? 20 : 16 + i);
        pattern == 2 ? bench.send(25, agent, bytes) : bench.send(agent, home, bytes);
      }
    bench.run();
    EXPECT_GE(static_cast<double>(bench.wheel.now()), cycles_for(rounds * 15 * bytes)) << "pattern " << pattern;
  }
}

/// Every node sends far away at once: without a limit, the links would be busy for longer than there is time.
TEST_P(EveryNetwork, ItsLinksMoveNoMoreThanTheirWidth) {
  Bench ask(config());
  u64 sum = 0, most = 0, least = ~u64{0};  // crossings of messages without data
  std::vector<Node> targets;
  for (u32 from = 0; from < ask.nodes(); ++from) {
    std::pair<u64, Node> farthest{0, 0};
    for (u32 to = 0; to < ask.nodes(); ++to) {
      const u64 crossed = crossings_of(ask, static_cast<Node>(from), static_cast<Node>(to), 0);
      if (crossed) least = std::min(least, crossed);
      if (crossed > farthest.first) farthest = {crossed, static_cast<Node>(to)};
    }
    targets.push_back(farthest.second);
    sum += farthest.first;
    most = std::max(most, farthest.first);
  }
  if (!kind().links) {
    EXPECT_LE(most / least, 2u) << "a message crosses many links: say how many there are (NetworkKind::links)";
    return;
  }
  Bench bench(config());
  const u64 links = kind().links(config(), {bench.wheel, sm_clock, 16, 16});
  ASSERT_GT(sum / least, links) << "too little traffic to tell";
  for (u32 round = 0; round < 300; ++round)
    for (u32 from = 0; from < bench.nodes(); ++from) bench.send(static_cast<Node>(from), targets[from], 120);
  bench.run();
  const u64 busy = bench.network().statistics().busy_cycles;
  EXPECT_LE(busy, links * bench.wheel.now()) << links << " links were busy for longer than there was time";
  EXPECT_GE(busy * 20, links * bench.wheel.now()) << "links are hardly busy: are crossings counted?";
}

/// Where one way takes longer than another, it crosses more links; a message of many flits crosses them with each.
TEST_P(EveryNetwork, FlitCrossingsFollowTheWay) {
  if (!kind().port) GTEST_SKIP() << "messages do not share ports";
  Bench bench(config());
  const auto idle = [&](u32 to) { return bench.network().idle_latency(0, static_cast<Node>(to), 0); };
  u32 nearest = 1, farthest = 1;
  for (u32 to = 1; to < bench.nodes(); ++to) {
    if (idle(to) < idle(nearest)) nearest = to;
    if (idle(to) > idle(farthest)) farthest = to;
  }
  const u64 near = crossings_of(bench, 0, static_cast<Node>(nearest), 0);
  const u64 far = crossings_of(bench, 0, static_cast<Node>(farthest), 0);
  EXPECT_GT(far, 0u);
  if (idle(farthest) > idle(nearest) + 1) {
    EXPECT_GT(far, near) << "node " << farthest << " is farther than node " << nearest;
  }
  const u64 long_ones = crossings_of(bench, 0, static_cast<Node>(farthest), 4096);
  EXPECT_GT(long_ones, 8 * far) << "flits, not messages, are counted";
  EXPECT_EQ(long_ones % far, 0u) << "each flit crosses the same links";
}

TEST_P(EveryNetwork, AccountsAddUp) {
  Bench bench(config());
  send_randomly(bench, 3'000, 6, 2);
  const NetworkStatistics all = bench.network().statistics();
  const NetworkStatistics taken = bench.network().take(core::nobody);
  EXPECT_EQ(all.delivered, 3'000u);
  EXPECT_EQ(taken.messages, all.messages) << "Network::take";
  EXPECT_EQ(taken.flit_crossings, all.flit_crossings) << "Network::take";
}

/// A message that is charged is counted as one that is sent, and holds the home's port as long.
TEST_P(EveryNetwork, AChargedMessageIsCountedAndHoldsTheHomesPort) {
  constexpr u32 charges = 60, bytes = 1024;
  for (const bool to_home : {true, false}) {
    const Node agent = 2, home = 20, from = to_home ? agent : home, to = to_home ? home : agent;
    Bench sends(config()), bench(config());
    sends.send(from, to, bytes, Traffic::probe);
    sends.run();
    bench.wheel.run_due();
    core::Cycle waits = 0;
    for (u32 i = 0; i < charges; ++i) waits = bench.network().charge(from, to, core::nobody, bytes, Traffic::probe);
    const NetworkStatistics &one = sends.network().statistics(), &all = bench.network().statistics();
    const u32 probe = static_cast<u32>(Traffic::probe);
    EXPECT_EQ(all.messages[probe], charges) << "Network::charge counts no message";
    EXPECT_EQ(all.delivered, charges) << "Network::charge";
    EXPECT_EQ(all.flit_crossings[probe], charges * one.flit_crossings[probe]) << "Network::charge";
    if (!kind().port) {
      EXPECT_EQ(waits, 0u);
      continue;
    }
    const double before = cycles_for(u64{bytes} * (charges - 1));
    EXPECT_GE(static_cast<double>(waits), before - 1) << "Network::charge: the last waits for those before it";
    EXPECT_LE(static_cast<double>(waits), before * 1.2 + 2);
    const Node other = 9;
    bench.send(to_home ? other : home, to_home ? home : other, 0);
    bench.run();
    EXPECT_GE(static_cast<double>(bench.arrived(0)), before) << "Network::charge: the home's port is held";
  }
}

TEST_P(EveryNetwork, NothingIsAllocatedOnceItHasItsWorkingSize) {
  Bench bench(config());
  send_randomly(bench, 2'000, 1, 2);
  const u64 events = bench.wheel.capacity();
  for (u32 i = 0; i < 5; ++i) send_randomly(bench, 500, i, 2);
  EXPECT_EQ(bench.wheel.capacity(), events);
}

TEST(Networks, AnUnknownOneIsRefusedByName) {
  core::TimeWheel wheel;
  NetworkConfig config;
  config.kind = "torus";
  try {
    make_network(config, {wheel, sm_clock, 1, 1});
    FAIL();
  } catch (const core::UserError& error) {
    EXPECT_NE(std::string(error.what()).find("no network is called \"torus\"; there are crossbar, mesh, ideal"),
              std::string::npos)
        << error.what();
  }
}

// ---- crossbar ----

NetworkConfig crossbar(u32 subnets = 2) {
  NetworkConfig config;
  config.kind = "crossbar";
  config.sections.of<CrossbarConfig>() = {
      .clock = sm_clock, .latency = 8, .width = 40, .flit = 40, .header = 8, .subnets = subnets};
  return config;
}

TEST(Crossbar, LatencyIsPipelinePlusFlits) {
  Bench bench(crossbar());
  EXPECT_EQ(bench.lone(0, 20, 0), 8u + 1);
  EXPECT_EQ(bench.lone(0, 20, 32), 8u + 1);
  EXPECT_EQ(bench.lone(0, 20, 33), 8u + 2);
  EXPECT_EQ(bench.lone(20, 0, 128), 8u + 4);  // 136 bytes
}

TEST(Crossbar, AMessageOfNothingTakesAFlit) {
  NetworkConfig config = crossbar();
  config.sections.of<CrossbarConfig>().header = 0;
  Bench bench(config);
  EXPECT_EQ(bench.lone(0, 20, 0), 8u + 1);
  EXPECT_EQ(bench.network().statistics().flit_crossings[0], 1u);
}

TEST(Crossbar, AnUncontendedMessageCostsOneEvent) {
  Bench bench(crossbar());
  for (u32 i = 0; i < 16; ++i) bench.send(static_cast<Node>(i), static_cast<Node>(16 + i), 32);
  bench.run();
  EXPECT_EQ(bench.wheel.executed(), 16u);
}

TEST(Crossbar, AMessageThatWaitsForItsPortCostsTwo) {
  Bench bench(crossbar());
  for (u32 i = 0; i < 16; ++i) bench.send(static_cast<Node>(i), 16, 32);
  bench.run();
  EXPECT_EQ(bench.wheel.executed(), 1u + 15 * 2);
}

/// Fifteen agents ask one home: its port takes a flit a cycle, to the cycle.
TEST(Crossbar, APortMovesItsWidthAndNoMore) {
  Bench bench(crossbar());
  const u32 rounds = 1000;
  for (u32 round = 0; round < rounds; ++round)
    for (u32 i = 0; i < 15; ++i) bench.send(static_cast<Node>(i), 20, 128);
  bench.run();
  EXPECT_EQ(bench.wheel.now(), 8u + 15 * rounds * 4);
  EXPECT_EQ(bench.network().statistics().busy_cycles, 15u * rounds * 4);
}

/// One agent's injection port, many homes.
TEST(Crossbar, AnInjectionPortMovesItsWidthAndNoMore) {
  Bench bench(crossbar());
  for (u32 i = 0; i < 1600; ++i) bench.send(3, static_cast<Node>(16 + i % 16), 128);
  bench.run();
  EXPECT_EQ(bench.wheel.now(), 8u + 1600 * 4);
}

/// Width and clock that are no whole number of bytes an SM cycle: the sum is exact.
TEST(Crossbar, OddWidthsAddUpExactly) {
  NetworkConfig config = crossbar();
  config.sections.of<CrossbarConfig>().clock = 1'123_MHz;
  config.sections.of<CrossbarConfig>().width = 24;
  Bench bench(config);
  const u64 messages = 10'000;
  for (u64 i = 0; i < messages; ++i) bench.send(0, 20, 128);
  bench.run();
  // 136 bytes are 4 flits of 40: 160 bytes at 24 bytes a cycle of 1,123 MHz, in cycles of 700 MHz; 8 cycles before.
  const u64 numerator = (messages * 160 + 8 * 24) * 700, denominator = 24 * 1'123;
  EXPECT_EQ(bench.wheel.now(), (numerator + denominator - 1) / denominator);
}

TEST(Crossbar, SubnetsKeepRequestsAndRepliesApart) {
  for (const u32 subnets : {1u, 2u, 3u}) {
    Bench bench(crossbar(subnets));
    // Node 0 receives from a home and from another agent at once.
    bench.send(20, 0, 128);
    bench.send(5, 0, 128);
    // Node 20 receives a request and, on one subnet, sends its reply through a port of its own.
    bench.send(1, 20, 128);
    bench.run();
    EXPECT_EQ(bench.arrived(0), 12u);
    EXPECT_EQ(bench.arrived(1), subnets == 3 ? 12u : 16u) << subnets;
    EXPECT_EQ(bench.arrived(2), 12u);
  }
}

TEST(Crossbar, OneSubnetSharesPortsBetweenRequestsAndForwards) {
  // From agent 1: a request to a home and data to an agent leave through one port, or through two.
  for (const u32 subnets : {1u, 2u}) {
    Bench bench(crossbar(subnets));
    bench.send(1, 20, 128);
    bench.send(1, 0, 128);
    bench.run();
    EXPECT_EQ(bench.arrived(1), subnets == 1 ? 16u : 12u);
  }
}

TEST(Crossbar, FlitCrossingsAreFlits) {
  Bench bench(crossbar());
  send_randomly(bench, 5'000, 8, 3);
  std::array<u64, traffic_classes> flits{};
  for (const Bench::Sent& message : bench.sent)
    flits[static_cast<u32>(message.traffic)] += (message.bytes + 8 + 39) / 40;
  EXPECT_EQ(bench.network().statistics().flit_crossings, flits);
}

/// Over any stretch of time, no node receives more than its port moves (a port each for what homes and agents send).
TEST(Crossbar, NoNodeReceivesMoreThanItsPortMoves) {
  Bench bench(crossbar(1));
  send_randomly(bench, 20'000, 12, 1);
  for (u32 node = 0; node < bench.nodes(); ++node) {
    core::Cycle free = 0;
    for (const Bench::Arrival& arrival : bench.received(static_cast<Node>(node))) {
      const u64 length = (bench.sent[arrival.number].bytes + 8 + 39) / 40;
      ASSERT_GE(arrival.when, free + length) << "node " << node;
      free = arrival.when;
    }
  }
}

// ---- a crossbar in partitions: agents 0 to 7 and homes 16 to 23 in the first, the others in the second ----

NetworkConfig partitions(u64 copies = 0, u32 width = 40) {
  NetworkConfig config = crossbar();
  auto& section = config.sections.of<CrossbarConfig>();
  section.partitions = 2;
  section.partition_latency = 30;
  section.partition_width = width;
  section.partition_copies = copies;
  return config;
}

TEST(Partitions, TheOtherOnesHomesAreFartherAway) {
  Bench bench(partitions());
  EXPECT_EQ(bench.lone(0, 16, 32), 9u);
  EXPECT_EQ(bench.lone(7, 23, 32), 9u);
  EXPECT_EQ(bench.lone(8, 24, 32), 9u);
  EXPECT_EQ(bench.lone(0, 24, 32), 39u);
  EXPECT_EQ(bench.lone(8, 23, 32), 39u);
  EXPECT_EQ(bench.lone(31, 0, 128), 42u);
  EXPECT_EQ(bench.lone(0, 15, 32), 39u);  // agent to agent
  EXPECT_EQ(bench.network().lookahead(), 9u);
  EXPECT_EQ(bench.network().statistics().flit_crossings[0], 3 * 1u + 3 * 2 + 4 * 2);
}

/// Eight agents send to eight homes, each to its own: across, all share a link of one message a cycle, which is free
/// behind the first; two cycles' width moves twice as much; on their own side they share nothing.
TEST(Partitions, ALinkMovesItsWidthAndNoMore) {
  const auto end = [](u32 width, Node first_home) {
    Bench bench(partitions(0, width));
    for (u32 round = 0; round < 100; ++round)
      for (u32 i = 0; i < 8; ++i) bench.send(static_cast<Node>(i), static_cast<Node>(first_home + i), 32);
    bench.run();
    expect_all_in_order(bench);
    return bench.wheel.now();
  };
  EXPECT_EQ(end(40, 16), 8u + 100);
  EXPECT_EQ(end(40, 24), 8u + 30 + 800);
  EXPECT_EQ(end(80, 24), 8u + 30 + 401);   // the last head is at the link after 399 cycles and a half
  EXPECT_EQ(end(20, 24), 8u + 30 + 1599);  // the last has not left the slow link when its head is at the port
}

TEST(Partitions, DirectionsAndSubnetsHaveLinksOfTheirOwn) {
  Bench bench(partitions());
  for (u32 i = 0; i < 4; ++i) bench.send(static_cast<Node>(i), static_cast<Node>(24 + i), 32);
  for (u32 i = 0; i < 4; ++i) bench.send(static_cast<Node>(8 + i), static_cast<Node>(16 + i), 32);
  for (u32 i = 0; i < 4; ++i) bench.send(static_cast<Node>(16 + i), static_cast<Node>(8 + i), 32);
  bench.run();
  EXPECT_EQ(bench.wheel.now(), 8u + 30 + 4);
}

/// A read of SM 0 from a home of the other partition, and its answer: cycles each.
struct Reader {
  explicit Reader(Bench& b) : bench(b) {}
  core::Cycle pass(Node from, Node to, Request request, u32 bytes) {
    const core::Cycle begun = bench.wheel.now();
    request.access = static_cast<u32>(bench.sent.size());
    bench.sent.push_back({from, to, bytes, Traffic::read, begun});
    bench.network().send(from, to, request, bytes, Traffic::read);
    bench.run();
    return bench.arrived(request.access) - begun;
  }
  core::Cycle ask(u64 physical, WordMask words, Node agent = 0, RequestKind kind = RequestKind::read) {
    Request request;
    request.kind = kind;
    request.place.physical = physical;
    request.words = request.content = words;
    return pass(agent, 24, request, 0);
  }
  core::Cycle answer(u64 physical, WordMask words, Node agent = 0) {
    Request request;
    request.kind = RequestKind::data;
    request.place.physical = physical;
    request.words = request.content = words;
    return pass(24, agent, request, 32);
  }
  Bench& bench;
};

constexpr core::Cycle by_copy = 9, by_link = 39;

TEST(Partitions, ALineThatWasReadIsReadNearby) {
  Bench bench(partitions(64 * 1024));
  Reader sm(bench);
  EXPECT_EQ(sm.ask(0, 0xff), by_link);
  EXPECT_EQ(sm.answer(0, 0xff), by_link);
  EXPECT_EQ(sm.ask(0, 0xff), by_copy);
  EXPECT_EQ(sm.answer(0, 0xff), by_copy);
  EXPECT_EQ(sm.ask(0, 0xff, 5, RequestKind::read_once), by_copy);  // another SM of the partition
  EXPECT_EQ(sm.ask(0, 0x100), by_link);                            // another sector
  EXPECT_EQ(sm.ask(128, 0xff), by_link);                           // another line
  EXPECT_EQ(sm.ask(0, 0xff, 9), 9u);                               // near the home anyway
}

TEST(Partitions, WhoeverChangesALineTakesItsCopiesAway) {
  for (const RequestKind kind :
       {RequestKind::write, RequestKind::own, RequestKind::atomic, RequestKind::reduction, RequestKind::write_back}) {
    for (const Node writer : {Node{0}, Node{9}}) {
      Bench bench(partitions(64 * 1024));
      Reader sm(bench);
      sm.answer(0, ~0u);
      sm.answer(128, ~0u);
      EXPECT_EQ(sm.ask(0, 0xff, writer, kind), writer == 0 ? by_link : 9u);
      EXPECT_EQ(sm.ask(0, 0xff), by_link);
      EXPECT_EQ(sm.ask(128, 0xff), by_copy);
    }
  }
}

/// As many lines as there is room for; the ones read longest ago go.
TEST(Partitions, CopiesHaveSoMuchRoom) {
  constexpr u32 lines = 16;  // one set
  Bench bench(partitions(lines * 128));
  Reader sm(bench);
  for (u64 i = 0; i < lines; ++i) sm.answer(i * 128, ~0u);
  for (u64 i = 0; i < lines; ++i) EXPECT_EQ(sm.ask(i * 128, ~0u), by_copy) << i;
  sm.answer(lines * 128, ~0u);
  EXPECT_EQ(sm.ask(0, ~0u), by_link);
  EXPECT_EQ(sm.ask(128, ~0u), by_copy);
  EXPECT_EQ(sm.ask(lines * 128, ~0u), by_copy);
}

/// Lines of near homes, of far ones that were written, and copies share a partition's room; what is read longest ago
/// goes.
TEST(Partitions, CopiesAndOwnLinesDisplaceEachOther) {
  constexpr u32 lines = 16;  // one set
  NetworkConfig config = partitions(lines * 128);
  config.sections.of<CrossbarConfig>().copies_displace = true;
  Bench bench(config);
  Reader sm(bench);
  const auto displaced = [&](u64 line, Node agent, RequestKind kind = RequestKind::read) {
    sm.ask(line * 128, 0xff, agent, kind);
    return bench.displaced;
  };
  EXPECT_TRUE(displaced(0, 9)) << "nobody has brought it";
  EXPECT_FALSE(displaced(0, 9));
  EXPECT_FALSE(displaced(0, 0)) << "at home it is the same line, whoever asks";
  EXPECT_TRUE(displaced(1, 9, RequestKind::write));
  EXPECT_FALSE(displaced(1, 9));
  for (u64 i = 2; i < lines; ++i) displaced(i, 9);
  EXPECT_FALSE(displaced(0, 9));
  sm.answer(100 * 128, ~0u);  // a copy in the other partition
  EXPECT_FALSE(displaced(1, 9));
  displaced(lines, 9);
  EXPECT_TRUE(displaced(2, 9)) << "read longest ago";
  EXPECT_FALSE(displaced(0, 9));
}

/// As many bytes in a row as a partition has are served; a line more of the same set takes one away.
TEST(Partitions, AStretchAsLongAsThePartitionFits) {
  constexpr u64 lines = 512;
  Bench bench(partitions(lines * 128));
  Reader sm(bench);
  for (u64 first : {u64{0}, 5 * lines}) {
    for (u64 i = 0; i < lines; ++i) sm.answer((first + i) * 128, ~0u);
    for (u64 i = 0; i < lines; ++i) ASSERT_EQ(sm.ask((first + i) * 128, ~0u), by_copy) << first << " " << i;
  }
}

TEST(Partitions, HostMemoryHasNoCopies) {
  Bench bench(partitions(64 * 1024));
  Reader sm(bench);
  for (u32 i = 0; i < 2; ++i) {
    Request request;
    request.kind = i ? RequestKind::read : RequestKind::data;
    request.place.host = 1;
    request.words = request.content = ~0u;
    EXPECT_EQ(sm.pass(i ? 0 : 24, i ? 24 : 0, request, 32), by_link);
  }
}

/// A read that needs no link does not overtake a write that waits for it.
TEST(Partitions, ACopyOvertakesNothingOfTheSameTwoNodes) {
  Bench bench(partitions(64 * 1024));
  Reader(bench).answer(0, ~0u);
  std::mt19937 random(4);
  for (u32 i = 0; i < 20'000; ++i) {
    Request request;
    request.kind = random() % 2 ? RequestKind::read : RequestKind::write;
    request.place.physical = request.kind == RequestKind::read ? 0 : 128 * (1 + random() % 100);
    request.words = request.content = 0xff;
    request.access = static_cast<u32>(bench.sent.size());
    const Node from = static_cast<Node>(random() % 16), to = static_cast<Node>(16 + random() % 16);
    const u32 bytes = request.kind == RequestKind::read ? 0 : 128;
    bench.sent.push_back({from, to, bytes, Traffic::read, bench.wheel.now()});
    bench.network().send(from, to, request, bytes, Traffic::read);
    if (random() % 3 == 0) bench.run_until(bench.wheel.now() + random() % 5);
  }
  bench.run();
  expect_all_in_order(bench);
}

// ---- mesh ----

NetworkConfig mesh() {
  NetworkConfig config;
  config.kind = "mesh";
  return config;
}

u32 mesh_hops(Node from, Node to) {
  const auto far = [](int a, int b) { return static_cast<u32>(std::abs(a - b)); };
  const int a = from % 16, b = to % 16;
  return far(a % 4, b % 4) + far(a / 4, b / 4);
}

/// The thesis: what one leg takes varies by 16 CU cycles over 0 to 6 hops.
TEST(Mesh, ALegVariesBySixteenCyclesOverSixHops) {
  Bench bench(mesh());
  EXPECT_EQ(bench.network().idle_latency(0, 31, 0) - bench.network().idle_latency(0, 16, 0), 16u);
  for (u32 to = 0; to < 32; ++to) {
    const u64 ticks = 6 + 8 * mesh_hops(0, static_cast<Node>(to)) + 1;  // base, hops, one flit
    EXPECT_EQ(bench.lone(0, static_cast<Node>(to), 0), (ticks + 2) / 3) << to;
  }
}

TEST(Mesh, OneEventAHop) {
  for (const Node to : {Node{16}, Node{17}, Node{31}}) {
    Bench bench(mesh());
    bench.send(0, to, 0);
    bench.run();
    EXPECT_EQ(bench.wheel.executed(), mesh_hops(0, to) + 1);
  }
}

TEST(Mesh, FlitCrossingsAreFlitsTimesHops) {
  Bench bench(mesh());
  send_randomly(bench, 20'000, 8, 3);
  std::array<u64, traffic_classes> crossings{};
  u64 all = 0;
  for (const Bench::Sent& message : bench.sent) {
    const u64 flits = (message.bytes + 8 + 15) / 16 * mesh_hops(message.from, message.to);
    crossings[static_cast<u32>(message.traffic)] += flits;
    all += flits;
  }
  EXPECT_EQ(bench.network().statistics().flit_crossings, crossings);
  EXPECT_EQ(bench.network().statistics().busy_cycles, (all + 2) / 3);
}

/// Along the row first: from router 0, messages to routers 5 and 1 share the link to router 1; that to router 4 does
/// not.
TEST(Mesh, RoutesAlongTheRowFirst) {
  const auto last_of_two = [](Node first, Node second) {
    Bench bench(mesh());
    // Two nodes at router 0, so that the injection ports differ: agent 0 and home 16.
    bench.send(0, first, 1016);  // 64 flits
    bench.send(16, second, 0);
    bench.run();
    return bench.arrived(1);
  };
  const core::Cycle alone_one_hop = 5, alone_two_hops = 8;  // (6 + 8 + 1) / 3, (6 + 16 + 1) / 3 rounded up
  EXPECT_GT(last_of_two(5, 1), alone_one_hop + 15);
  EXPECT_EQ(last_of_two(5, 4), alone_one_hop);
  EXPECT_GT(last_of_two(1, 5), alone_two_hops + 15);
  EXPECT_EQ(last_of_two(4, 5), alone_two_hops);
}

/// All of row 0 sends to the last column: the link between columns 2 and 3 carries a flit a cycle and no more.
TEST(Mesh, ALinkMovesItsWidthAndNoMore) {
  Bench bench(mesh());
  const u32 rounds = 500;
  for (u32 round = 0; round < rounds; ++round)
    for (const Node from : {Node{0}, Node{1}, Node{2}})
      for (const Node to : {Node{19}, Node{23}}) bench.send(from, to, 120);  // routers 3 and 7; 8 flits
  bench.run();
  expect_all_in_order(bench);
  const u64 flits = rounds * 6 * 8, cycles = flits / 3;
  EXPECT_GE(bench.wheel.now(), cycles);
  EXPECT_LE(bench.wheel.now(), cycles + 20);
}

TEST(Mesh, PlacementIsWhatItIsTold) {
  const Position placement[] = {{0, 0}, {3, 3}, {3, 3}, {1, 0}};  // two agents, two homes
  Bench bench(mesh(), 2, 2, 0, placement);
  EXPECT_EQ(bench.lone(1, 2, 0), 3u);   // one router: (6 + 1) / 3
  EXPECT_EQ(bench.lone(0, 2, 0), 19u);  // six hops: (6 + 48 + 1) / 3
  EXPECT_EQ(bench.lone(0, 3, 0), 5u);
}

TEST(Mesh, APlacementOutsideIsRefused) {
  const Position outside[] = {{0, 0}, {4, 0}}, short_one[] = {{0, 0}};
  EXPECT_THROW(Bench(mesh(), 1, 1, 0, outside), core::UserError);
  EXPECT_THROW(Bench(mesh(), 1, 1, 0, short_one), core::UserError);
}

/// The thesis's memory latencies vary by 64 cycles: 32 of an L2 hit, and 32 between the bank and a corner.
TEST(Mesh, MemoryStandsAtTheCorners) {
  core::TimeWheel wheel;
  const NetworkParts parts{wheel, sm_clock, 16, 16};
  EXPECT_EQ(memory_distance(mesh(), parts, 0, 0), 0u);
  EXPECT_EQ(memory_distance(mesh(), parts, 15, 0), 32u);
  EXPECT_EQ(memory_distance(mesh(), parts, 15, 3), 0u);
  EXPECT_EQ(memory_distance(mesh(), parts, 3, 1), 0u);
  EXPECT_EQ(memory_distance(mesh(), parts, 12, 2), 0u);
  EXPECT_EQ(memory_distance(mesh(), parts, 1, 0), 6u);  // 2 hops of 8/3
  NetworkConfig other;
  EXPECT_EQ(memory_distance(other, parts, 15, 0), 0u);
}

/// SMs send behind the events of their cycle: what a network asks for in that cycle itself would never come.
TEST(Networks, WithoutLatencyWhatIsSentBehindACyclesEventsArrives) {
  for (const NetworkKind& entry : network_kinds()) {
    NetworkConfig without;
    without.kind = entry.name;
    for (const core::Field& field : fields_of(entry, without)) {
      const bool rate = std::holds_alternative<core::Kilohertz*>(field.target) || field.name == "width";
      const bool delay = std::holds_alternative<core::Picoseconds*>(field.target) || field.unit == "cycles";
      if (rate || delay)
        core::apply_setting(fmt::format("{}={}", field.key(), rate ? field.range.highest : field.range.lowest),
                            fields_of(entry, without));
    }
    Bench bench(without);
    bench.wheel.run_due();
    for (Node to = 16; to < 32; ++to) bench.send(0, to, 32);
    bench.run_until(900);
    for (u32 i = 0; i < 16; ++i) EXPECT_LE(bench.arrived(i), 2u) << entry.name;
    EXPECT_EQ(bench.network().in_flight(), 0u) << entry.name;
  }
}

TEST(IdealNetwork, EveryMessageTakesTheConfiguredTime) {
  NetworkConfig config;
  config.kind = "ideal";
  config.sections.of<IdealNetworkConfig>().latency = 100_ns;
  Bench bench(config);
  for (u32 i = 0; i < 100; ++i) bench.send(0, 20, 128);
  bench.run();
  for (u32 i = 0; i < 100; ++i) EXPECT_EQ(bench.arrived(i), 70u);
}

}  // namespace
}  // namespace ew::memory
