#include "cli/test_build.hpp"

#include <cstdio>
#include <sstream>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

// What ninja says of itself: its steps, which edge failed, and the command line behind that.
std::string without_ninjas_words(const std::string& output) {
  std::istringstream lines(output);
  std::string text;
  bool command_follows = false;
  for (std::string line; std::getline(lines, line);) {
    const bool command = command_follows;
    command_follows = line.starts_with("FAILED: ");
    if (command || command_follows || line.starts_with('[') || line.starts_with("ninja: ")) continue;
    text += line + '\n';
  }
  return text.empty() ? output : text;
}

}  // namespace

bool build_everything(const fs::path& folder, const BuildProgress& progress) {
  const auto each_line = [&](std::string_view line) {
    unsigned done = 0, all = 0;
    if (std::sscanf(std::string(line).c_str(), "[%u/%u]", &done, &all) == 2) progress(done, all);
  };
  const Outcome outcome = run({"ninja", "-C", folder.string(), "-k", "0", "all"},
                              {.capture = Capture::both, .no_input = true, .each_line = each_line});
  return outcome.status == 0;
}

std::string build_target(const fs::path& folder, const std::string& target) {
  const Outcome outcome = run({"ninja", "-C", folder.string(), target}, {.capture = Capture::both, .no_input = true});
  return outcome.status == 0 ? "" : without_ninjas_words(outcome.output);
}

}  // namespace ew::cli
