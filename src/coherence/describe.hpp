// A protocol's table as text, for `ew explain coherence`.
#pragma once

#include <string>

#include "coherence/models.hpp"

namespace ew::coherence {

/// A line for each use of a word, then what happens at an acquire and at a release, and the home.
std::string describe(const Model&);

}  // namespace ew::coherence
