// What a table of reactions says and no cache does: for the contract suite, which refuses such a table.
#pragma once

#include <string>

#include "coherence/models.hpp"

namespace ew::coherence {

/// A sentence for each mistake in the model's table, and in that of its pools. Empty: there is none.
std::string table_mistakes(const Model&);

}  // namespace ew::coherence
