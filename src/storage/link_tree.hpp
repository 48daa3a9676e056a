// The links behind drives. The host's root has switch 0 below it. The GPU is below switch 0. A drive is below switch 0
// or another switch, and each other switch is below a switch or the root. A packet climbs to the first switch that is
// above both ends, and goes down from there. So packets between drives and the GPU do not cross the root, unless the
// only way leads there. Owned by the drives of a timing machine.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/host_link.hpp"

namespace ew::storage {

/// A switch but switch 0, and its link upwards.
struct Switch {
  u32 lanes = 16, generation = 4;
  std::optional<u32> below = 0;  // nothing: it is below the root
};
using Switches = std::map<u32, Switch>;  // by number, from 1

/// The switches of a text like "1:lanes=8:generation=4, 2:below=1, 3:below=root". Throws core::UserError, which names
/// `key`.
Switches parse_switches(std::string_view text, std::string_view key);

/// Of one direction of a PCIe link, as far as packets have it.
core::BytesPerSecond link_bandwidth(u32 lanes, u32 generation);

class LinkTree {
 public:
  struct Parts {
    core::TimeWheel& wheel;
    core::Kilohertz clock;
    memory::HostLinkConfig link;  // of each link; its bandwidth is that of switch 0's link to the root
    memory::HostLink& gpu;
  };
  LinkTree(const Switches&, const Parts&);

  struct Hop {
    memory::HostLink* link;
    memory::LinkDirection direction;
  };
  /// From a switch to the end, without the drive's own link.
  struct Routes {
    std::vector<Hop> to_gpu, to_host;
  };
  /// REQUIRES: there is such a switch.
  Routes from(u32 number) const;
  bool quiescent() const;

 private:
  const Switches switches_;
  memory::HostLink& gpu_;
  std::map<u32, std::unique_ptr<memory::HostLink>> up_;  // by switch: its link upwards
};

}  // namespace ew::storage
