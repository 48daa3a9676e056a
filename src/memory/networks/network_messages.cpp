#include "memory/networks/network_messages.hpp"

#include <fmt/format.h>

namespace ew::memory {

std::string NetworkMessages::what_is_under_way(u32 agents) const {
  constexpr u64 most = 8;
  if (in_flight() == 0) return {};
  std::vector<bool> waits(all_.size(), true);
  for (const u32 index : free_) waits[index] = false;
  const auto node = [&](Node one) {
    return one < agents ? fmt::format("agent {}", one) : fmt::format("home {}", one - agents);
  };
  std::string text = fmt::format("network: {} messages in flight\n", in_flight());
  u64 listed = 0;
  for (u32 index = 0; index < all_.size() && listed < most; ++index) {
    if (!waits[index]) continue;
    ++listed;
    const Message& message = all_[index];
    text += fmt::format("network: {} of line {:#x} from {} to {}\n", name_of(request(index).kind), request(index).line,
                        node(message.from), node(message.to));
  }
  return text;
}

}  // namespace ew::memory
