// What a home knows of private copies of its lines, and what it asks of them: probes, forwards, and recalls of lines
// that are to be evicted. Owned by the home.
#pragma once

#include "memory/home/parts.hpp"

namespace ew::memory {

class Directory {
 public:
  explicit Directory(HomeParts& parts) : p_(parts), records_(parts.tracks ? parts.lines.size() : 0) {}

  /// Of the line in this way; where none is kept, an empty one.
  LineRecord& record(u32 way) { return p_.tracks ? records_[way] : untracked_; }
  const LineRecord& record(u32 way) const { return p_.tracks ? records_[way] : untracked_; }
  void forget(u32 way) {
    if (p_.tracks) records_[way] = {};
  }
  bool copies_exist(u32 way) const;

  /// Probes and forwards of the decision leave.
  void send(const Request&, const Decision&);
  /// The same, and the line is held until all have answered. REQUIRES: the line has an MSHR.
  void hold(u32 way, const Request&, const Decision&, bool fetched);
  /// The line is to be evicted: its copies must go first. REQUIRES: an MSHR is free.
  void recall(u32 way);
  /// An answer to a probe or forward, or the receipt of forwarded data. Returns the MSHR of a line that is no longer
  /// held with this answer, or no_number.
  u32 answered(const Request&);

 private:
  void send_probe(const Request& because_of, WordMask, AgentId to, ProbeKind);

  HomeParts& p_;
  std::vector<LineRecord> records_;  // by way; empty where none is kept
  LineRecord untracked_;
};

}  // namespace ew::memory
