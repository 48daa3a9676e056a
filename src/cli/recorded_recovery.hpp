// A recovery of an image that was recorded to its end, as the program was: the images that a crash of it may leave, and
// what another recovery makes of them. Keeps a reference to the Recovery that runs both.
#pragma once

#include <memory>

#include "check/acknowledged_progress.hpp"
#include "check/persist_graph.hpp"
#include "check/pool_image.hpp"
#include "cli/recorded_run.hpp"
#include "cli/recovery.hpp"

namespace ew::cli {

class RecordedRecovery {
 public:
  /// Of the image `before`, of which so much was acknowledged.
  RecordedRecovery(Recovery&, Image before, u64 acknowledged, const check::PersistAxioms&);

  /// False: it failed, or changed no pool. Then there is nothing more to ask for.
  bool ran() const { return graph_.size() != 0; }
  const check::EventFile& events() const { return *events_; }
  const check::PersistGraph& graph() const { return graph_; }

  /// The image that a crash leaves with these persists, valid until the next one is made; and the most that can have
  /// been acknowledged then.
  Image left(const check::PersistSet&) const;
  u64 acknowledged(const check::PersistSet&) const;
  /// A line that says how far it had come.
  std::string text_of_crash(const check::PersistSet&) const;
  /// Another recovery of it.
  process::Outcome crashed(const check::PersistSet&) const;

 private:
  Recovery& recovery_;
  Image before_;
  u64 told_;
  Recording recording_;
  std::unique_ptr<check::EventFile> events_;
  check::PersistGraph graph_;
  std::vector<std::filesystem::path> paths_;
  std::unique_ptr<check::AcknowledgedProgress> progress_, mapped_;
  std::unique_ptr<check::PoolImage> files_;
};

}  // namespace ew::cli
