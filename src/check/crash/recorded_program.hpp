// The program's run of `ew crash --states model`, recorded once to its end, with the crash states that the model allows
// of it. Owned by the campaign. Nothing changes after the constructor, so several threads may read it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "check/acknowledged_progress.hpp"
#include "check/crash/recovery.hpp"
#include "check/crash_states.hpp"
#include "check/event_file.hpp"
#include "check/persist_graph.hpp"
#include "check/pool_image.hpp"

namespace ew::check {

/// The state in which the program had not made its pools yet.
inline constexpr const char* no_pool = "no-pool";

class RecordedProgram {
 public:
  /// Runs the program, and the recovery after it. Throws core::UserError when one of them fails. `budget`: about this
  /// many states.
  RecordedProgram(const CrashPlan&, const PersistAxioms&, u64 budget);

  const CrashPlan& plan() const { return plan_; }
  const PersistAxioms& axioms() const { return axioms_; }
  const EventFile& events() const { return *events_; }
  const PersistGraph& graph() const { return graph_; }
  const AcknowledgedProgress& acknowledgements() const { return *acknowledged_; }
  bool shares_pools() const { return shares_pools_; }  // some pools lie outside of the program's folder
  double record_seconds() const { return record_seconds_; }
  double build_seconds() const { return build_seconds_; }

  /// The names of the states, as many as the budget says. no_pool is the first, if it is one of them.
  std::vector<std::string> state_names() const;
  std::string coverage() const {
    return states_->coverage() + (made_pools_ ? "; and the state before the program has made its pools" : "");
  }
  /// What Everwarp has told the program on its standard error (a kernel that failed); empty: nothing.
  const std::string& messages() const { return messages_; }
  /// The durable persists of a state. REQUIRES: it is not no_pool.
  PersistSet named(const std::string& state, Reach&) const;
  /// When these persists are durable: how many pools had been mapped (the first ones), and the largest progress that
  /// can have been acknowledged.
  std::size_t pools_mapped(const PersistSet& set) const { return mapped_->of(set); }
  u64 acknowledged(const PersistSet& set) const { return acknowledged_->of(set); }
  /// The files of the first `pools` pools.
  PoolFiles files(const PoolImage&, std::size_t pools) const;

 private:
  void record();

  const CrashPlan& plan_;
  const PersistAxioms& axioms_;
  bool made_pools_ = false;  // the run began without them
  bool shares_pools_ = false;
  std::unique_ptr<EventFile> events_;
  PersistGraph graph_;
  std::unique_ptr<AcknowledgedProgress> acknowledged_, mapped_;
  std::unique_ptr<CrashStates> states_;
  std::vector<std::filesystem::path> pool_paths_;
  std::string messages_;
  double record_seconds_ = 0, build_seconds_ = 0;
};

}  // namespace ew::check
