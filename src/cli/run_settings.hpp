// What every verb that runs a program can be told about the machine, and how the program is told (environment variables
// of runtime/environment.hpp).
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "process/run.hpp"
#include "runtime/machine_config.hpp"

namespace ew::cli {

struct RunSettings {
  std::string machine = "default";
  std::vector<std::string> settings;
  unsigned long long seed = 0;
  unsigned long long max_instructions = 0;
  std::string statistics_file;
  std::string timeline_file, trace_file;
  bool digest = false, summary = false, progress = false, per_unit = false;
  std::string clock = "host";  // what the program's own clocks show: host, or simulated (src/preload)

  void add_options(CLI::App& app);
  /// Reads the machine file and applies the settings; a mistake is a core::UserError.
  runtime::MachineConfig resolve() const;
  /// Writes to stderr, in the name of this verb, which settings nothing reads on the machine that they resolved to.
  void tell_unused(std::string_view verb, const runtime::MachineConfig&) const;
  /// For the child. Paths are absolute, since the program may change its folder.
  std::vector<std::pair<std::string, std::string>> environment() const;
  /// The same as options of `ew run`, for a command that can be typed again.
  process::Words as_options() const;
};

/// Refuses what is no whole number from `least`, with a sentence that says so.
CLI::Validator whole_number(unsigned long long least);

/// The words behind the options of a verb that runs a program: it and its arguments. An option that the verb does not
/// have is a core::UserError with the nearest one.
process::Words program_words(const CLI::App& verb);

/// The file that this code was loaded from: libeverwarp.so, which is the simulator.
std::filesystem::path library_path();

/// The program's path made absolute. Missing, not executable or a source file: core::UserError that says what to do.
std::string program_path(const std::string& word);

}  // namespace ew::cli
