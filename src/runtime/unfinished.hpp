// Launches that had not ended when the program did, told to a person and in the statistics.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "simt/gpu.hpp"

namespace ew::runtime {

/// Lines; the first goes on in the caller's. `commands`: kernels, copies and host functions that had not ended, those
/// that run among them.
std::string text_of_unfinished(std::span<const simt::InFlight>, u64 commands);
nlohmann::ordered_json json_of_unfinished(std::span<const simt::InFlight>);

}  // namespace ew::runtime
