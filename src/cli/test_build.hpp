// Brings a build folder up to date before its tests run. What does not build fails the checks that need it and no
// other.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace ew::cli {

/// Steps done and steps in all.
using BuildProgress = std::function<void(unsigned, unsigned)>;

/// Builds everything in `folder`, past failures; true when all of it built.
bool build_everything(const std::filesystem::path& folder, const BuildProgress& progress);

/// Builds one target; empty when it is up to date, else what the compiler said.
std::string build_target(const std::filesystem::path& folder, const std::string& target);

}  // namespace ew::cli
