// Reads machine files, applies --set, and writes the resolved configuration. An unknown key, a wrong type or a value
// out of range is a UserError with file, line, what was expected and the nearest valid name.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine_config.hpp"

namespace ew::core {

/// The folder that holds machines/ and include/: beside the library when installed, the source tree otherwise.
std::filesystem::path home_directory();

/// Names of the files in machines/, sorted, without ".toml".
std::vector<std::string> machine_names();

/// Reads a machine by name ("titan-rtx") or by path (has a '/' or ends in ".toml"). What it does not say keeps its
/// default.
MachineConfig load_machine(std::string_view name_or_path);

/// Reads TOML text over `config`; `file` stands in messages.
void read_toml(std::string_view text, const std::string& file, MachineConfig& config);

/// Applies one "section.key=value" (value as in a machine file; quotes may be left out).
void apply_setting(std::string_view setting, MachineConfig& config);

/// Every field with its value; reading it back gives the same configuration. With sentences it is a complete, commented
/// file.
std::string to_toml(const MachineConfig& config, bool sentences = false);

}  // namespace ew::core
