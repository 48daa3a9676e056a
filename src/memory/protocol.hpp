// The seam of coherence: which private copies may exist. A protocol decides; private caches and homes act. It has no
// clock, no I/O and no statistics. Models stand in coherence/'s table, one file each.
//
// Only a home's decision is serial per line: at_home() sees one request at a time and the directory's record of the
// line, and answers with actions; a protocol's author sees no transient state. State is per word (masks) everywhere.
#pragma once

#include <array>
#include <string_view>

#include "memory/request.hpp"

namespace ew::memory {

/// What a private cache may do with the words of a line without asking anyone. `permission` is the tabulated half of a
/// protocol: a hit makes no virtual call.
struct Permission {
  bool keep_loads = true;             // loads may leave a copy (false: the private cache is bypassed)
  bool strong_loads_hit = false;      // a valid copy is never stale
  bool store_needs_owned = false;     // a store waits for the right to write; else it is written through
  bool atomics_private = false;       // performed in the private cache, on owned words; else at the home
  bool invalidate_on_acquire = true;  // clean copies that are not owned go at an acquire above the private scope
  bool drain_on_release = true;       // dirty bytes that are not owned must be in the image before a release is over
  bool tracked = false;               // the directory knows who has copies; without a record a line has no copies
  bool whole_lines = false;           // every request is for all words of its line; else for the sectors it lacks
};

/// The directory's record of a line that any private cache may have.
struct DirectoryLine {
  std::array<u64, most_agents / 64> sharers{};
  /// Owner of each word (no_agent: the image is current). A protocol that owns whole lines writes all words.
  std::array<AgentId, longest_line / word_bytes> owner;

  DirectoryLine() { owner.fill(no_agent); }
  bool shared_by(AgentId a) const { return (sharers[a / 64] >> (a % 64)) & 1; }
  void share(AgentId a) { sharers[a / 64] |= u64{1} << (a % 64); }
  void unshare(AgentId a) { sharers[a / 64] &= ~(u64{1} << (a % 64)); }
};

/// What a home does for a request. Filled by at_home(); carried out in this order.
struct Decision {
  /// Agents whose copies are probed before the answer; the line is held until all have answered.
  std::array<u64, most_agents / 64> probes{};
  ProbeKind probe = ProbeKind::none;
  /// Words that another private cache owns and answers for itself; `holds` keeps the line until it has.
  AgentId forward_to = no_agent;
  WordMask forwarded = 0;
  bool forward_holds = false;
  /// Words that the home itself answers, from the image.
  WordMask granted = 0;
  bool owned = false;  // granted or forwarded with the right to write
};

class Protocol {
 public:
  virtual ~Protocol() = default;
  virtual std::string_view name() const = 0;
  virtual Permission permission() const = 0;
  /// One request at the home of its line; `record` is changed to what holds once the decision is carried out.
  virtual void at_home(const Request&, DirectoryLine& record, Decision&) const = 0;
  /// A probe (or an own forward) reached a private cache: which of these words stay valid, which stay owned.
  struct After {
    WordMask valid = 0, owned = 0;
  };
  virtual After on_probe(ProbeKind, WordMask probed, WordMask valid, WordMask owned) const = 0;
};

}  // namespace ew::memory
