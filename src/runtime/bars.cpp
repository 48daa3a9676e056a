#include "runtime/bars.hpp"

#include <fmt/format.h>

namespace ew::runtime {

void Bars::add(u32 group, u32 track, u64 begin, u64 end, std::string_view what) {
  if (group >= ends_.size()) ends_.resize(group + 1);
  std::vector<u64>& tracks = ends_[group];
  if (track >= tracks.size()) tracks.resize(track + 1);
  u64& last = tracks[track];
  if ((begin < last || end < begin) && mistake_.empty())
    mistake_ = fmt::format(
        "bars of one engine do not overlap  (It does one thing at a time.)\n"
        "  {} lasts from {} ns to {} ns, the bar before it on track {} of group {} to {} ns",
        what, begin, end, track, group, last);
  last = end;
}

}  // namespace ew::runtime
