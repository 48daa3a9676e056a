// `ew run --html`: a run, and a page that tells of it.
#pragma once

#include <string>

#include "cli/run_settings.hpp"

namespace ew::cli {

/// The program's status. The run is observed as with --stats and --timeline, in files of its own where none are asked
/// for.
int run_with_page(const process::Words&, RunSettings, const runtime::MachineConfig&, const std::string& page);

}  // namespace ew::cli
