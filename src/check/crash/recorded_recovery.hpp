// A recovery of an image, recorded to its end as the program was. It has the images that a crash of this recovery may
// leave, and can recover them. Keeps a reference to the Recovery that runs both.
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
  /// Runs and records the recovery of the image `before`. `acknowledged` is what the recovery is told.
  RecordedRecovery(Recovery&, PoolFiles before, u64 acknowledged, const PersistAxioms&);

  /// False: it failed, or changed no pool. Then there is nothing more to ask for.
  bool ran() const { return graph_.size() != 0; }
  const EventFile& events() const { return *events_; }
  const PersistGraph& graph() const { return graph_; }

  /// The image that a crash leaves when these persists are durable, valid until the next call; and the largest progress
  /// that can have been acknowledged then.
  PoolFiles left(const PersistSet&) const;
  u64 acknowledged(const PersistSet&) const;
  /// A line that says how far the crashed recovery had come.
  std::string text_of_crash(const PersistSet&) const;
  /// Recovers the image that this crash leaves; in the second form it is told this progress.
  process::Outcome crashed(const PersistSet& set) const { return crashed(set, acknowledged(set)); }
  process::Outcome crashed(const PersistSet&, u64 acknowledged) const;
  /// What the recovery itself acknowledges, and the progress that it was told.
  const AcknowledgedProgress& acknowledgements() const { return *progress_; }
  u64 told() const { return told_; }

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
