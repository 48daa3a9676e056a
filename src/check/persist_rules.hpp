// What a persistency model makes of the events of a run: the questions in which the models differ, as PersistBuilder
// and its parts ask them. A value.
#pragma once

#include "check/persist_graph.hpp"

namespace ew::check {

class PersistRules {
 public:
  explicit PersistRules(PersistModel model) : model_(model) {}

  /// Everything in the order of the run.
  bool strict() const { return model_ == PersistModel::strict; }
  bool epoch() const { return model_ == PersistModel::epoch; }
  bool gpm() const { return model_ == PersistModel::gpm; }
  /// Persists of a thread have no order of their own.
  bool unordered() const { return gpm() || model_ == PersistModel::gpm_ddio; }
  /// What threads tell each other, by order operations and by strong accesses, matters.
  bool synchronises() const { return !strict() && model_ != PersistModel::gpm_ddio; }
  /// A release is acquired by those alone whom its scope, and the acquire's, reach.
  bool scoped() const { return model_ == PersistModel::sbrp || widened(); }
  /// Every scope reaches the whole system.
  bool widened() const { return model_ == PersistModel::sbrp_sys || synced(); }
  /// Every strong access releases and acquires.
  bool synced() const { return model_ == PersistModel::sbrp_synced; }
  Scope wide(Scope scope) const { return widened() ? Scope::sys : scope; }

 private:
  PersistModel model_;
};

}  // namespace ew::check
