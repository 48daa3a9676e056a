// What the contract suite of persistency models runs: each model on each protocol, and with what its section may say.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ostream>
#include <string>
#include <vector>

#include "persistency/models.hpp"

namespace ew::persistency {

/// A model on a protocol, with settings as `--set` has them.
struct Setup {
  const Model* model;
  std::string protocol;
  std::vector<std::string> settings;

  std::string name() const {
    std::string text = fmt::format("{}_{}", model->name, protocol);
    for (const std::string& setting : settings) text += "_" + setting.substr(setting.find('.') + 1);
    std::ranges::replace_if(
        text, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    return text;
  }
  friend void PrintTo(const Setup& setup, std::ostream* out) { *out << setup.name(); }
};
void apply(const Setup&, PersistencyConfig&);

/// Every model that has hardware on every protocol that it can stand on, as the machine file has it by default; then
/// its section's words in every combination, and numbers that fill up what they count.
std::vector<Setup> setups();

}  // namespace ew::persistency
