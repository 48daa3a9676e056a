// What a sweep was asked for, by words of the command and by a file. Plain values; whether they are right says the plan
// (sweep_plan.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "process/run.hpp"

namespace ew::cli {

/// One axis as it was written.
struct AskedAxis {
  std::string key;  // "l1.bytes", the name of an argument; empty: names of settings that go together (DD, GH)
  std::vector<std::string> values;
  std::string place;  // begins messages: "sweep.toml:7: "
  u32 line = 0;       // of the file; 0: the command line
};

struct SweepRequest {
  process::Words program;
  AskedAxis machines;
  std::vector<AskedAxis> settings, arguments;
  std::vector<u64> seeds;
  u64 max_instructions = 0;
  std::vector<std::string> metrics;
  std::string x, lines;
  std::vector<std::string> mistakes;  // of the words themselves
};

/// "a,b,[1,2],'c,d'" at its commas: not those inside of brackets or quotes. A core::UserError for a value that is
/// empty, and for a bracket or quote that is not closed; `what` begins its message.
std::vector<std::string> split_values(std::string_view text, std::string_view what);

/// "key=v1,v2" as an axis; `option`: the one that it was given to. Without '=': names of settings, of --set alone.
AskedAxis read_axis(const std::string& word, std::string_view option);

/// Reads a file of a sweep into the request; all its mistakes are told together as a core::UserError.
SweepRequest read_sweep_file(const std::string& path);

/// One axis replaces an earlier one of its key: a word of the command one of the file.
void replace_axis(std::vector<AskedAxis>& axes, AskedAxis axis);

}  // namespace ew::cli
