// Reads machine files, applies --set, and writes the resolved configuration, all over a list of fields: what the fields
// are is the machine's business (runtime/machine_config.hpp). An unknown key, a wrong type or a value out of range is a
// UserError with file, line, what was expected and the nearest valid name.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.hpp"

namespace ew::core {

/// The folder that holds machines/ and include/: beside the library when installed, the source tree otherwise.
std::filesystem::path home_directory();

/// Names of the files in machines/, sorted, without ".toml".
std::vector<std::string> machine_names();

/// The file of a machine by name ("titan-rtx") or by path (has a '/' or ends in ".toml"). Empty: the default machine,
/// whose defaults are complete without a file.
std::filesystem::path machine_file(std::string_view name_or_path);

/// Reads TOML text into the fields' targets; what it does not say stays. `file` stands in messages.
void read_toml(std::string_view text, const std::string& file, const std::vector<Field>&);
void read_toml_file(const std::filesystem::path&, const std::vector<Field>&);

/// The line of "section.key" in a machine file; 0: it does not stand there.
u32 line_of(const std::filesystem::path&, std::string_view key);

/// Applies one "section.key=value" (value as in a machine file; quotes may be left out).
void apply_setting(std::string_view setting, const std::vector<Field>&);

/// Every field with its value; reading it back gives the same configuration. With the sections' sentences it is a
/// complete, commented file.
using SectionSentence = std::function<std::string_view(std::string_view section)>;
std::string to_toml(const std::vector<Field>&, const SectionSentence& = {});

}  // namespace ew::core
