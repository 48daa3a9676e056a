// What a machine file says of persistency: which model, and what all of them have in common. What one model alone has
// to say is its own struct and its own section of the file. A value.
#pragma once

#include <string>

#include "core/fields.hpp"
#include "persistency/sbrp_config.hpp"

namespace ew::persistency {

struct PersistencyConfig {
  std::string model = "gpm";
  u32 fence_cycles = 0;
  SbrpConfig sbrp;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

}  // namespace ew::persistency
