#include "memory/networks/crossbar.hpp"

#include <algorithm>

#include "memory/networks/partition_copies.hpp"
#include "memory/networks/ported_network.hpp"

namespace ew::memory {

namespace {

/// One port a node, direction and subnet. The subnet follows from the two nodes alone, so that messages between them
/// cannot overtake each other whatever they are. Between partitions a link follows the injection port: an event of its
/// own, when the message's last byte could be behind that port's latency, takes messages to it in the order of time.
/// Reads whose line the near partition has a copy of, and their answers, wait for no link; they stay behind earlier
/// messages of the same two nodes.
class Crossbar final : public PortedNetwork {
 public:
  Crossbar(const CrossbarConfig& config, const NetworkParts& parts, u32 jitter)
      : PortedNetwork(shape(config, parts), parts, jitter),
        agents_(parts.agents),
        nodes_(parts.agents + parts.homes),
        subnets_(config.subnets),
        latency_(u64{config.latency} * config.width),
        partitions_(config.partitions),
        partition_latency_(u64{config.partition_latency} * config.width),
        partition_width_(config.partition_width),
        order_(config.partitions > 1 ? nodes_ : 0),
        displacing_(config.copies_displace && config.partition_copies > 0) {
    decide_early(parts.early);
    if (partitions_ == 1) return;
    links_.resize(u64{partitions_} * partitions_ * subnets_);
    const u64 set = u64{longest_line} * PartitionCopies::ways;
    const u64 sets = config.partition_copies / set;
    for (u32 i = 0; sets && i < partitions_; ++i) copies_.emplace_back(sets * set, longest_line);
  }

  void send(Node from, Node to, const Request& request, u32 data_bytes, Traffic traffic) override {
    launch(messages_.take(request, from, to), from, to, data_bytes, traffic);
  }
  void go(u32 index, u32 data_bytes, Traffic traffic) override {
    launch(index, messages_[index].from, messages_[index].to, data_bytes, traffic);
  }

  core::Cycle charge(Node from, Node to, core::Account account, u32 data_bytes, Traffic traffic) override {
    count(account, traffic, length(data_bytes), partition(from) != partition(to) && copies_.empty() ? 2 : 1);
    const u32 ports = subnet(from, to) * nodes_;
    return occupy(ports + from, ports + to, to >= agents_, data_bytes);
  }

  core::Cycle lookahead() const override { return std::max<core::Cycle>(1, ratio_.cycle_at(latency_ + length(0))); }
  u64 idle_latency(Node from, Node to, u32 data_bytes) const override {
    const bool far = partition(from) != partition(to);
    return ratio_.cycle_at(latency_ + (far ? partition_latency_ : 0) + length(data_bytes));
  }

 private:
  enum Way : u16 { by_the_link, from_a_copy };

  void launch(u32 index, Node from, Node to, u32 data_bytes, Traffic traffic) {
    const u32 ports = subnet(from, to) * nodes_;
    Message& message = inject(index, data_bytes, ports + from, latency_);
    if (partitions_ == 1) {
      count(message.account, traffic, message.length, 1);
      return eject(index, ports + to);
    }
    const bool far = partition(from) != partition(to), copied = !copies_.empty() && follow_copies(index, far);
    count(message.account, traffic, message.length, far && !copied ? 2 : 1);
    if (!far) return eject(index, ports + to);
    message.router = copied ? from_a_copy : by_the_link;
    decide<&Crossbar::cross>(ratio_.cycle_at(message.tick + message.length), *this, index, ports + to);
  }

  void cross(u64 index, u64 port) {
    Message& message = messages_[static_cast<u32>(index)];
    if (message.router == by_the_link) {
      const u32 between = partition(message.from) * partitions_ + partition(message.to);
      const u64 length = (u64{message.length} * shape_.width + partition_width_ - 1) / partition_width_;
      u64& link = links_[subnet(message.from, message.to) * partitions_ * partitions_ + between];
      message.tick = begin(link, message.tick, length) + partition_latency_;
    }
    message.tick = order_.behind_earlier(message.from, message.to, message.tick, message.length);
    eject(static_cast<u32>(index), static_cast<u32>(port));
  }

  /// True: of a read or its answer, that a copy spares the link. Whoever changes a line takes its copies away. An
  /// answer brings a copy, and it counts from the sending on.
  bool follow_copies(u32 index, bool far) {
    const Message& message = messages_[index];
    Request& request = messages_.request(index);
    if (request.place.host || request.place.mmio) return false;
    const bool asks = message.from < agents_ && message.to >= agents_;
    if (asks && request.kind == RequestKind::probe_answer) return false;
    if (asks && request.kind != RequestKind::read && request.kind != RequestKind::read_once) {
      for (u32 i = 0; i < partitions_; ++i)
        if (!displacing_ || i != partition(message.to)) copies_[i].drop(request.place);
      reach_home(message.to, request);
      return false;
    }
    if (asks) {
      if (far &&
          copies_[partition(message.from)].holds(request.place, request.content ? request.content : request.words))
        return true;
      reach_home(message.to, request);
      return false;
    }
    const bool answer = request.kind == RequestKind::data && request.traffic == Traffic::read && !request.owned;
    if (!far || message.from < agents_ || !answer) return false;
    PartitionCopies& near = copies_[partition(message.to)];
    if (near.holds(request.place, request.content)) return true;
    near.keep(request.place, request.content);
    return false;
  }
  /// A home's own line, which copies may have displaced.
  void reach_home(Node home, Request& request) {
    if (!displacing_) return;
    PartitionCopies& own = copies_[partition(home)];
    request.displaced = !own.holds(request.place, ~WordMask{0});
    if (request.displaced) own.keep(request.place, ~WordMask{0});
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

  u32 partition(Node node) const {
    return node < agents_ ? node * partitions_ / agents_ : (node - agents_) * partitions_ / (nodes_ - agents_);
  }

  const u32 agents_, nodes_, subnets_;
  const u64 latency_;  // ticks, as the next
  const u32 partitions_;
  const u64 partition_latency_;
  const u32 partition_width_;  // bytes
  PairOrder order_;            // of messages between partitions
  std::vector<u64> links_;     // next-free ticks, by subnet and partitions
  const bool displacing_;
  std::vector<PartitionCopies> copies_;  // by partition; empty: none are kept
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
