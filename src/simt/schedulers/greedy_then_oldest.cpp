// Rogers, O'Connor, Aamodt: Cache-Conscious Wavefront Scheduling (MICRO 2012), section 3.
#include "simt/schedulers/models.hpp"

namespace ew::simt {

namespace {

u32 choose(const WarpChoice& choice) {
  if ((choice.candidates >> choice.last) & 1) return choice.last;
  return oldest_of(choice.candidates, choice.age);
}

}  // namespace

SchedulerPolicy schedulers::greedy_then_oldest() {
  return {.name = "gto",
          .sentence = "The warp that issued last goes on; when it cannot, the one that has been on the SM for longest.",
          .choose = choose,
          .greedy = true};
}

}  // namespace ew::simt
