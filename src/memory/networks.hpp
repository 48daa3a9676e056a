// The networks that a machine file can name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "memory/crossbar.hpp"
#include "memory/ideal_network.hpp"
#include "memory/mesh.hpp"
#include "memory/network.hpp"

namespace ew::memory {

struct NetworkConfig {
  std::string kind = "crossbar";
  u32 jitter = 0;  // SM cycles: each message takes 0 to this many more, by the seed
  CrossbarConfig crossbar;
  MeshConfig mesh;
  IdealNetworkConfig ideal;

  /// The fields of this struct alone; each model has a section of its own.
  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    visit("kind", self.kind, Range{}, "", "Which network joins SMs and L2 slices: `ew explain network` lists them.",
          "SBRP artifact, network_mode 2: a crossbar");
    visit("jitter", self.jitter, Range{0, 10000}, "cycles",
          "Each message takes up to this many SM cycles longer, chosen by the seed; 0 for none.",
          "a choice of the user: 0 models the network alone, more tries other orders of messages");
  }
};

/// A router of the mesh.
struct Position {
  u16 column = 0, row = 0;
};

struct NetworkParts {
  core::TimeWheel& wheel;
  core::Kilohertz clock;  // of the SMs, which the wheel counts
  u32 agents = 0, homes = 0;
  u64 seed = 0;  // of the jitter
  /// Mesh: the router of each node; several may share one. Empty: agent a stands at router a, home h at router h, row
  /// by row, and again from the first router when they are used up.
  std::span<const Position> placement = {};
};

struct NetworkKind {
  std::string_view name, sentence;
  std::unique_ptr<Network> (*make)(const NetworkConfig&, const NetworkParts&);
};

std::unique_ptr<Network> make_crossbar(const NetworkConfig&, const NetworkParts&);
std::unique_ptr<Network> make_mesh(const NetworkConfig&, const NetworkParts&);
std::unique_ptr<Network> make_ideal_network(const NetworkConfig&, const NetworkParts&);

inline constexpr NetworkKind network_kinds[] = {
    {"crossbar", "Every node has ports of its own; messages to one node share its ejection port.", make_crossbar},
    {"mesh", "Routers in a grid; messages go along the row, then along the column, and share every link.", make_mesh},
    {"ideal", "Every message takes the same time and none waits: for teaching and for tests.", make_ideal_network},
};

/// SM cycles that a memory channel is away from a home slice, there and back: on the mesh, channels stand at its
/// corners, one after the other, and a request and its answer take the hops between (DistantDevice); elsewhere 0.
u64 memory_distance(const NetworkConfig&, const NetworkParts&, u32 slice, u32 channel);

/// The network that config.kind names; an unknown name is a UserError that says which there are.
std::unique_ptr<Network> make_network(const NetworkConfig&, const NetworkParts&);

}  // namespace ew::memory
