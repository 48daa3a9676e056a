// The committed litmus tests of kind ptx, for the tests that go through all of them.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "check/litmus_parser.hpp"

namespace ew::check {

inline std::vector<Litmus> committed_ptx_tests() {
  std::vector<Litmus> all;
  for (const std::string name : {"ptx.glt", "ptx-more.glt", "consistency.glt"}) {
    std::ifstream file(std::string(EW_LITMUS "/") + name);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    for (Litmus& test : parse_litmus(text, name)) all.push_back(std::move(test));
  }
  return all;
}

}  // namespace ew::check
