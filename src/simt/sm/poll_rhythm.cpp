#include "simt/sm/poll_rhythm.hpp"

#include <algorithm>
#include <utility>

namespace ew::simt {
namespace {

constexpr u32 least_steady = 8;      // periods that are alike
constexpr u32 period_tolerance = 8;  // alike: they differ by less than this part of one

}  // namespace

bool PollRhythm::note(const Access& a, u32 issued, u32 found_new, Cycle now) {
  const Cycle before = std::exchange(period, now - std::exchange(last, now));
  const u32 since_last = issued - std::exchange(issues, issued);
  const bool same = pc == a.op.pc && line == a.parts[0].line && lanes == a.op.lanes && generation == a.generation &&
                    news == found_new && instructions == since_last;
  if (same && std::max(period, before) - std::min(period, before) <= before / period_tolerance)
    return ++steady >= least_steady;
  pc = a.op.pc;
  line = a.parts[0].line;
  lanes = a.op.lanes;
  generation = a.generation;
  news = found_new;
  instructions = since_last;
  steady = 0;
  since = now;
  return false;
}

}  // namespace ew::simt
