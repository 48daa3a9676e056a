#include "runtime/hierarchy_statistics.hpp"

#include <algorithm>

namespace ew::runtime {

bool kept_apart(std::string_view name) {
  static constexpr std::string_view shared[] = {"host_link.",
                                                "host_core.",
                                                "host.",
                                                "copies.",
                                                "storage.",
                                                "managed.",
                                                "durable.",
                                                "nvm.granules_",
                                                "nvm.most",
                                                "nvm.combined",
                                                "nvm.busy_",
                                                "nvm.page_misses",
                                                "network.delivered",
                                                "network.busy_cycles",
                                                "network.waited_cycles"};
  return std::ranges::none_of(shared, [&](std::string_view one) { return name.starts_with(one); });
}

bool adds_up(std::string_view name) {
  // Energy and times are rounded account by account.
  return kept_apart(name) && name != "cycles" && name != "active_cycles" && !name.starts_with("energy.") &&
         !name.ends_with("_picoseconds");
}

}  // namespace ew::runtime
