// One run of a program on a machine, as `ew reproduce` and `ew sweep` make it: in a folder of its own that keeps
// resolved.toml (the machine), stats.json (what was counted), env.json (what ran, when, on what) and output.txt.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/run_settings.hpp"
#include "core/fingerprint.hpp"
#include "process/batch.hpp"

namespace ew::cli {

struct MachineRun {
  RunSettings settings;
  std::string machine_text;                 // the resolved machine
  process::Words command;                   // the first word is an absolute path
  process::Words prepare;                   // runs before, in functional mode; empty: nothing does
  bool copies_files = false;                // files that the command names relative to this folder are there, too
  nlohmann::ordered_json environment = {};  // of env.json: what the verb says of the run
};

/// Of several texts.
class Digest {
 public:
  void add(std::string_view text) {
    of_.add(text);
    of_.add(u64{0x100});  // where one text ends
  }
  std::string text() const;

 private:
  core::Fingerprint of_;
};

/// Digests of what decides a run's result; a file is read once, however many runs it decides.
class RunKeys {
 public:
  RunKeys();
  /// Of the simulator, the programs, the machine, the words, the files that they name if they are copied, and the seed.
  std::string key(const MachineRun&);

 private:
  const std::string& contents(const std::filesystem::path&);

  std::map<std::string, std::string> contents_;
};

/// Fills the folder. Nothing when the run succeeded; else why not.
std::optional<process::RunFailure> make_run(const MachineRun&, const std::filesystem::path& part,
                                            double timeout_seconds, const std::string& commit);

/// The command as someone types it again.
std::string typed(const RunSettings&, const process::Words& call, bool functional = false);

}  // namespace ew::cli
