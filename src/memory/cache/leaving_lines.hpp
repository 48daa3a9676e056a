// Words whose ownership is on its way back to the home. Until the home has taken them, a request that it had sent on
// before may ask for them here: this agent answers with what it wrote back. Bytes that are cleaned (sent home, while
// the ownership stays) stand here as well: until the home has taken them, a new owner must hear that they are dirty.
// Empty under a policy whose home holds lines. Owned by the cache; its parts share it.
//
// Invariant: a word of a line is in one entry at most. (A later write-back of it follows a request for it, whose answer
// came behind the receipt of the first.)
#pragma once

#include <vector>

#include "memory/masks.hpp"

namespace ew::memory {

struct LeavingLine {
  u64 line = 0;
  WordMask words = 0;              // still answered for here
  PayloadId payload = no_payload;  // their bytes; valid: those that are dirty
  bool cleaned = false;            // the ownership stays
};

class LeavingLines {
 public:
  explicit LeavingLines(Payloads& payloads) : payloads_(payloads) { lines_.reserve(64); }

  /// A copy of the payload is kept. words: those that are owned here.
  void add(u64 line, WordMask words, PayloadId payload, bool cleaned) {
    const PayloadId copy = payloads_.take();
    payloads_[copy] = payloads_[payload];
    lines_.push_back({line, words, copy, cleaned});
  }
  /// The home has taken the oldest of this line. REQUIRES: there is one.
  void taken(u64 line);
  /// The entry with some of these words; nullptr: none.
  LeavingLine* find(u64 line, WordMask words) {
    for (LeavingLine& one : lines_)
      if (one.line == line && !one.cleaned && (one.words & words)) return &one;
    return nullptr;
  }
  /// Bytes of this line that the home may not have yet, of words that are owned here.
  ByteMask being_cleaned(u64 line) const {
    ByteMask bytes;
    for (const LeavingLine& one : lines_)
      if (one.line == line && one.cleaned) bytes = bytes | payloads_[one.payload].valid;
    return bytes;
  }
  /// Words of this line whose ownership has left.
  WordMask left(u64 line) const {
    WordMask words = 0;
    for (const LeavingLine& one : lines_)
      if (one.line == line && !one.cleaned) words |= one.words;
    return words;
  }
  bool empty() const { return lines_.empty(); }

 private:
  Payloads& payloads_;
  std::vector<LeavingLine> lines_;  // in the order in which they left
};

}  // namespace ew::memory
