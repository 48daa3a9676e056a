// Sequential consistency (Lamport 1979): each thread's accesses take effect in program order and at once for all. Every
// access waits until the one before it is performed, and visible if it writes; every access is strong, at the widest
// scope.
#include "consistency/models.hpp"

namespace ew::consistency {

memory::Consistency sc() {
  memory::Consistency model;
  model.name = "sc";
  model.sentence = "Sequential consistency: an access waits until the one before it is visible to everyone.";
  model.axioms = {.all_strong = true, .least_scope = Scope::sys, .one_order = true};
  for (auto& row : model.wait) row.fill(memory::Reached::visible);
  model.widest_private = Scope::none;
  model.least_scope = Scope::sys;
  return model;
}

}  // namespace ew::consistency
