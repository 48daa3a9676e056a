// Recovers crash states of a recorded program, for one thread: builds the image of a state, and runs the recovery on
// it. With `--nested 2` it crashes that recovery too. A worker refers to the program, which outlives it.
#pragma once

#include <string>

#include "check/crash/image_verdicts.hpp"
#include "check/crash/recorded_program.hpp"
#include "check/crash/recovery.hpp"
#include "check/persist_graph.hpp"
#include "check/pool_image.hpp"

namespace ew::check {

struct FailedState {
  std::string state;
  PersistSet set;
  process::Outcome outcome;
  std::string nested, nested_place;  // the state in which the recovery was crashed, and its place in the program
};

/// The seed that chooses in which states the recovery of this state is crashed.
u64 recovery_seed(const CrashPlan&, const std::string& state);

class StateWorker {
 public:
  /// `warm`: as Recovery takes it.
  StateWorker(const RecordedProgram&, bool warm);

  /// Makes the image of a set, and the largest progress that can have been acknowledged. The calls below use both.
  void build(const PersistSet&);
  /// The recovery is told this progress instead.
  void tell_acknowledged(u64 acknowledged) { acknowledged_ = acknowledged; }
  /// A digest of the image and of what was acknowledged.
  u64 digest() const;
  PoolFiles pool_files() const { return program_.files(image_, pools_); }
  u64 acknowledged() const { return acknowledged_; }
  process::Outcome recover() { return recovery_.run(pool_files(), acknowledged_); }
  /// The recovery of no_pool: the program had made no pool yet.
  process::Outcome recover_nothing() { return recovery_.run({}); }

  /// build() and recover() at once.
  process::Outcome judge(const PersistSet&);
  bool passes(const PersistSet& set) { return judge(set).status == 0; }

  /// Crashes the recovery of the state that was built, or of no_pool, in states that the model allows; then recovers
  /// each image that this leaves. `verdicts` remembers the outcome for each image. True: all were recovered. Else
  /// `failed` has the first that was not.
  bool survives_crash(const std::string& state, ImageVerdicts& verdicts, FailedState& failed);
  /// The number of states in which recoveries were crashed.
  u64 nested() const { return nested_; }

  Recovery& recovery() { return recovery_; }
  Reach& reach() { return reach_; }

 private:
  const RecordedProgram& program_;
  Recovery recovery_;
  PoolImage image_;
  Reach reach_;
  std::size_t pools_ = 0;  // the number of pools that the program had mapped (the first ones)
  u64 acknowledged_ = 0;
  u64 nested_ = 0;
};

}  // namespace ew::check
