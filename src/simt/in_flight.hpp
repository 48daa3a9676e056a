// Where launches that have not ended stand, and the words for a place in a kernel that all reports use.
#pragma once

#include <string>
#include <vector>

#include "simt/residency.hpp"

namespace ew::simt {

/// Of each launch, in order of start.
std::vector<InFlight> in_flight(const Residency&, u64 now_ns);

/// "file.cu:12"; without lines in the code, the line of the PTX.
std::string source_line(const ptx::Kernel&, ptx::Pc);

}  // namespace ew::simt
