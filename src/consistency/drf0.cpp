// DRF0 (Adve and Hill; thesis, section 3.2): scopes and orders that the program says are ignored. Each strong access
// synchronises, with all threads, and synchronisations of a thread are over in their order. What GD, DD and DD+RO of
// the thesis run under.
#include "consistency/models.hpp"

namespace ew::consistency {

memory::Consistency drf0() {
  using memory::OrderClass;
  memory::Consistency model = ptx();
  model.name = "drf0";
  model.sentence = "DRF0: each atomic and volatile access synchronises with all threads, whatever its scope and order.";
  model.axioms = {.strong_synchronise = true, .least_scope = Scope::sys, .one_order = true};
  model.all_synchronise = true;
  model.wait[static_cast<u32>(OrderClass::release)][static_cast<u32>(OrderClass::acquire)] = memory::Reached::visible;
  model.least_scope = Scope::gpu;
  return model;
}

}  // namespace ew::consistency
