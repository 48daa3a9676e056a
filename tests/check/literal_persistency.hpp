// The persistency models once more, as naively as their definitions read: every interleaving of the statements, every
// cut, every set of persists, sets of pairs for relations. Shares nothing with src/check but the parsed test; slow.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "check/litmus.hpp"

namespace ew::check {

struct LiteralImages {
  using Image = std::map<std::string, Value>;  // persistent locations and outputs
  std::set<Image> images;                      // over all crashes
  std::set<Image> latest;                      // with all outputs that a set of persists lets happen
};

/// By the names of the columns.
std::map<std::string, LiteralImages> literal_images(const Litmus&);

/// Of an expression over the names in an image.
Value literal_value(const Expression&, const std::map<std::string, Value>& names);

}  // namespace ew::check
