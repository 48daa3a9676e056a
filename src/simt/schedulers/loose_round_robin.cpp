#include "simt/schedulers/models.hpp"

namespace ew::simt {

u32 loose_round_robin(const WarpChoice& choice) {
  return next_behind(choice.candidates, choice.last);
}

}  // namespace ew::simt
