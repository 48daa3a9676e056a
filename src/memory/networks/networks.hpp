// The networks that a machine file can name. A network is a file here and a line in networks.inc.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/model_section.hpp"
#include "memory/network.hpp"

namespace ew::memory {

struct NetworkConfig {
  std::string kind = "crossbar";
  u32 jitter = 0;  // SM cycles: each message takes 0 to this many more, by the seed
  core::ModelSections sections;

  /// The fields of this struct alone; each kind has a section of its own.
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
  /// What becomes of a message on its way is decided Network::lookahead() cycles early, as nodes that run ahead of the
  /// wheel want to know it.
  bool early = false;
};

/// Where a home's messages enter the network.
struct NetworkPort {
  u32 width = 0;  // bytes a cycle of the network's clock
  core::Kilohertz clock;
};

struct NetworkKind {
  std::string_view name, sentence;
  std::unique_ptr<Network> (*make)(const NetworkConfig&, const NetworkParts&);
  /// SM cycles that a memory channel is away from a home slice, there and back; nullptr: none.
  u64 (*memory_distance)(const NetworkConfig&, const NetworkParts&, u32 slice, u32 channel) = nullptr;
  NetworkPort (*port)(const NetworkConfig&) = nullptr;  // nullptr: messages do not share ports
  /// Links between the nodes' ports, each as wide as a port, over which network.busy_cycles is added. nullptr: there
  /// are none; the contract suite refuses that where a message crosses more than two links.
  u64 (*links)(const NetworkConfig&, const NetworkParts&) = nullptr;
  core::ModelSection section;  // of its own keys
};

/// In the order in which they are documented.
std::span<const NetworkKind> network_kinds();

/// nullptr: there is none of that name.
const NetworkKind* find_network_kind(std::string_view name);

/// NetworkKind::memory_distance of the network that config.kind names (DistantDevice has it).
u64 memory_distance(const NetworkConfig&, const NetworkParts&, u32 slice, u32 channel);

/// The network that config.kind names; an unknown name is a UserError that says which there are.
std::unique_ptr<Network> make_network(const NetworkConfig&, const NetworkParts&);

}  // namespace ew::memory
