// What the sbrp model does only to imitate the simulator of the SBRP paper (its artifact), where that differs from the
// paper. Four words of the section [sbrp] ask for it; by default nothing here holds. A value of the model; its parts
// read the field that concerns them. The artifact's epoch runs are a model of their own: epoch_artifact.cpp.
#pragma once

#include "persistency/persist_buffer.hpp"
#include "persistency/sbrp_config.hpp"

namespace ew::persistency {

struct SbrpArtifact {
  explicit SbrpArtifact(const SbrpConfig& config)
      : caps_all(config.policy == "capped"),
        head_only(config.leaving == "head"),
        merges_past(config.merge == "past-others"),
        acquires_wait(config.acquires == "waiting") {}

  /// The window is a cap for persists that a warp waits for, too. Only what makes room for a warp passes it.
  bool caps_all;
  /// Only the oldest entry leaves, and a persist that waits holds all behind it. Every wait ends when nothing is in
  /// flight any more, an order operation puts all its warps into the FSM, and so does a store that is held.
  bool head_only;
  /// An order operation joins an older entry of its type past persists of other warps. That loses order between
  /// threads: what the operation acquired may be among them.
  bool merges_past;
  /// A pAcq above block scope waits until every older persist of its SM is durable, in a failed iteration of a spin,
  /// too.
  bool acquires_wait;
};

/// merges_past: the youngest entry of this type and flag that no entry of these warps follows, or none.
PersistBuffer::Place entry_past_others(const PersistBuffer&, EntryType, u64 warps, u32 flag);

}  // namespace ew::persistency
