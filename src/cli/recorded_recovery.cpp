#include "cli/recorded_recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "check/persist_builder.hpp"
#include "check/persist_order.hpp"
#include "cli/crash_folder.hpp"

namespace ew::cli {

RecordedRecovery::RecordedRecovery(Recovery& recovery, Image before, u64 acknowledged,
                                   const check::PersistAxioms& axioms)
    : recovery_(recovery), before_(std::move(before)), told_(acknowledged) {
  const process::Outcome whole = recovery.run_anew(before_, told_, recording_.environment());
  if (whole.status != 0 || !std::filesystem::exists(recording_.events())) return;  // told without a crash; or idle
  events_ = std::make_unique<check::EventFile>(recording_.events().string());
  graph_ = check::build_persist_graph(*events_, axioms);
  bool outside = false;
  paths_ = pool_paths(*events_, recovery.folder(), outside);
  progress_ = std::make_unique<check::AcknowledgedProgress>(graph_);
  mapped_ = std::make_unique<check::AcknowledgedProgress>(graph_, graph_.mappings());
  files_ = std::make_unique<check::PoolImage>(*events_, graph_.persists());
}

Image RecordedRecovery::left(const check::PersistSet& set) const {
  files_->build(set);
  return overlaid(before_, paths_, std::span(files_->files()).first(mapped_->of(set)));
}

u64 RecordedRecovery::acknowledged(const check::PersistSet& set) const {
  return std::max(told_, progress_->of(set));
}

std::string RecordedRecovery::text_of_crash(const check::PersistSet& set) const {
  std::string durable = "nothing";
  for (u32 persist = 0; persist < set.size(); ++persist)
    if (set.has(persist))
      durable = fmt::format("{} of {} persists, the last {}", set.count(), set.size(),
                            check::text_of(*events_, graph_.persist(persist)));
  return fmt::format("[the recovery was crashed when {} had become durable]\n", durable);
}

process::Outcome RecordedRecovery::crashed(const check::PersistSet& set) const {
  return recovery_.run(left(set), acknowledged(set));
}

}  // namespace ew::cli
