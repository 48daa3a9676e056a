// A verb of `ew`: adds itself to the command line, and leaves its exit status when it was called.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/command_line.hpp"

namespace ew::cli {

void add_run(CLI::App& app, int& status);
void add_explain(CLI::App& app, int& status);
void add_crash(CLI::App& app, int& status);
void add_test(CLI::App& app, int& status);
void add_demo(CLI::App& app, int& status);
void add_reproduce(CLI::App& app, int& status);
void add_sweep(CLI::App& app, int& status);
void add_litmus(CLI::App& app, int& status);
void add_compare(CLI::App& app, int& status);
void add_correlate(CLI::App& app, int& status);
void add_pool(CLI::App& app, int& status);
void add_machine(CLI::App& app, int& status);
void add_package(CLI::App& app, int& status);
void add_completion(CLI::App& app, int& status);

}  // namespace ew::cli
