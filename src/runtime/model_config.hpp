// Which models a machine is made of: the words of a machine file that choose one out of a table, and what belongs to no
// component alone.
#pragma once

#include <string>

#include "core/fields.hpp"

namespace ew::runtime {

struct ModeConfig {
  std::string mode = "functional";

  bool timing() const { return mode == "timing"; }

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(
        "mode", self.mode, core::Choices{{"functional", "timing"}}, "",
        "functional: memory answers at once and nothing but instructions is counted; timing: caches, links and memory "
        "hold the data and take their time.",
        "a choice of the user");
  }
};

struct CoherenceConfig {
  const std::string& of_host() const { return host == "same" ? protocol : host; }

  std::string protocol = "gpu";
  std::string host = "same";  // as `protocol`

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

struct ConsistencyConfig {
  std::string model = "ptx";

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

}  // namespace ew::runtime
