// Where results come from: the computer, and the sources of the simulator.
#pragma once

#include <string>

namespace ew::cli {

/// "16 x Intel(R) Xeon(R) …".
std::string host_name();
/// The commit of the sources, with "+" when they were changed since; "unknown" outside of a repository.
std::string source_commit();

}  // namespace ew::cli
