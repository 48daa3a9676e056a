// What others ask of a private cache's copies: probes of homes, and requests that homes forward to the owner of words.
// Owned by the cache.
//
// A home with a directory holds the line meanwhile, so what it asks for is here, or has been written back. A home with
// a registry does not wait. Then an owner answers for its words until the home has taken their write-back. And what is
// asked for may not be here yet: it waits until this agent's own request for it is over, and the accesses that wait for
// that are performed. Nothing waits in a circle: the home has put all requests for a line in one order, and each
// waits for earlier ones alone.
#pragma once

#include <vector>

#include "memory/cache/parts.hpp"

namespace ew::memory {

class Asked {
 public:
  explicit Asked(CacheParts& parts) : p_(parts) {
    waiting_.reserve(64);
    due_.reserve(64);
  }

  /// A probe or a forward has come.
  void ask(const Request&);
  /// This agent's request for ownership of words of this line is over.
  void answer_waiting(u64 line);
  u64 waiting() const { return waiting_.size(); }

 private:
  WordMask not_here_yet(const Request&, u32 way) const;
  void answer(const Request&, u32 way);
  void answer_requester(const Request&, const u8* bytes, WordMask have, const ByteMask& dirty);
  void answer_from_leaving(Request&);
  void take(u32 way, const Request& asked, WordMask words, Request& answer);

  CacheParts& p_;
  std::vector<Request> waiting_, due_;
};

}  // namespace ew::memory
