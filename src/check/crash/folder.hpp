// The folder of a crash trial, and what is said of how its processes ended.
#pragma once

#include <filesystem>
#include <string>

#include "check/crash/plan.hpp"
#include "check/event_file.hpp"

namespace ew::check {

/// The words with the trial's folder for each {}.
process::Words in_folder(const process::Words&, const std::filesystem::path& folder);
/// Runs the words there, as the plan says. `more`: of the process's environment.
process::Outcome run_in(const CrashPlan&, const process::Words&, const std::filesystem::path& folder,
                        const process::Variables& more = {});
/// The program, or the recovery after it, to its end without a crash. Throws core::UserError with its output when it
/// fails.
void run_program(const CrashPlan&, const std::filesystem::path& folder, const process::Variables& more);
void run_recovery(const CrashPlan&, const std::filesystem::path& folder);
/// A file that a word names relative to the user's folder is copied, so that every trial starts from the same files.
void copy_named_files(const process::Words&, const std::filesystem::path& folder);
std::string last_line(std::string text);
/// Where the pools of a run lie that took place in `folder`: relative to it, or absolute when outside (`outside` is
/// set).
std::vector<std::filesystem::path> pool_paths(const EventFile&, const std::filesystem::path& folder, bool& outside);

}  // namespace ew::check
