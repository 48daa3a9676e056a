// A recovery of an image that was recorded to its end, as the program was: the images that a crash of it may leave, and
// what another recovery makes of them. Keeps a reference to the Recovery that runs both.
#pragma once

#include <memory>

#include "check/acknowledged_progress.hpp"
#include "check/crash/recorded_run.hpp"
#include "check/crash/recovery.hpp"
#include "check/persist_graph.hpp"
#include "check/pool_image.hpp"

namespace ew::check {

class RecordedRecovery {
 public:
  /// Of the image `before`, of which so much was acknowledged.
  RecordedRecovery(Recovery&, PoolFiles before, u64 acknowledged, const PersistAxioms&);

  /// False: it failed, or changed no pool. Then there is nothing more to ask for.
  bool ran() const { return graph_.size() != 0; }
  const EventFile& events() const { return *events_; }
  const PersistGraph& graph() const { return graph_; }

  /// The image that a crash leaves with these persists, valid until the next one is made; and the most that can have
  /// been acknowledged then.
  PoolFiles left(const PersistSet&) const;
  u64 acknowledged(const PersistSet&) const;
  /// A line that says how far it had come.
  std::string text_of_crash(const PersistSet&) const;
  /// Another recovery of it.
  process::Outcome crashed(const PersistSet&) const;

 private:
  Recovery& recovery_;
  PoolFiles before_;
  u64 told_;
  Recording recording_;
  std::unique_ptr<EventFile> events_;
  PersistGraph graph_;
  std::vector<std::filesystem::path> paths_;
  std::unique_ptr<AcknowledgedProgress> progress_, mapped_;
  std::unique_ptr<PoolImage> files_;
};

}  // namespace ew::check
