#include "simt/schedulers/models.hpp"

namespace ew::simt {

namespace {

u32 choose(const WarpChoice& choice) {
  return next_behind(choice.candidates, choice.last);
}

}  // namespace

SchedulerPolicy schedulers::loose_round_robin() {
  return {"lrr", "Loose round robin: the next warp behind the one that issued last.", choose};
}

}  // namespace ew::simt
