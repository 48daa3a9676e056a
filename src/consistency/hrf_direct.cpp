// HRF-Direct (Hower et al., ASPLOS 2014; thesis, section 2.3): as HRF-Indirect, but threads that communicate must
// synchronise with operations of one scope that includes both. What a thread has got from its block by a
// synchronisation of the block, a release at a wider scope does not hand on: it drains what its own warp has stored.
#include "consistency/models.hpp"

namespace ew::consistency {

memory::Consistency hrf_direct() {
  memory::Consistency model = hrf();
  model.name = "hrf-direct";
  model.sentence =
      "HRF-Direct: as hrf, but a release drains only its own warp's stores: threads synchronise at one scope.";
  model.axioms.across_scopes = false;
  model.drained = memory::Consistency::Drained::of_the_warp;
  return model;
}

}  // namespace ew::consistency
