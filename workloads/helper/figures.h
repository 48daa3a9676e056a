// The numbers of a run that figures show, printed as lines "figure NAME VALUE" (docs/reproduce.md), NAME behind the
// kernel's name and a point; for the whole run without. With --timeline N: N ns are a bin of the run's timeline, and
// each kernel's time is cut into 50 stretches of equal length, 1 to 50. Rates are those of the whole GPU: --part N says
// that the machine is an Nth of it.
#pragma once
#include <everwarp/tx.cuh>
#include <string>
#include <vector>

namespace helper {

constexpr unsigned stretches = 50;

/// Bins of the timeline, added up.
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
  double mean_occupancy() const { return looks == 0 ? 0 : occupancy / looks; }
  double helpers_percent() const { return starts == 0 ? 0 : 100 * with_helpers / starts; }
};

/// What a space has counted, and kept over time, up to a moment.
struct Moment {
  tx::Statistics counted;
  tx::Timeline timeline;
  unsigned end = 0;  // behind the last bin that is not empty

  explicit Moment(const tx::Space& space) : counted(tx::statistics(space)), timeline(tx::timeline(space)) {
    end = tx::timeline_bins;
    while (end > 0 && timeline.bins[end - 1].bytes == 0 && timeline.bins[end - 1].commits == 0) --end;
  }
  Moment() : counted(), timeline() {}
};

class Figures {
 public:
  /// Of what has happened from one moment to another.
  Figures(const tx::Space& space, std::string kernel, const Moment& from, const Moment& to, double part)
      : space_(space), prefix_(kernel.empty() ? "" : kernel + "."), from_(from), to_(to), part_(part) {}

  void print() const {
    int clock_khz = 0;
    cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0);
    const tx::Statistics &a = from_.counted, &b = to_.counted;
    const double commits = static_cast<double>(b.commits + b.read_only - a.commits - a.read_only);
    const double ns_per_commit = 1e6 / clock_khz / commits;
    line("executing_ns", static_cast<double>(b.executing - a.executing) * ns_per_commit);
    line("persisting_ns", static_cast<double>(b.persisting - a.persisting) * ns_per_commit);
    line("aborts_per_commit", static_cast<double>(b.aborts - a.aborts) / commits);
    line("switched", static_cast<double>(b.switched_on + b.switched_off - a.switched_on - a.switched_off));
    print_occupancy();
    print_rates();
    print_stretches();
  }

 private:
  void line(const std::string& name, double value) const {
    printf("figure %s%s %.10g\n", prefix_.c_str(), name.c_str(), value);
  }
  void line(const char* name, unsigned at, double value) const {
    line(std::string(name) + "_" + std::to_string(at), value);
  }
  Stretch bins(unsigned begin, unsigned end) const {
    return Stretch(to_.timeline, begin, end, space_.options.timeline);
  }
  /// Pairs that the rings have held when helpers looked, by per cent of the looks: to a 32nd of the ring.
  void print_occupancy() const {
    unsigned long long counts[tx::occupancy_bins], all = 0;
    for (unsigned i = 0; i < tx::occupancy_bins; ++i)
      all += counts[i] = to_.counted.occupancy[i] - from_.counted.occupancy[i];
    if (all == 0) return;
    for (unsigned percent = 10; percent <= 100; percent += 10) {
      unsigned long long seen = 0;
      unsigned bin = 0;
      while (bin + 1 < tx::occupancy_bins && 100 * (seen += counts[bin]) < percent * all) ++bin;
      line("ring_below", percent, (bin + 1.0) * space_.options.ring / tx::occupancy_bins);
    }
  }
  void print_rates() const {
    double peak = 0;
    unsigned gap = 0, longest = 0, first = to_.end, last = 0;
    for (unsigned i = from_.end; i < to_.end; ++i) {
      const Stretch one = bins(i, i + 1);
      peak = std::max(peak, rate(one));
      if (one.commits == 0) {
        ++gap;
        continue;
      }
      if (first != to_.end) longest = std::max(longest, gap);
      first = std::min(first, i);
      last = i;
      gap = 0;
    }
    const Stretch all = bins(from_.end, to_.end);
    const unsigned length = to_.end - from_.end, edge = length / 5;
    line("persisted_mbps", rate(all));
    line("persisted_mbps_steady", rate(bins(from_.end + edge, to_.end - edge)));  // without the first and last fifth
    line("persisted_mbps_peak", peak);
    line("gap_longest_us", 0.001 * longest * space_.options.timeline);
    line("gap_mean_ns", all.commits == 0 ? 0 : 1.0 * (last + 1 - first) * space_.options.timeline / all.commits);
    line("with_helpers_percent", all.helpers_percent());
  }
  void print_stretches() const {
    const unsigned length = to_.end - from_.end;
    for (unsigned i = 0; i < stretches; ++i) {
      const unsigned begin = from_.end + i * length / stretches, end = from_.end + (i + 1) * length / stretches;
      const Stretch one = bins(begin, std::max(begin + 1, end));
      line("persisted_mbps", i + 1, rate(one));
      line("commits_per_us", i + 1, 1000 * one.commits / one.ns);
      line("ring", i + 1, one.mean_occupancy());
      line("with_helpers_percent", i + 1, one.helpers_percent());
    }
  }
  double rate(const Stretch& stretch) const { return part_ * 1000 * stretch.bytes / stretch.ns; }

  const tx::Space& space_;
  const std::string prefix_;
  const Moment &from_, &to_;
  const double part_;
};

/// Prints the figures of each kernel, and of all.
class FigurePrinter {
 public:
  FigurePrinter(const tx::Space& space, double part) : space_(space), part_(part) {}

  /// A kernel has ended. REQUIRES: settle() comes later.
  void after(const char* kernel) {
    if (space_.options.timeline == 0) return;
    const Moment now(space_);
    if (now.end == tx::timeline_bins) {
      fprintf(stderr, "--timeline %u is too short: the run has more than %u bins\n", space_.options.timeline,
              tx::timeline_bins);
      exit(2);
    }
    Figures(space_, kernel, last_, now, part_).print();
    last_ = now;
  }
  void of_all() const {
    if (space_.options.timeline != 0) Figures(space_, "", Moment(), last_, part_).print();
  }

 private:
  const tx::Space& space_;
  double part_;
  Moment last_;
};

}  // namespace helper
