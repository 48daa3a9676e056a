#include "cli/batch_settings.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>

#include "cli/run_settings.hpp"
#include "core/diagnostics.hpp"

namespace ew::cli {

using namespace process;

namespace fs = std::filesystem;

void BatchSettings::add_jobs(CLI::App& verb) {
  verb.add_option("-j,--jobs", jobs, "Runs at once (default: the number of cores; 1 in a task of Slurm)")
      ->type_name("N")
      ->check(whole_number(1));
}

void BatchSettings::add_options(CLI::App& verb, const std::string& folder) {
  verb.add_option("--out", out, "Output folder (default: " + folder + ")")->type_name("FOLDER");
  verb.add_flag("--resume", resume, "Take what is finished in the output folder, and make the rest");
  CLI::Option* const on_slurm =
      verb.add_flag("--slurm", slurm, "As a job array of Slurm; waits for its end. Every node must see the folders");
  verb.add_option("--slices", slurm_request.slices, "Of --slurm: tasks of the array (default: one for each run)")
      ->type_name("N")
      ->check(whole_number(1))
      ->needs(on_slurm);
  verb.add_option("--sbatch", slurm_request.sbatch,
                  "Of --slurm: one more option of sbatch, as in --sbatch=--partition=long")
      ->type_name("OPTION")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->needs(on_slurm);
  // Typed by the array's script alone.
  verb.add_option("--slice", slice)->type_name("K/N")->group("");
}

unsigned BatchSettings::jobs_or_default() const {
  if (jobs) return jobs;
  return slurm ? 1 : std::max(1u, std::thread::hardware_concurrency());
}

BatchOptions BatchSettings::options(const std::string& verb, const std::string& otherwise) const {
  BatchOptions options{.verb = verb,
                       .folder = fs::absolute(out.empty() ? otherwise : out).lexically_normal(),
                       .jobs = jobs_or_default(),
                       .resume = resume,
                       .slice = {},
                       .slurm = slurm ? std::optional(slurm_request) : std::nullopt,
                       .is_complete = {}};
  if (!is_slice()) return options;
  Slice part;
  char rest = 0;
  if (std::sscanf(slice.c_str(), "%u/%u%c", &part.number, &part.of, &rest) != 2 || part.number >= part.of)
    throw core::UserError("--slice should be K/N with K below N, but is \"" + slice + "\"");
  options.slice = part;
  return options;
}

}  // namespace ew::cli
