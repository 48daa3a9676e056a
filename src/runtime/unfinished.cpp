#include "runtime/unfinished.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ew::runtime {

namespace {

constexpr std::size_t most_launches = 16, most_places = 8;

std::string shape(Dim3 d) {
  return fmt::format("({},{},{})", d.x, d.y, d.z);
}

std::string plural(u64 number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

std::string text_of(const simt::InFlight& launch) {
  std::string text = fmt::format("  {}, grid {}, blocks of {}: {} done, {} running, {} waiting", launch.kernel,
                                 shape(launch.grid), shape(launch.block), plural(launch.blocks_done, "block"),
                                 launch.blocks_running, launch.blocks_waiting);
  if (launch.places.empty() && !launch.warps_not_begun) return text + "\n";
  text += "; warps are\n";
  const auto line = [&](u64 warps, std::string_view where) { text += fmt::format("    {:>8} {}\n", warps, where); };
  for (std::size_t i = 0; i < std::min(launch.places.size(), most_places); ++i) {
    const auto& place = launch.places[i];
    line(place.warps, fmt::format("at {}{}{}", place.at, place.doing.empty() ? "" : ", ", place.doing));
  }
  if (launch.places.size() > most_places)
    text += fmt::format("    and at {}\n", plural(launch.places.size() - most_places, "other place"));
  if (launch.warps_not_begun) line(launch.warps_not_begun, "not begun");
  return text;
}

}  // namespace

std::string text_of_unfinished(std::span<const simt::InFlight> launches, u64 commands) {
  std::string text = launches.empty() ? "no kernel was running" : plural(launches.size(), "kernel") + " had not ended";
  if (commands > launches.size())
    text += fmt::format(", and of other work that was queued {}", plural(commands - launches.size(), "command"));
  text += "\n";
  for (std::size_t i = 0; i < std::min(launches.size(), most_launches); ++i) text += text_of(launches[i]);
  if (launches.size() > most_launches) text += fmt::format("  and {} more\n", launches.size() - most_launches);
  return text;
}

nlohmann::ordered_json json_of_unfinished(std::span<const simt::InFlight> launches) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const simt::InFlight& launch : launches) {
    nlohmann::ordered_json places = nlohmann::ordered_json::array();
    for (const auto& place : launch.places)
      places.push_back({{"at", place.at}, {"doing", place.doing}, {"warps", place.warps}});
    list.push_back({{"kernel", launch.kernel},
                    {"grid", {launch.grid.x, launch.grid.y, launch.grid.z}},
                    {"block", {launch.block.x, launch.block.y, launch.block.z}},
                    {"blocks_done", launch.blocks_done},
                    {"blocks_running", launch.blocks_running},
                    {"blocks_waiting", launch.blocks_waiting},
                    {"warps_not_begun", launch.warps_not_begun},
                    {"warps", std::move(places)}});
  }
  return list;
}

}  // namespace ew::runtime
