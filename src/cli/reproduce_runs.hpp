// Builds the programs of a plan and carries out its runs, several processes at once.
#pragma once

#include <string>
#include <vector>

#include "cli/reproduce_plan.hpp"
#include "process/batch.hpp"
#include "report/reproduction.hpp"

namespace ew::cli {

/// Builds every program, `jobs` at once. A program that does not build is a core::UserError with what the compiler
/// said.
void build_programs(const std::vector<ProgramBuild>&, unsigned jobs);

/// What was made of each run that failed; the others are in the batch's folder.
std::vector<report::FailedRun> carry_out(const std::vector<PlannedRun>&, process::Batch&, double timeout_seconds,
                                         const std::string& commit);

}  // namespace ew::cli
