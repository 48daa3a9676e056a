// What a home knows of private copies of its lines, and what it asks of them: probes and forwards that hold a line, and
// recalls of lines that are to be evicted. Owned by the home.
#pragma once

#include "memory/home/parts.hpp"

namespace ew::memory {

class Directory {
 public:
  explicit Directory(HomeParts& parts) : p_(parts), records_(parts.permission.tracked ? parts.lines.size() : 0) {}

  /// Of the line in this way; of a protocol that tracks nothing, an empty one.
  DirectoryLine& record(u32 way) { return p_.permission.tracked ? records_[way] : untracked_; }
  const DirectoryLine& record(u32 way) const { return p_.permission.tracked ? records_[way] : untracked_; }
  void forget(u32 way) {
    if (p_.permission.tracked) records_[way] = {};
  }
  bool copies_exist(u32 way) const;

  /// Sends what the decision asks for; the line is held until all have answered. REQUIRES: the line has an MSHR.
  void hold(u32 way, const Request&, const Decision&, bool fetched);
  /// The line is to be evicted: its copies must go first. REQUIRES: an MSHR is free.
  void recall(u32 way);
  /// An answer to a probe or forward, or the receipt of forwarded data. Returns the MSHR of a line that is no longer
  /// held with this answer, or no_number.
  u32 answered(const Request&);

 private:
  void send_probe(u64 line, AgentId to, AgentId origin, ProbeKind);

  HomeParts& p_;
  std::vector<DirectoryLine> records_;  // by way; empty when the protocol tracks nothing
  DirectoryLine untracked_;
};

}  // namespace ew::memory
