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
  std::optional<u32> absent, present;  // the missing order: `absent` should be durable before `present`
  std::vector<std::string> widen;      // scope_bug: what is too narrow
  u64 acknowledged = 0;                // what the recovery was told
  int status = 0;
  std::string output;
  u64 alike = 1;  // failed states that end in the same place of the program
};

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
  /// "kvs.cu:117: 8 bytes at kvs.pool+0x80 = 0x5, by thread 7 of launch 3 (insert)".
  std::string describe(u32 persist) const;

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
    Outcome judge(const check::PersistSet&, u64 acknowledged);
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
    bool tells = true;  // false: no recovery is told of acknowledgements
    u64 nested = 0;     // states in which recoveries were crashed

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
  bool explain_acknowledgement(Worker&, const Failed&, ModelFailure&);
  void find_class(Worker&, const check::PersistSet&, ModelFailure&);
  void find_widening(ModelFailure&);
  std::string place_of(u32 persist) const;

  const CrashPlan& plan_;
  const ModelPlan& model_;
  bool made_pools_ = false;  // the run began without them
  bool shares_pools_ = false;
  std::unique_ptr<check::EventFile> events_;
  check::PersistGraph graph_, wide_;
  std::unique_ptr<check::AcknowledgedProgress> acknowledged_, mapped_;
  std::unique_ptr<check::CrashStates> states_;
  std::vector<std::filesystem::path> pool_paths_;
  ImageVerdicts nested_;
  double record_seconds_ = 0, build_seconds_ = 0;
};

/// Prints the report as text or as JSON; `again` gives the command that replays a state.
void print_report(const ModelReport&, const ModelCampaign&, bool json,
                  const std::function<std::string(const ModelFailure&)>& again);

}  // namespace ew::cli
