// The folder of a crash trial: running the program and its recovery in it, and its files.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "check/crash/plan.hpp"
#include "check/event_file.hpp"

namespace ew::check {

/// The words, with the trial's folder in place of each {}.
process::Words in_folder(const process::Words&, const std::filesystem::path& folder);
/// Runs this command in the folder, as the plan says. `more` is added to the environment of the process.
process::Outcome run_in(const CrashPlan&, const process::Words&, const std::filesystem::path& folder,
                        const process::Variables& more = {});
/// Runs the program, or the recovery after it, to its end without a crash. Throws core::UserError with the output when
/// it fails. `pools`: those that the program has left. It also throws when there are some, and the recovery opens none.
/// run_program() returns what the program has written to its standard output and standard error.
std::string run_program(const CrashPlan&, const std::filesystem::path& folder, const process::Variables& more);
void run_recovery(const CrashPlan&, const std::filesystem::path& folder,
                  const std::vector<std::filesystem::path>& pools);
/// Copies each file that a word names relative to the user's folder. So every trial starts from the same files.
void copy_named_files(const process::Words&, const std::filesystem::path& folder);
/// Does `use()`. If this throws core::UserError, the last lines that the program has written are added to the sentence.
void with_output(const std::string& output, const std::function<void()>& use);
/// The messages of Everwarp in what a program has written: a kernel that failed, a deadlock.
std::string messages_in(const std::string& output);
/// A sentence about files of the folder that a run has made and that are no pools; empty: there are none. `before`: the
/// files that were there.
std::string other_files(const std::filesystem::path& folder, const std::set<std::filesystem::path>& before,
                        const std::vector<std::filesystem::path>& pools);
std::set<std::filesystem::path> files_of(const std::filesystem::path& folder);
std::string last_line(std::string text);
/// The paths of the pools of a run in `folder`: relative to it, or absolute if they lie outside of it (then `outside`
/// is set).
std::vector<std::filesystem::path> pool_paths(const EventFile&, const std::filesystem::path& folder, bool& outside);

}  // namespace ew::check
