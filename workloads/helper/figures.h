// The numbers of a run that figures show, printed as lines "figure NAME VALUE" (docs/reproduce.md). With --timeline N:
// N ns are a bin of the run's timeline, and the run is cut into 50 stretches of equal length, 01 to 50.
#pragma once
#include <everwarp/tx.cuh>
#include <vector>

namespace helper {

constexpr unsigned stretches = 50;

inline void figure(const char* name, double value) {
  printf("figure %s %.10g\n", name, value);
}
inline void figure_at(const char* name, unsigned at, double value) {
  printf("figure %s_%02u %.10g\n", name, at, value);
}

/// The bins of a stretch, added up.
struct Stretch {
  double ns = 0, bytes = 0, commits = 0, looks = 0, occupancy = 0, starts = 0, with_helpers = 0;

  Stretch(const tx::Timeline& timeline, unsigned begin, unsigned end, unsigned bin_ns)
      : ns(1.0 * (end - begin) * bin_ns) {
    for (unsigned i = begin; i < end; ++i) {
      const tx::TimelineBin& bin = timeline.bins[i];
      bytes += bin.bytes;
      commits += bin.commits;
      looks += bin.looks;
      occupancy += bin.occupancy;
      starts += bin.starts;
      with_helpers += bin.with_helpers;
    }
  }
};

/// Pairs that the rings have held when helpers looked, by per cent of the looks: to a 32nd of the ring.
inline void print_occupancy(const tx::Statistics& s, unsigned ring) {
  unsigned long long all = 0;
  for (unsigned long long n : s.occupancy) all += n;
  if (all == 0) return;
  for (unsigned percent = 10; percent <= 100; percent += 10) {
    unsigned long long seen = 0;
    unsigned bin = 0;
    while (bin + 1 < tx::occupancy_bins && 100 * (seen += s.occupancy[bin]) < percent * all) ++bin;
    printf("figure ring_below_%u %.10g\n", percent, (bin + 1.0) * ring / tx::occupancy_bins);
  }
}

/// REQUIRES: before settle(), and the kernels have ended.
inline void print_figures(const tx::Space& space) {
  const unsigned bin_ns = space.options.timeline;
  if (bin_ns == 0) return;
  const tx::Statistics s = tx::statistics(space);
  const tx::Timeline timeline = tx::timeline(space);
  int clock_khz = 0;
  cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0);
  const double per_commit = 1e6 / clock_khz / static_cast<double>(s.commits + s.read_only);
  figure("executing_ns", static_cast<double>(s.executing) * per_commit);
  figure("persisting_ns", static_cast<double>(s.persisting) * per_commit);
  figure("aborts_per_commit", static_cast<double>(s.aborts) / static_cast<double>(s.commits));
  figure("switched", static_cast<double>(s.switched_on + s.switched_off));
  print_occupancy(s, space.options.ring);
  unsigned end = tx::timeline_bins;
  while (end > 1 && timeline.bins[end - 1].bytes + timeline.bins[end - 1].commits == 0) --end;
  if (end == tx::timeline_bins) {
    fprintf(stderr, "--timeline %u is too short: the run is longer than %u bins\n", bin_ns, tx::timeline_bins);
    exit(2);
  }
  double peak = 0, bytes = 0, starts = 0, with_helpers = 0;
  unsigned gap = 0, longest = 0, first = end, last = 0;
  for (unsigned i = 0; i < end; ++i) {
    const Stretch one(timeline, i, i + 1, bin_ns);
    peak = std::max(peak, 1000 * one.bytes / one.ns);
    bytes += one.bytes;
    starts += one.starts;
    with_helpers += one.with_helpers;
    if (one.commits == 0) {
      ++gap;
      continue;
    }
    if (first != end) longest = std::max(longest, gap);
    first = std::min(first, i);
    last = i;
    gap = 0;
  }
  const double commits = Stretch(timeline, 0, end, bin_ns).commits;
  figure("persisted_mbps", 1000 * bytes / (1.0 * end * bin_ns));
  figure("persisted_mbps_peak", peak);
  figure("gap_longest_us", 0.001 * longest * bin_ns);
  figure("gap_mean_ns", commits == 0 ? 0 : 1.0 * (last + 1 - first) * bin_ns / commits);
  figure("with_helpers_percent", starts == 0 ? 0 : 100 * with_helpers / starts);
  for (unsigned i = 0; i < stretches; ++i) {
    const unsigned begin = i * end / stretches, behind = std::max(begin + 1, (i + 1) * end / stretches);
    const Stretch one(timeline, begin, behind, bin_ns);
    figure_at("persisted_mbps", i + 1, 1000 * one.bytes / one.ns);
    figure_at("commits_per_us", i + 1, 1000 * one.commits / one.ns);
    figure_at("ring", i + 1, one.looks == 0 ? 0 : one.occupancy / one.looks);
    figure_at("with_helpers_percent", i + 1, one.starts == 0 ? 0 : 100 * one.with_helpers / one.starts);
  }
}

}  // namespace helper
