// The command `ew` without its main(): words to verbs. Each verb is a file of its own; `build` reads nvcc's command
// line itself.
#pragma once

#include "process/run.hpp"

namespace ew::cli {

/// Exit statuses: 0 clean, 1 something failed (and FAIL was printed), 2 a mistake in the command.
inline constexpr int clean = 0, failed = 1, misused = 2;

/// Does what the words ask for. Mistakes are told on standard error.
int run_command_line(const process::Words&);

}  // namespace ew::cli
