#include "host/work.hpp"

#include <algorithm>
#include <cstring>

namespace ew::host {

/// A share ends at the end of a line of the destination.
Share share_of(const Step& step, u32 thread) {
  const u64 first = step.to / host_line, lines = step.bytes ? (step.to + step.bytes - 1) / host_line - first + 1 : 0;
  const u64 each = (lines + step.threads - 1) / step.threads;
  const auto at = [&](u64 line) {
    const u64 address = (first + std::min(line, lines)) * host_line;
    return std::clamp(address, step.to, step.to + step.bytes) - step.to;
  };
  return {at(thread * each), at((thread + 1) * each)};
}

void perform(const Work& work) {
  for (const Step& step : work.steps) {
    if (step.act == Act::errand) step.errand->perform(step.from);
    if (step.act != Act::copy && step.act != Act::stream) continue;
    if (step.from)
      std::memmove(reinterpret_cast<void*>(step.to), reinterpret_cast<const void*>(step.from), step.bytes);
    else
      std::memset(reinterpret_cast<void*>(step.to), 0, step.bytes);
  }
}

}  // namespace ew::host
