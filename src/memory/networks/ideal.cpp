#include <algorithm>

#include "core/clock_ratio.hpp"
#include "memory/networks/ideal_network.hpp"
#include "memory/networks/network_messages.hpp"
#include "memory/networks/networks.hpp"

namespace ew::memory {

namespace {

class IdealNetwork final : public Network {
 public:
  IdealNetwork(const IdealNetworkConfig& config, const NetworkParts& parts, u32 jitter)
      : wheel_(parts.wheel),
        agents_(parts.agents),
        latency_(std::max<u64>(1, core::cycles_covering(parts.clock, config.latency))),
        messages_(parts.agents + parts.homes),
        jitter_(jitter, parts.seed, parts.agents + parts.homes) {}

  void attach(Node node, Receiver& receiver, core::Inbox* inbox) override { messages_.attach(node, receiver, inbox); }
  core::Cycle lookahead() const override { return latency_; }

  u32 keep(Node from, Node to, const Request& request) override { return messages_.take(request, from, to); }
  void go(u32 message, u32, Traffic traffic) override {
    const NetworkMessages::Message& m = messages_[message];
    accounts_[m.account].messages[static_cast<u32>(traffic)] += 1;
    core::Cycle arrival = wheel_.now() + latency_;
    if (jitter_.on()) arrival = jitter_.behind_earlier(m.from, m.to, arrival + jitter_.cycles(), 0);
    if (messages_.inbox_of(message)) return messages_.post(message, arrival);
    wheel_.at<&IdealNetwork::arrive>(arrival, *this, message);
  }

  core::Cycle charge(Node, Node, core::Account account, u32, Traffic traffic) override {
    accounts_[account].messages[static_cast<u32>(traffic)] += 1;
    messages_.count_delivered();
    return 0;
  }

  u64 in_flight() const override { return messages_.in_flight(); }
  std::string what_is_under_way() const override { return messages_.what_is_under_way(agents_); }
  const NetworkStatistics& statistics() const override {
    statistics_ = accounts_.total();
    statistics_.delivered = messages_.delivered();
    return statistics_;
  }
  NetworkStatistics take(core::Account account) override { return accounts_.take(account); }
  u64 idle_latency(Node, Node, u32) const override { return latency_; }

 private:
  void arrive(u64 message, u64) { messages_.deliver(static_cast<u32>(message)); }

  core::TimeWheel& wheel_;
  const u32 agents_;
  const u64 latency_;
  NetworkMessages messages_;
  NetworkJitter jitter_;
  core::Accounts<NetworkStatistics> accounts_;
  mutable NetworkStatistics statistics_;
};

}  // namespace

namespace networks {

NetworkKind ideal() {
  return {.name = "ideal",
          .sentence = "Every message takes the same time and none waits: for teaching and for tests.",
          .make = [](const NetworkConfig& config, const NetworkParts& parts) -> std::unique_ptr<Network> {
            return std::make_unique<IdealNetwork>(config.sections.of<IdealNetworkConfig>(), parts, config.jitter);
          },
          .section = core::section_of<IdealNetworkConfig>("Timing: the network of kind ideal.")};
}

}  // namespace networks
}  // namespace ew::memory
