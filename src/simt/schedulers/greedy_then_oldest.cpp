// Rogers, O'Connor, Aamodt: Cache-Conscious Wavefront Scheduling (MICRO 2012), section 3.
#include "simt/schedulers/models.hpp"

namespace ew::simt {

u32 greedy_then_oldest(const WarpChoice& choice) {
  if ((choice.candidates >> choice.last) & 1) return choice.last;
  return oldest_of(choice.candidates, choice.age);
}

}  // namespace ew::simt
