// The folder of a crash trial, and what is said of how its processes ended.
#pragma once

#include <filesystem>
#include <string>

#include "check/event_file.hpp"
#include "process/run.hpp"

namespace ew::cli {

/// The words with the trial's folder for each {}.
process::Words in_folder(const process::Words&, const std::filesystem::path& folder);
/// A file that a word names relative to the user's folder is copied, so that every trial starts from the same files.
void copy_named_files(const process::Words&, const std::filesystem::path& folder);
std::string last_line(std::string text);
/// Where the pools of a run lie that took place in `folder`: relative to it, or absolute when outside (`outside` is
/// set).
std::vector<std::filesystem::path> pool_paths(const check::EventFile&, const std::filesystem::path& folder,
                                              bool& outside);

}  // namespace ew::cli
