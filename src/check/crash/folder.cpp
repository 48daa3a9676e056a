#include "check/crash/folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <sstream>

#include "check/crash/pool_watch.hpp"
#include "core/diagnostics.hpp"
#include "runtime/environment.hpp"

namespace ew::check {

namespace fs = std::filesystem;
using core::UserError;

process::Words in_folder(const process::Words& words, const fs::path& folder) {
  process::Words result = words;
  for (std::string& word : result) {
    for (auto at = word.find("{}"); at != word.npos; at = word.find("{}", at)) word.replace(at, 2, folder.string());
  }
  return result;
}

process::Outcome run_in(const CrashPlan& plan, const process::Words& words, const fs::path& folder,
                        const process::Variables& more) {
  auto environment = plan.environment;
  environment.insert(environment.end(), more.begin(), more.end());
  return process::run(in_folder(words, folder), {.capture = process::Capture::both,
                                                 .environment = environment,
                                                 .directory = folder.string(),
                                                 .timeout_seconds = plan.timeout_seconds,
                                                 .no_input = true});
}

std::string run_program(const CrashPlan& plan, const fs::path& folder, const process::Variables& more) {
  const process::Outcome outcome = run_in(plan, plan.program, folder, more);
  if (outcome.status != 0)
    throw UserError(fmt::format("the program should succeed without a crash first, but it {}:\n{}",
                                process::how_it_ended(outcome), outcome.output));
  return outcome.output;
}

void with_output(const std::string& output, const std::function<void()>& use) {
  try {
    use();
  } catch (const UserError& mistake) {
    constexpr std::size_t most_lines = 10;
    std::size_t from = output.find_last_not_of(" \n");
    if (from == output.npos) throw;
    const std::string text = output.substr(0, from + 1);
    for (std::size_t lines = 0; lines < most_lines && from != text.npos && from > 0; ++lines)
      from = text.rfind('\n', from - 1);
    throw UserError(fmt::format("{}\nThe program said:\n{}\n", mistake.what(),
                                from == text.npos || from == 0 ? text : text.substr(from + 1)));
  }
}

std::string messages_in(const std::string& output) {
  // The lines behind a message that are indented belong to it.
  std::string messages;
  bool inside = false;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    inside = line.starts_with("everwarp: ") || (inside && line.starts_with("  "));
    if (inside) messages += line + "\n";
  }
  return messages;
}

std::set<fs::path> files_of(const fs::path& folder) {
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) files.insert(entry.path());
  return files;
}

std::string other_files(const fs::path& folder, const std::set<fs::path>& before, const std::vector<fs::path>& pools) {
  std::vector<std::string> others;
  for (const fs::path& path : files_of(folder)) {
    const fs::path name = fs::relative(path, folder);
    if (!before.contains(path) && fs::is_regular_file(path) && std::ranges::find(pools, name) == pools.end())
      others.push_back(name.string());
  }
  if (others.empty()) return {};
  constexpr std::size_t most = 3;
  const std::string list = fmt::format("{}", fmt::join(others | std::views::take(most), ", "));
  return fmt::format(
      "ew crash: the program has also made {}{}, no pool. A state has only pools, so its recovery does not find it: "
      "what is said of a state that needs it is not true. Write it into a pool, or try real crashes (--at without "
      "--machine)\n",
      list, others.size() > most ? fmt::format(" and {} more", others.size() - most) : "");
}

void run_recovery(const CrashPlan& plan, const fs::path& folder, const std::vector<fs::path>& pools) {
  PoolWatch watch(folder, pools);
  const process::Outcome outcome = run_in(plan, plan.recovery, folder);
  if (outcome.status != 0)
    throw UserError(fmt::format("the recovery should succeed after a run without a crash, but it {}:\n{}",
                                process::how_it_ended(outcome), outcome.output));
  // Some recoveries look at their pools only where progress was acknowledged.
  if (!watch.one_opened()) run_in(plan, plan.recovery, folder, {{runtime::Environment::acknowledged_name, "1"}});
  watch.expect_one_opened();
}

void copy_named_files(const process::Words& words, const fs::path& folder) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const fs::path path = words[i];
    std::error_code error;
    if (path.is_absolute() || words[i].find("..") != std::string::npos || !fs::is_regular_file(path, error)) continue;
    fs::create_directories(folder / path.parent_path(), error);
    fs::copy_file(path, folder / path, fs::copy_options::skip_existing, error);
  }
}

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const auto newline = text.rfind('\n');
  return newline == text.npos ? text : text.substr(newline + 1);
}

std::vector<fs::path> pool_paths(const EventFile& events, const fs::path& folder, bool& outside) {
  std::vector<fs::path> paths;
  const fs::path root = fs::weakly_canonical(folder);
  for (const auto& pool : events.pools()) {
    const fs::path relative = fs::weakly_canonical(pool.path).lexically_relative(root);
    const bool inside = !relative.empty() && *relative.begin() != "..";
    paths.push_back(inside ? relative : fs::path(pool.path));
    outside |= !inside;
  }
  return paths;
}

}  // namespace ew::check
