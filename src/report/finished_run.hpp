// One finished run, read from its directory: resolved.toml (the machine), stats.json (what the simulator counted) and
// env.json (what ran, when, on what). A run directory is complete or absent: whoever makes one renames it into place.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "report/study.hpp"

namespace ew::report {

/// What a study names of a run: a kernel, a range of the host's work, a number that the program prints.
enum class MeasuredName { kernel, range, printed };

class FinishedRun {
 public:
  /// Nothing when the directory is not there or not complete.
  static std::optional<FinishedRun> read(const std::filesystem::path& directory);

  const std::filesystem::path& directory() const { return directory_; }
  const nlohmann::ordered_json& environment() const { return environment_; }
  std::string text(std::string_view key) const;  // of env.json; empty when it is not there
  double wall_seconds() const;
  u64 peak_bytes() const;  // most memory that the process had; 0: nobody looked
  u64 warp_instructions() const;
  /// Every number of the whole run by its name: what is counted always, what a timing machine counts, what is made from
  /// that, and times.
  std::vector<std::pair<std::string, double>> figures() const;
  std::string resolved_machine() const;

  /// A time in ns, or a sum of statistics. Of `kernels`, added over the kernels of these names (all when there are
  /// none): nothing when a name matched no kernel or the run kept no row for some of its kernels. Of `copies`, and of
  /// the whole `program`, names do not matter. `count_launches`: a kernel's time has the launch.latency of the run's
  /// machine on top.
  std::optional<double> measure(const Metric& metric, Span, const std::vector<std::string>& kernels,
                                bool count_launches = false) const;
  /// The time in ns of the host's ranges of this name, added up; nothing when there is none, or rows are missing.
  std::optional<double> range_time(std::string_view name) const;

  /// The number of the program's line "figure NAME VALUE", the last one of this name; nothing when there is none. What
  /// the program says of the first of `kernels`, as "KERNEL.NAME", goes before what it says of all.
  std::optional<double> printed(const std::string& name, const std::vector<std::string>& kernels) const;

  /// Every name of this kind that the run has; nothing when rows were left out.
  std::optional<std::set<std::string>> names(MeasuredName) const;

 private:
  double launch_nanoseconds() const;
  std::optional<double> measure_whole(const Metric&, Span) const;
  std::optional<double> measure_kernels(const Metric&, const std::vector<std::string>& kernels, double launch) const;

  std::filesystem::path directory_;
  nlohmann::ordered_json statistics_, environment_;
};

/// "_ZN12_GLOBAL__N_16insertENS_5StoreE" -> "insert": without parameters, templates and namespaces.
std::string short_kernel_name(std::string_view symbol);

}  // namespace ew::report
