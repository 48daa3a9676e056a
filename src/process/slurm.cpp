#include "process/slurm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <map>
#include <sstream>

#include "core/diagnostics.hpp"
#include "core/files.hpp"

namespace ew::process {

namespace fs = std::filesystem;
using core::UserError;

namespace {

std::string without_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

fs::path job_file(const fs::path& slurm) {
  return slurm / "job";
}

}  // namespace

std::string own_command_with_slice(std::string_view slice) {
  Words words = own_words();
  // The verb is the first word; what follows it may belong to a program.
  const Words begin{fs::read_symlink("/proc/self/exe").string(), words.at(0)};
  words.erase(words.begin());
  return fmt::format("{} --slice {} {}", shell_line(begin), slice, shell_line(words));
}

SlurmArray SlurmArray::submit(const fs::path& folder, std::string_view name, unsigned slices, unsigned cpus,
                              const SlurmRequest& request) {
  if (!find_program("sbatch"))
    throw UserError("--slurm: there is no sbatch here (Debian: apt-get install slurm-client)");
  SlurmArray array;
  array.folder_ = folder / "slurm";
  array.slices_ = slices;
  const fs::path script = array.folder_ / "array.sh";
  const std::string slice = fmt::format("\"$SLURM_ARRAY_TASK_ID\"/{}", slices);
  core::write_file(script, fmt::format("#!/bin/sh\nexec {}\n", own_command_with_slice(slice)));
  Words words{"sbatch",
              "--parsable",
              fmt::format("--array=0-{}", slices - 1),
              fmt::format("--job-name={}", name),
              fmt::format("--cpus-per-task={}", cpus),
              fmt::format("--output={}", (array.folder_ / "task-%a.txt").string()),
              fmt::format("--chdir={}", fs::current_path().string())};
  words.insert(words.end(), request.sbatch.begin(), request.sbatch.end());
  words.push_back(script.string());
  const Outcome outcome = run(words, {.capture = Capture::both, .no_input = true});
  if (outcome.status != 0)
    throw UserError(
        fmt::format("--slurm: {} {}:\n{}", shell_line(words), how_it_ended(outcome), without_end(outcome.output)));
  // "42", or "42;cluster"; what sbatch warns of stands before it.
  const std::string said = without_end(outcome.output);
  const std::string last = said.substr(said.rfind('\n') + 1);
  array.job_ = last.substr(0, last.find(';'));
  core::write_file(job_file(array.folder_), fmt::format("{} {}\n", array.job_, slices));
  return array;
}

std::optional<SlurmArray> SlurmArray::still_queued(const fs::path& folder) {
  SlurmArray array;
  array.folder_ = folder / "slurm";
  std::istringstream job(core::content_of(job_file(array.folder_)));
  if (!(job >> array.job_ >> array.slices_) || array.slices_ == 0 || !find_program("squeue")) return std::nullopt;
  return array.in_queue() ? std::optional(std::move(array)) : std::nullopt;
}

std::optional<std::string> SlurmArray::in_queue() const {
  const Outcome outcome = run({"squeue", "--noheader", "--array", "--format=%T", "--jobs", job_},
                              {.capture = Capture::both, .timeout_seconds = 60, .no_input = true});
  if (outcome.status != 0) {
    // Slurm forgets a job some minutes after its end. Any other trouble is Slurm's own, and may pass.
    if (outcome.output.find("Invalid job id") != outcome.output.npos) return std::nullopt;
    return "squeue does not answer";
  }
  std::map<std::string, unsigned> states;
  std::istringstream lines(outcome.output);
  for (std::string state; lines >> state;) {
    for (char& c : state) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    ++states[state];
  }
  if (states.empty()) return std::nullopt;
  std::string text;
  for (const auto& [state, count] : states) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state);
  return text;
}

fs::path SlurmArray::output_of(unsigned slice) const {
  return folder_ / fmt::format("task-{}.txt", slice);
}

}  // namespace ew::process
