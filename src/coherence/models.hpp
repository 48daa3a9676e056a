// The table of coherence protocols: which private copies may exist. A protocol is a file here and a line in models.inc.
// docs/your-own-protocol.md writes one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coherence/homes.hpp"

namespace ew::coherence {

struct Model {
  std::string_view name, sentence;
  memory::AgentPolicy agent;  // of SMs
  const memory::HomePolicy& (*home)();
  /// What an agent does with lines of a pool under a persistency model, which says when their bytes leave: nobody owns
  /// them. nullptr: as with all lines, so that a protocol with owners can have no persistency model.
  const memory::AgentPolicy* pools = nullptr;
};

/// Self-invalidation and write-through, as GPUs do, at a home that may know owners of other lines (`registry`).
extern const memory::AgentPolicy write_through;

/// In the order in which they are documented.
std::span<const Model> models();
/// nullptr: there is none of that name; the caller says which are near (core/nearest.hpp).
const Model* find_model(std::string_view name);
std::vector<std::string_view> names();
/// Lines of pools that were written may stay in private caches, past releases: no persistency model can say when they
/// leave.
bool keeps_written_lines(const Model&);

}  // namespace ew::coherence
