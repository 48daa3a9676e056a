#include "memory/networks/mesh.hpp"

#include <fmt/format.h>

#include "core/diagnostics.hpp"
#include "memory/networks/ported_network.hpp"

namespace ew::memory {

namespace {

/// Messages go along the row first, then along the column, so that two between the same nodes take the same links, each
/// of which is first come, first served. An event a link, when the message's head is at the router before it.
class Mesh final : public PortedNetwork {
 public:
  Mesh(const MeshConfig& config, const NetworkParts& parts, u32 jitter)
      : PortedNetwork(shape(config, parts), parts, jitter),
        columns_(config.columns),
        hop_(u64{config.hop} * config.width),
        base_(u64{config.base} * config.width),
        links_(u64{config.columns} * config.rows * directions) {
    place(config, parts);
    decide_early(parts.early);
  }

  void go(u32 index, u32 data_bytes, Traffic traffic) override {
    const Node from = messages_[index].from, to = messages_[index].to;
    Message& message = inject(index, data_bytes, from, base_);
    count(message.account, traffic, message.length, hops(from, to));
    message.router = router_[from];
    if (message.router == router_[to]) return eject(index, to);
    const core::Cycle there = ratio_.cycle_at(message.tick);
    if (early_) return decide<&Mesh::at_router>(std::max(there, wheel_.now() + 1), *this, index);
    // An event of this cycle would come too late where it is an SM that sends: events come before SMs.
    if (there == wheel_.now()) return at_router(index, 0);
    wheel_.at<&Mesh::at_router>(there, *this, index);
  }

  core::Cycle charge(Node from, Node to, core::Account account, u32 data_bytes, Traffic traffic) override {
    count(account, traffic, length(data_bytes), hops(from, to));
    return occupy(from, to, to >= agents_, data_bytes);
  }

  /// To the first router.
  core::Cycle lookahead() const override { return std::max<core::Cycle>(1, ratio_.cycle_at(base_)); }

  u64 idle_latency(Node from, Node to, u32 data_bytes) const override {
    return ratio_.cycle_at(base_ + hops(from, to) * hop_ + length(data_bytes));
  }

 private:
  enum Direction : u32 { east, west, south, north, directions };

  static Shape shape(const MeshConfig& config, const NetworkParts& parts) {
    const u32 nodes = parts.agents + parts.homes;
    return {config.clock, config.width, config.flit, config.header, nodes, nodes};
  }

  void place(const MeshConfig& config, const NetworkParts& parts) {
    const u32 nodes = parts.agents + parts.homes, routers = config.columns * config.rows;
    if (!parts.placement.empty() && parts.placement.size() != nodes)
      throw core::UserError(
          fmt::format("the mesh's placement names {} nodes; the machine has {}", parts.placement.size(), nodes));
    router_.resize(nodes);
    for (u32 node = 0; node < nodes; ++node) {
      if (parts.placement.empty()) {
        router_[node] = static_cast<u16>((node < parts.agents ? node : node - parts.agents) % routers);
        continue;
      }
      const Position at = parts.placement[node];
      if (at.column >= config.columns || at.row >= config.rows)
        throw core::UserError(fmt::format("the mesh's placement puts a node at column {}, row {} of a mesh of {} x {}",
                                          at.column, at.row, config.columns, config.rows));
      router_[node] = static_cast<u16>(at.row * config.columns + at.column);
    }
  }

  u64 hops(Node from, Node to) const {
    const u32 a = router_[from], b = router_[to];
    const auto distance = [](u32 x, u32 y) { return x < y ? y - x : x - y; };
    return distance(a % columns_, b % columns_) + distance(a / columns_, b / columns_);
  }

  void at_router(u64 index, u64) {
    Message& message = messages_[static_cast<u32>(index)];
    const u32 here = message.router, there = router_[message.to];
    Direction direction;
    if (here % columns_ != there % columns_) {
      direction = here % columns_ < there % columns_ ? east : west;
    } else {
      direction = here < there ? south : north;
    }
    message.tick = begin(links_[here * directions + direction], message.tick, message.length) + hop_;
    const u32 step = direction == east || direction == west ? 1 : columns_;
    message.router = static_cast<u16>(direction == east || direction == south ? here + step : here - step);
    if (message.router == there) return eject(static_cast<u32>(index), message.to);
    decide<&Mesh::at_router>(std::max(ratio_.cycle_at(message.tick), decided()), *this, index);
  }

  const u32 columns_;
  const u64 hop_, base_;
  std::vector<u64> links_;   // next-free ticks
  std::vector<u16> router_;  // of each node
};

/// Channels stand at the mesh's corners, one after the other, and a request and its answer take the hops between.
u64 distance_of_memory(const NetworkConfig& config, const NetworkParts& parts, u32 slice, u32 channel) {
  const auto mesh = config.sections.of<MeshConfig>();
  const u32 columns = mesh.columns, rows = mesh.rows;
  Position home{static_cast<u16>(slice % columns), static_cast<u16>(slice / columns % rows)};
  if (!parts.placement.empty()) home = parts.placement[parts.agents + slice];
  const u32 column = channel % 2 ? columns - 1 : 0, row = channel / 2 % 2 ? rows - 1 : 0;
  const auto far = [](u32 a, u32 b) { return a < b ? b - a : a - b; };
  const u64 hops = 2 * (far(home.column, column) + far(home.row, row));
  return core::ClockRatio::of_clock(parts.clock, mesh.clock).cycle_at(hops * mesh.hop);
}

}  // namespace

namespace networks {

NetworkKind mesh() {
  return {.name = "mesh",
          .sentence = "Routers in a grid; messages go along the row, then along the column, and share every link.",
          .make = [](const NetworkConfig& config, const NetworkParts& parts) -> std::unique_ptr<Network> {
            return std::make_unique<Mesh>(config.sections.of<MeshConfig>(), parts, config.jitter);
          },
          .memory_distance = distance_of_memory,
          .port =
              [](const NetworkConfig& config) {
                const auto mesh = config.sections.of<MeshConfig>();
                return NetworkPort{mesh.width, mesh.clock};
              },
          .links = [](const NetworkConfig& config, const NetworkParts&) -> u64 {
            const auto mesh = config.sections.of<MeshConfig>();
            return 2 * (u64{mesh.columns} * (mesh.rows - 1) + u64{mesh.rows} * (mesh.columns - 1));
          },
          .section = core::section_of<MeshConfig>("Timing: the network of kind mesh.")};
}

}  // namespace networks
}  // namespace ew::memory
