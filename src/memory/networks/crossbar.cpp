#include "memory/networks/crossbar.hpp"

#include "memory/networks/ported_network.hpp"

namespace ew::memory {

namespace {

/// One port a node, direction and subnet. The subnet follows from the two nodes alone, so that messages between them
/// cannot overtake each other whatever they are.
class Crossbar final : public PortedNetwork {
 public:
  Crossbar(const CrossbarConfig& config, const NetworkParts& parts, u32 jitter)
      : PortedNetwork(shape(config, parts), parts, jitter),
        agents_(parts.agents),
        nodes_(parts.agents + parts.homes),
        subnets_(config.subnets),
        latency_(u64{config.latency} * config.width) {
    decide_early(parts.early);
  }

  void send(Node from, Node to, const Request& request, u32 data_bytes, Traffic traffic) override {
    launch(messages_.take(request, from, to), from, to, data_bytes, traffic);
  }
  void go(u32 index, u32 data_bytes, Traffic traffic) override {
    launch(index, messages_[index].from, messages_[index].to, data_bytes, traffic);
  }

  core::Cycle lookahead() const override { return least_cycles(latency_); }
  u64 idle_latency(Node, Node, u32 data_bytes) const override { return ratio_.cycle_at(latency_ + length(data_bytes)); }

 private:
  void launch(u32 index, Node from, Node to, u32 data_bytes, Traffic traffic) {
    const u32 ports = subnet(from, to) * nodes_;
    count_crossings(traffic, inject(index, data_bytes, traffic, ports + from, latency_), 1);
    eject(index, ports + to);
  }
  static Shape shape(const CrossbarConfig& config, const NetworkParts& parts) {
    const u32 ports = (parts.agents + parts.homes) * config.subnets;
    return {config.clock, config.width, config.flit, config.header, ports, ports};
  }
  u32 subnet(Node from, Node to) const {
    if (to >= agents_) return 0;                // asked of a home
    const u32 wanted = from < agents_ ? 2 : 1;  // from another agent, from a home
    return std::min(wanted, subnets_ - 1);
  }

  const u32 agents_, nodes_, subnets_;
  const u64 latency_;
};

}  // namespace

namespace networks {

NetworkKind crossbar() {
  return {.name = "crossbar",
          .sentence = "Every node has ports of its own; messages to one node share its ejection port.",
          .make = [](const NetworkConfig& config, const NetworkParts& parts) -> std::unique_ptr<Network> {
            return std::make_unique<Crossbar>(config.sections.of<CrossbarConfig>(), parts, config.jitter);
          },
          .port =
              [](const NetworkConfig& config) {
                const auto crossbar = config.sections.of<CrossbarConfig>();
                return NetworkPort{crossbar.width, crossbar.clock};
              },
          .section = core::section_of<CrossbarConfig>("Timing: the network of kind crossbar.")};
}

}  // namespace networks
}  // namespace ew::memory
