#include "simt/in_flight.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "core/symbol_name.hpp"

namespace ew::simt {

namespace {

std::string_view what_it_does(SplitState state) {
  switch (state) {
    case SplitState::running:
      return "";
    case SplitState::at_barrier:
      return "at a barrier";
    case SplitState::at_warp_sync:
      return "waiting for lanes of its warp";
    case SplitState::asleep:
      return "asleep";
    case SplitState::at_performer:
      return "waiting for memory";
  }
  return "";
}

using Places = std::map<std::pair<std::string, std::string_view>, u64>;

void add_places(const Warp& warp, const ptx::Kernel& kernel, Places& places) {
  std::map<std::pair<std::string, std::string_view>, bool> of_warp;  // once each
  for (u32 i = 0; i < warp.split_count; ++i) {
    const Split& split = warp.splits[i];
    const std::string at = split.pc < kernel.code.size() ? source_line(kernel, split.pc) : "the end of the kernel";
    of_warp[{at, what_it_does(split.state)}] = true;
  }
  for (const auto& [place, there] : of_warp) ++places[place];
}

InFlight in_flight(const Grid& grid, const Residency& residency, u64 now_ns) {
  InFlight launch{.so_far = {.id = grid.id,
                             .counters = grid.counters,
                             .nanoseconds_begin = grid.begin_ns,
                             .nanoseconds_end = now_ns},
                  .kernel = core::readable_name(grid.kernel->name),
                  .grid = grid.launch.grid,
                  .block = grid.launch.block,
                  .blocks_waiting = grid.blocks - grid.next_block};
  Places places;
  for (const Sm& sm : residency.sms())
    for (const auto& block : sm.blocks) {
      if (block->grid != &grid) continue;
      ++launch.blocks_running;
      for (const Warp* warp : block->warps)
        if (warp) add_places(*warp, *grid.kernel, places);
      for (u64 left = block->unfinished; left; left &= left - 1)
        launch.warps_not_begun += !block->warps[static_cast<u32>(std::countr_zero(left))];
    }
  launch.blocks_done = grid.next_block - launch.blocks_running;
  for (const auto& [place, warps] : places) launch.places.push_back({place.first, place.second, warps});
  std::ranges::stable_sort(launch.places, std::greater{}, &InFlight::Place::warps);
  return launch;
}

}  // namespace

std::vector<InFlight> in_flight(const Residency& residency, u64 now_ns) {
  std::vector<InFlight> launches;
  for (const auto& grid : residency.grids()) launches.push_back(in_flight(*grid, residency, now_ns));
  return launches;
}

}  // namespace ew::simt
