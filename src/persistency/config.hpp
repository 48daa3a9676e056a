// What a machine file says of persistency: which model, what all of them have in common, and what is said to one model
// alone. A value.
#pragma once

#include <string>

#include "core/fields.hpp"
#include "core/model_section.hpp"

namespace ew::persistency {

struct PersistencyConfig {
  std::string model = "gpm";
  u32 fence_cycles = 0;
  core::ModelSections sections;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

}  // namespace ew::persistency
