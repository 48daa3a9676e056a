// DeNovoA with read-only regions (thesis, section 2.4: DD+RO). An acquire does not drop words that were loaded as
// read-only: by ld.nc, until the kernel ends; by everwarp::read_only (sync.cuh), until a copy writes memory.
#include "coherence/models.hpp"

namespace ew::coherence {

Model denovo_ro() {
  Model model = denovo();
  model.name = "denovo-ro";
  model.sentence = "denovo, and words that were loaded as read-only (ld.nc, everwarp::read_only) survive acquires.";
  model.agent.keeps_read_only = true;
  return model;
}

}  // namespace ew::coherence
