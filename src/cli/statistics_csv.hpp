// Statistics of a run as a table: a line a figure, as Nsight Compute's --csv has it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ew::cli {

/// Of what `ew run --stats` writes. Columns: ID, Kernel Name, Metric Name, Metric Unit, Metric Value; kernels have
/// their number as ID, the whole run, copies, what is nobody's, SMs and slices a word.
std::string statistics_csv(const nlohmann::ordered_json& statistics);

}  // namespace ew::cli
