// DRF0 (Adve and Hill; thesis, section 3.2): scopes and orders that the program says are ignored. Each strong access
// synchronises, with all threads. What GD, DD and DD+RO of the thesis run under.
#include "consistency/drf.hpp"
#include "consistency/models.hpp"

namespace ew::consistency {

memory::Consistency drf0() {
  memory::Consistency model = sequential_synchronisation();
  model.name = "drf0";
  model.sentence = "DRF0: each atomic and volatile access synchronises with all threads, whatever its scope and order.";
  model.least_scope = Scope::gpu;
  return model;
}

}  // namespace ew::consistency
