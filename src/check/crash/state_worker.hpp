// One thread's means to recover crash states of a recorded program: builds the image of a state and lets the recovery
// run on it; and, with `--nested 2`, crashes that recovery in its turn. A worker refers to the program, which outlives
// it, and belongs to one thread.
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
  std::string nested, nested_place;  // the state in which the recovery was crashed, and where that ends
};

/// Of the states in which the recovery of this one is crashed.
u64 recovery_seed(const CrashPlan&, const std::string& state);

class StateWorker {
 public:
  /// `warm`: as Recovery takes it.
  StateWorker(const RecordedProgram&, bool warm);

  /// The image of a set, and the most that can have been acknowledged. What follows is about these.
  void build(const PersistSet&);
  /// The recovery is told less than that.
  void tell_acknowledged(u64 acknowledged) { acknowledged_ = acknowledged; }
  /// Equal for equal images of which as much was acknowledged.
  u64 digest() const;
  PoolFiles pool_files() const { return program_.files(image_, pools_); }
  u64 acknowledged() const { return acknowledged_; }
  process::Outcome recover() { return recovery_.run(pool_files(), acknowledged_); }
  /// Where the program had made no pool yet.
  process::Outcome recover_nothing() { return recovery_.run({}); }

  /// Both at once.
  process::Outcome judge(const PersistSet&);
  bool passes(const PersistSet& set) { return judge(set).status == 0; }

  /// The recovery of the state that was built, or of no_pool, is crashed in states that the model allows it to leave,
  /// and what that leaves is recovered; `verdicts` remembers what becomes of each image. True: all of it was; else
  /// `failed` says of what not.
  bool survives_crash(const std::string& state, ImageVerdicts& verdicts, FailedState& failed);
  /// So many states in which recoveries were crashed.
  u64 nested() const { return nested_; }

  Recovery& recovery() { return recovery_; }
  Reach& reach() { return reach_; }

 private:
  const RecordedProgram& program_;
  Recovery recovery_;
  PoolImage image_;
  Reach reach_;
  std::size_t pools_ = 0;  // that the program had mapped: the first ones
  u64 acknowledged_ = 0;
  u64 nested_ = 0;
};

}  // namespace ew::check
