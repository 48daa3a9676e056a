// HRF-Indirect (Hower et al., ASPLOS 2014; thesis, section 2.3): DRF0 with scopes. A synchronisation within the private
// cache, of a block or of the blocks of one SM, neither drops copies nor drains stores. One at a wider scope does both
// for all threads of the SM, so what they have synchronised among themselves before goes with it. What GH and DH of the
// thesis run under.
#include "consistency/models.hpp"

namespace ew::consistency {

memory::Consistency hrf() {
  memory::Consistency model = drf0();
  model.name = "hrf";
  model.sentence =
      "HRF-Indirect: as drf0, but a synchronisation of a block, or of the blocks of an SM, stays in the private cache.";
  model.axioms.least_scope = Scope::none;
  model.least_scope = Scope::none;
  model.local_scopes = true;
  return model;
}

}  // namespace ew::consistency
