// What a machine comes to: sizes, times and bandwidths that follow from its fields, and what is odd about them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ew::cli {

struct MachineFact {
  std::string name;
  double value = 0;
  std::string unit, from;  // from: the fields that it follows from
  std::string text() const;
};

struct MachineFacts {
  std::vector<MachineFact> facts;
  std::vector<std::string> warnings;
  nlohmann::ordered_json json() const;
};

/// A name or a file, as -m has them. core::UserError: all that contradicts.
MachineFacts facts_of(const std::string& machine);

}  // namespace ew::cli
