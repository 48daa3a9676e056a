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
  /// bytes that have not left (owned_persists: an agent owns words once they have). nullptr: as with all lines, so that
  /// a protocol with owners can have no persistency model.
  const memory::AgentPolicy* pools = nullptr;
};

/// Each protocol of the table by its function: one that differs little from another starts from that.
#define MODEL(name) Model name();
#include "coherence/models.inc"
#undef MODEL

/// Self-invalidation and write-through, as GPUs do, at a home that may know owners of other lines (`registry`).
extern const memory::AgentPolicy write_through;
/// The same, but words of a persist stay owned (AgentPolicy::owns_what_left): loads find them behind an acquire.
extern const memory::AgentPolicy owned_persists;

/// The home that stands behind SMs of one protocol and cores of the host of another, which keep their copies as its SMs
/// do. nullptr: there is none that knows both kinds of copies. The host's protocol may know owners where that of the
/// SMs does not: they lose their words before a write-through (thesis, section 2.5.4, footnote 8).
const memory::HomePolicy* common_home(const Model& sms, const Model& host);
/// Protocols that the host may have beside these SMs.
std::vector<std::string_view> names_beside(const Model& sms);

/// Whose protocols a machine has, and the home behind them.
struct Protocols {
  const Model &sms, &host;
  const memory::HomePolicy& home;
  bool host_takes_part;  // its accesses are traced
};

/// In the order in which they are documented.
std::span<const Model> models();
/// nullptr: there is none of that name; the caller says which are near (core/nearest.hpp).
const Model* find_model(std::string_view name);
std::vector<std::string_view> names();
/// Lines of pools that were written may stay in private caches, past releases: no persistency model can say when they
/// leave.
bool keeps_written_lines(const Model&);

}  // namespace ew::coherence
