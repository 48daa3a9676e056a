// `ew crash --states model`: one recorded run, the crash states that a persistency model allows of it, a recovery of
// each, and of failures which order is missing and why.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "check/acknowledged_progress.hpp"
#include "check/blame.hpp"
#include "check/crash_states.hpp"
#include "check/pool_image.hpp"
#include "cli/crash_trials.hpp"
#include "cli/image_verdicts.hpp"
#include "cli/recovery.hpp"

namespace ew::cli {

/// The state in which the program had not made its pools yet.
inline constexpr const char* no_pool = "no-pool";

struct ModelPlan {
  check::PersistModel model = check::PersistModel::sbrp;
  u64 budget = 1000;       // states, about
  std::string state;       // only this one; empty: as many as the budget says
  std::size_t cold = 100;  // states that a process started anew recovers too
  bool warm = true;        // forks for the others
  unsigned jobs = 2;
};

/// Throws core::UserError for what is no model of crash states.
check::PersistModel model_named(const std::string&);

/// Where a failure comes from (../shared/notes/memory-models.md 4.6).
enum class FailureClass : u8 {
  recovery_bug,          // it fails on a state that the run itself has passed through
  missing_order,         // no scope would make the state impossible
  scope_bug,             // with every scope widened to the system the state is impossible
  early_acknowledgement  // recovered, but something is missing that was acknowledged before the model promised it
};
std::string_view name_of(FailureClass);

struct ModelFailure {
  std::string state;
  std::string nested;  // the recovery was crashed in this state of its own; empty: it was not crashed
  FailureClass kind = FailureClass::missing_order;
  /// A persist that is durable and one that is not: what they are, and their lines. Empty: there is none.
  std::string durable, durable_at, not_durable, not_durable_at;
  std::string release_at, acquire_at;  // the synchronisation between them that is none, or too narrow
  std::vector<std::string> widen;      // scope_bug: what is too narrow
  std::string happened, advice;        // in plain words: why it fails, and what to do
  u64 acknowledged = 0;                // what the recovery was told, where that matters
  int status = 0;
  std::string output;
  u64 alike = 1;  // failed states that end in the same place of the program
};

/// A run whose persists a failure is explained by: the program's, or that of a recovery which was crashed.
struct ExplainedRun {
  const check::EventFile& events;
  const check::PersistGraph& graph;
  check::PersistModel model;
  bool of_recovery;
};
/// Class, lines and advice of a failure, from the persists that are to blame. `fails` judges states of the run.
void explain_blame(const ExplainedRun&, check::Blame, const check::Fails&, ModelFailure&);
/// The same of an acknowledgement that came too early: before `absent` was durable, or (`later`) stored.
void explain_early_acknowledgement(const ExplainedRun&, u32 absent, bool later, ModelFailure&);

struct ModelReport {
  u64 events = 0, persists = 0;
  std::string coverage;
  u64 tried = 0, distinct = 0, passed = 0, failed = 0;
  u64 nested = 0, nested_distinct = 0;  // states in which recoveries were crashed; different images that left
  u64 nested_failed = 0;                // of `failed`: recovered, but not when the recovery was crashed
  u64 cold = 0, unlike = 0;             // recovered by a process started anew as well; those that ended differently
  double record_seconds = 0, build_seconds = 0, seconds = 0;
  bool warm = false;
  std::vector<ModelFailure> failures;
};

class ModelCampaign {
 public:
  /// Records the run. Throws core::UserError when that, or the recovery after it, fails.
  ModelCampaign(const CrashPlan&, const ModelPlan&);

  using Progress = std::function<void(u64 finished, u64 failed, u64 total)>;
  ModelReport run(const Progress&);

 private:
  struct Failed {
    std::string state;
    check::PersistSet set;
    Outcome outcome;
    std::string nested, nested_place;  // the state in which the recovery was crashed, and where that ends
  };
  /// One thread's means to recover a state.
  struct Worker {
    Worker(ModelCampaign&, bool warm);
    /// The image of a set, and the most that can have been acknowledged.
    void build(const check::PersistSet&);
    Outcome judge(const check::PersistSet&);
    /// Of what build() or judge() has made, or of no pool at all: the recovery is crashed in states that the model
    /// allows it to leave. True: each was recovered.
    bool survives_crash(const std::string& state, Failed& failed);
    bool passes(const check::PersistSet& set) { return judge(set).status == 0; }
    /// Equal for equal images of which as much was acknowledged.
    u64 digest() const;
    ModelCampaign& campaign;
    Recovery recovery;
    check::PoolImage image;
    check::Reach reach;
    std::size_t pools = 0;  // that the program had mapped: the first ones
    u64 acknowledged = 0;
    u64 nested = 0;  // states in which recoveries were crashed

   private:
    friend class ModelCampaign;
    Outcome recover_image();
    Image pool_files() const;
  };

  void record();
  std::vector<std::string> wanted_states() const;
  check::PersistSet named(const std::string& state, check::Reach&) const;
  std::vector<Failed> try_all(const std::vector<std::string>&, ModelReport&, const Progress&);
  void try_cold(const std::vector<std::string>&, const std::vector<Failed>&, ModelReport&);
  void explain_all(const std::vector<Failed>&, ModelReport&);
  ModelFailure explain(Worker&, const Failed&);
  void explain_crashed_recovery(Worker&, const Failed&, ModelFailure&);
  void explain_crashed_run(Worker&, const Failed&, ModelFailure&);
  std::string place_of(u32 persist) const;
  /// Of the states in which the recovery of this one is crashed.
  u64 recovery_seed(const std::string& state) const;

  const CrashPlan& plan_;
  const ModelPlan& model_;
  bool made_pools_ = false;  // the run began without them
  bool shares_pools_ = false;
  std::unique_ptr<check::EventFile> events_;
  check::PersistGraph graph_;
  std::unique_ptr<check::AcknowledgedProgress> acknowledged_, mapped_;
  std::unique_ptr<check::CrashStates> states_;
  std::vector<std::filesystem::path> pool_paths_;
  ImageVerdicts nested_, explained_;
  double record_seconds_ = 0, build_seconds_ = 0;
};

/// Prints the report as text or as JSON; `again` gives the command that replays a state.
void print_report(const ModelReport&, bool json, const std::function<std::string(const ModelFailure&)>& again);

}  // namespace ew::cli
