#include "cli/provenance.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "core/configuration.hpp"
#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace fs = std::filesystem;

std::string host_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      return fmt::format("{} x {}", std::thread::hardware_concurrency(), line.substr(line.find(':') + 2));
  return fmt::format("{} cores", std::thread::hardware_concurrency());
}

std::string source_commit() {
  const std::string home = core::home_directory().string();
  const auto git = [&](Words words) {
    words.insert(words.begin(), {"git", "-C", home});
    return run(words, {.capture = Capture::standard_output, .no_input = true});
  };
  if (!fs::exists(home + "/.git") || !find_program("git")) return "unknown";  // installed, or a copy on a bare machine
  Outcome commit = git({"rev-parse", "--short=12", "HEAD"});
  if (commit.status != 0) return "unknown";
  while (commit.output.ends_with('\n')) commit.output.pop_back();
  return commit.output + (git({"status", "--porcelain", "--untracked-files=no"}).output.empty() ? "" : "+");
}

}  // namespace ew::cli
