#include "simt/stuck_report.hpp"

#include <fmt/format.h>

#include <optional>

#include "core/symbol_name.hpp"

namespace ew::simt {

Fault StuckReport::of(Grid& grid, std::string_view what, FaultKind kind) const {
  std::optional<Fault> told;
  for (const Sm& sm : residency_.sms())
    for (const auto& block : sm.blocks) {
      if (block->grid != &grid || (told && told->scope_bug)) continue;
      if (Fault fault = executor_.deadlock(*block, what, kind); !told || fault.scope_bug) told = std::move(fault);
    }
  if (!told) {
    told = Fault{.kind = kind, .kernel = core::readable_name(grid.kernel->name)};
    const GridRun& run = runs_.of(grid);
    u64 accesses = 0;
    for (const GridRun::OnSm& sm : run.on_sm) accesses += sm.accesses;
    told->report = fmt::format(
        "deadlock: {}\n  {} of {} blocks of {} have begun, {} have not ended; {} accesses and {} flushes of private "
        "caches are under way",
        what, grid.next_block, grid.blocks, core::readable_name(grid.kernel->name), grid.unfinished, accesses,
        run.flushes);
  }
  say_what_is_under_way(told->report);
  return *std::move(told);
}

void StuckReport::say_what_is_under_way(std::string& report) const {
  for (RunningSm& sm : sms_) report += sm.sm().what_is_under_way();
  const std::string beneath = beneath_ ? beneath_() : std::string();
  if (!beneath.empty()) report += "\n  below the private caches:\n" + beneath;
  while (report.ends_with('\n')) report.pop_back();
}

}  // namespace ew::simt
