#include "check/crash/recorded_recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "check/crash/folder.hpp"
#include "check/persist_builder.hpp"
#include "check/persist_order.hpp"

namespace ew::check {

RecordedRecovery::RecordedRecovery(Recovery& recovery, PoolFiles before, u64 acknowledged, const PersistAxioms& axioms)
    : recovery_(recovery), before_(std::move(before)), told_(acknowledged) {
  const process::Outcome whole = recovery.run_anew(before_, told_, recording_.environment());
  if (whole.status != 0 || !std::filesystem::exists(recording_.events()))
    return;  // it failed without a crash, which is reported elsewhere; or it ran nothing
  events_ = std::make_unique<EventFile>(recording_.events().string());
  graph_ = build_persist_graph(*events_, axioms);
  bool outside = false;
  paths_ = pool_paths(*events_, recovery.folder(), outside);
  progress_ = std::make_unique<AcknowledgedProgress>(graph_);
  mapped_ = std::make_unique<AcknowledgedProgress>(graph_, graph_.mappings());
  files_ = std::make_unique<PoolImage>(*events_, graph_.persists());
}

PoolFiles RecordedRecovery::left(const PersistSet& set) const {
  files_->build(set);
  return overlaid(before_, paths_, std::span(files_->files()).first(mapped_->of(set)));
}

u64 RecordedRecovery::acknowledged(const PersistSet& set) const {
  return std::max(told_, progress_->of(set));
}

std::string RecordedRecovery::text_of_crash(const PersistSet& set) const {
  std::string durable = "nothing";
  for (u32 persist = 0; persist < set.size(); ++persist)
    if (set.has(persist))
      durable = fmt::format("{} of {} persists, the last {}", set.count(), set.size(),
                            text_of(*events_, graph_.persist(persist)));
  return fmt::format("[the recovery was crashed when {} had become durable]\n", durable);
}

process::Outcome RecordedRecovery::crashed(const PersistSet& set, u64 acknowledged) const {
  return recovery_.run(left(set), acknowledged);
}

}  // namespace ew::check
