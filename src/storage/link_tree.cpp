#include "storage/link_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/diagnostics.hpp"

namespace ew::storage {

using memory::LinkDirection;

namespace {

constexpr u32 most_switches = 15;
/// Per cent of a link that packets have: the rest is flow control and acknowledgements. A fit: with it a P5800X gives
/// 1.56 M reads of 4 KiB a second (BaM, Table 2: 1.5; BaM's artifact: 1.53 to 1.56).
constexpr u64 link_efficiency = 90;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}
std::string_view up_to(std::string_view& text, char mark) {
  const auto end = text.find(mark);
  const std::string_view part = trimmed(text.substr(0, end));
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return part;
}

std::optional<u32> number_in(std::string_view text, u32 least, u32 most) {
  u32 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) return {};
  return value;
}

void add_word(Switch& made, std::string_view word, std::string_view key) {
  std::string_view value = word;
  const std::string_view name = up_to(value, '=');
  value = trimmed(value);
  if (name == "below" && value == "root") {
    made.below.reset();
    return;
  }
  const auto number = name == "lanes"        ? number_in(value, 1, 32)
                      : name == "generation" ? number_in(value, 1, 6)
                      : name == "below"      ? number_in(value, 0, most_switches)
                                             : std::nullopt;
  if (!number)
    throw core::UserError(
        fmt::format("{}: \"{}\" is no word of a switch; there are lanes=1 to 32, generation=1 to 6, "
                    "and below=0 to {}, or below=root",
                    key, word, most_switches));
  (name == "lanes" ? made.lanes : name == "generation" ? made.generation : made.below.emplace()) = *number;
}

}  // namespace

Switches parse_switches(std::string_view text, std::string_view key) {
  Switches all;
  for (text = trimmed(text); !text.empty();) {
    std::string_view one = up_to(text, ',');
    const std::string_view name = up_to(one, ':');
    const auto number = number_in(name, 1, most_switches);
    if (!number)
      throw core::UserError(fmt::format("{}: \"{}\" should be the number of a switch, 1 to {}; 0 is the GPU's", key,
                                        name, most_switches));
    if (all.contains(*number)) throw core::UserError(fmt::format("{}: switch {} stands there twice", key, *number));
    Switch& made = all[*number];
    while (!one.empty()) add_word(made, up_to(one, ':'), key);
  }
  for (const auto& [number, one] : all) {
    std::optional<u32> at = one.below;
    for (u32 steps = 0; at && *at != 0; ++steps) {
      if (!all.contains(*at))
        throw core::UserError(
            fmt::format("{}: switch {} is below switch {}, which does not stand there", key, number, *at));
      if (steps > most_switches) throw core::UserError(fmt::format("{}: switch {} is below itself", key, number));
      at = all.at(*at).below;
    }
  }
  return all;
}

core::BytesPerSecond link_bandwidth(u32 lanes, u32 generation) {
  // A lane makes 2.5 and 5 G transfers a second in generations 1 and 2, of which 8 in 10 are data; 8, 16, 32, 64 in
  // later ones, of which 128 in 130 are (the same is taken for 6).
  const u64 bytes =
      generation < 3 ? u64{250'000'000} << (generation - 1) : (u64{1'000'000'000} << (generation - 3)) / 130 * 128;
  return {bytes * lanes / 100 * link_efficiency};
}

LinkTree::LinkTree(const Switches& switches, const Parts& parts) : switches_(switches), gpu_(parts.gpu) {
  up_[0] = std::make_unique<memory::HostLink>(parts.link, parts.wheel, parts.clock);
  for (const auto& [number, one] : switches_) {
    memory::HostLinkConfig link = parts.link;
    link.bandwidth = link_bandwidth(one.lanes, one.generation);
    up_[number] = std::make_unique<memory::HostLink>(link, parts.wheel, parts.clock);
  }
}

LinkTree::Routes LinkTree::from(u32 number) const {
  Routes routes;
  std::vector<Hop> climbed;
  std::optional<u32> at = number;
  while (at && *at != 0) {
    climbed.push_back({up_.at(*at).get(), LinkDirection::to_host});
    at = switches_.at(*at).below;
  }
  routes.to_gpu = routes.to_host = climbed;
  if (at) routes.to_host.push_back({up_.at(0).get(), LinkDirection::to_host});
  if (!at) routes.to_gpu.push_back({up_.at(0).get(), LinkDirection::to_device});  // from the root down to switch 0
  routes.to_gpu.push_back({&gpu_, LinkDirection::to_device});
  return routes;
}

bool LinkTree::quiescent() const {
  return std::ranges::all_of(up_, [](const auto& one) { return one.second->quiescent(); });
}

}  // namespace ew::storage
