// Which runs a sweep consists of: one at each point of the product of its axes. All mistakes are found before any run
// starts. Values that outlive what is asked of them.
#pragma once

#include <string>
#include <vector>

#include "cli/machine_run.hpp"
#include "cli/sweep_request.hpp"
#include "core/diagnostics.hpp"
#include "report/sweep.hpp"

namespace ew::cli {

struct PlannedPoint {
  std::vector<std::size_t> at;  // the place on each axis
  std::string name;             // of the run; points that are the same run have the same name
  MachineRun run;
};

class SweepPlan {
 public:
  /// A core::UserError with every mistake of the request, a line each.
  explicit SweepPlan(const SweepRequest&);

  /// Axes, metrics and what is drawn; no rows yet.
  const report::Sweep& sweep() const { return sweep_; }
  const std::vector<PlannedPoint>& points() const { return points_; }

 private:
  void check_machines(const SweepRequest&);
  void check_settings(const SweepRequest&);
  void check_arguments(const SweepRequest&);
  void check_program(const SweepRequest&);
  void check_plot(const SweepRequest&);
  void add_axis(std::string name, std::vector<std::string> values, const std::string& place);
  void resolve_machines(const SweepRequest&);
  void make_points(const SweepRequest&);
  MachineRun run_at(const SweepRequest&, const std::vector<std::size_t>& at) const;
  template <class Work>
  void collect(Work&& work) {
    mistakes_.collect(++order_, std::forward<Work>(work));
  }

  report::Sweep sweep_;
  process::Words program_;  // the first word is an absolute path
  std::vector<PlannedPoint> points_;
  std::vector<MachineRun> machines_;  // for each choice of machine and settings
  core::Mistakes mistakes_;
  u32 order_ = 0;  // in which mistakes were found
};

}  // namespace ew::cli
