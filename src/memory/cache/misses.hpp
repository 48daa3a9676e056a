// Misses of a private cache: which lines are asked for, and which parts of accesses wait for them. An MSHR with a line
// (way) collects the parts that wait for it; an MSHR without one is a single part that the home performs. A line may be
// asked for although no part waits for it: that is a prefetch. A part may join it later.
//
// Owned by the cache; its parts share it.
//
// Invariants
// - A line with an MSHR is not evicted.
// - Parts of one MSHR wait in the order in which they came.
// - What an answer brings is not put over bytes that were written here after its request had left (Mshr::keep), and is
//   not kept for words whose copy was given up meanwhile (Mshr::poison).
// - At most a quarter of the MSHRs are prefetches, and none begins when only a quarter is free.
// - Lines whose written words are owned later (Otherwise::own_later) take none of the MSHRs of misses. They have as
//   many as the cache has lines: one that began so may go on for loads that joined it.
#pragma once

#include <string>
#include <vector>

#include "memory/agent_policy.hpp"
#include "memory/agent_port.hpp"
#include "memory/cache/line_store.hpp"
#include "memory/memory_config.hpp"

namespace ew::memory {

/// A part of an access that waits for an MSHR.
struct alignas(64) WaitingPart {
  LineAccess access;
  u32 next = no_number;
  u32 generation = 0;    // of a store: AgentPort::open()
  WordMask content = 0;  // of one that owns: words that must come with their content
  bool owns = false;     // it waits for the right to write, not only for the words
  u8 registers = 0;      // of no access: words written here are owned later. Its mark (FlushMarks); 0: not of this kind
  bool merged = false;
};

struct alignas(64) Mshr {
  u64 line = no_line;
  Place place;
  ByteMask keep;  // written here since the request left
  u32 way = no_way;
  u32 first = no_number, last = no_number;  // waiting parts, in order
  u32 next_free = no_number;
  u32 count = 0;
  u32 epoch = 0;
  WordMask outstanding = 0;     // asked for, not here yet
  WordMask welcome = 0;         // not waited for: they come with others if the home has them
  WordMask owning = 0;          // of the request for ownership that is under way; 0: none is
  WordMask to_come = 0;         // of these, not here yet
  WordMask poison = 0;          // younger loads must not read what the older ones wait for; the copy is not kept
  WordMask waited = 0;          // touched by waiting parts
  WordMask to_change = 0;       // … that write
  WordMask to_own = 0;          // … that wait for the right to write
  WordMask registering = 0;     // written here; their ownership is, or will be, asked for without content
  PayloadId poll = no_payload;  // of a load that the home may hold
  u8 clean = 0;                 // the line is cleaned when its words are owned: Request::flush; 0: it need not be
  u8 leave = 0;                 // the line goes when the MSHR is over: Request::flush; 0: it stays
  u8 kind = 0;                  // LineStore::kind
  bool active = false;
  bool prefetch = false;  // nobody waited for it when it began
  bool spare = false;     // it began with words of the write buffer
};

class Misses {
 public:
  Misses(const PrivateCacheConfig&, const AgentPolicy&, LineStore&, AgentPort&, CacheCounts&);

  bool full() const { return free_ == no_number; }
  u32 active() const { return active_; }
  /// Whether a message names an MSHR that is under way.
  bool knows(u32 number) const { return number < mshrs_.size() && mshrs_[number].active; }
  Mshr& operator[](u32 number) { return mshrs_[number]; }
  const Mshr& operator[](u32 number) const { return mshrs_[number]; }
  WaitingPart& part(u32 number) { return parts_[number]; }

  /// way: the line's, or no_way for a part that the home performs. REQUIRES: !full().
  u32 take(u64 line, Place place, u32 way) { return begin(free_, line, place, way); }
  void free(u32 number);
  /// The part waits. A store or atomic counts as on its way from now on. Returns it.
  WaitingPart& append(Mshr&, const LineAccess&, bool merged);
  /// The same for a part that waits for the right to write. content: words that must come with what they hold.
  void append_owner(Mshr&, const LineAccess&, WordMask content, bool merged);
  void free_part(u32 number) {
    parts_[number].next = free_parts_;
    free_parts_ = number;
  }
  /// A load misses: takes an MSHR, in which the part waits, and asks for these words. `poll`: of Payloads::polls, where
  /// the home may hold it. REQUIRES: !full().
  void begin(RequestKind, const LineAccess&, u32 way, WordMask, PayloadId poll = no_payload);
  /// Asks the home for these words, on behalf of the first part that waits.
  void request(RequestKind, u32 number, WordMask);
  /// Asks for ownership of all words that waiting parts want to own. REQUIRES: no such request is under way.
  void request_ownership(u32 number);
  /// Words of this line that were written here are to be owned, without their content. They wait as a part of no
  /// access, on the account of who wrote them. mark: Flush's. False: they wait already.
  bool register_words(u64 line, u32 way, WordMask, u8 mark);
  /// Whether a prefetch may take an MSHR now.
  bool room_for_prefetch();
  /// The whole line comes, and nobody waits for it. REQUIRES: room_for_prefetch(); the way is the line's, and empty.
  void prefetch(u64 line, Place, u32 way);
  /// Whether a line is on its way that nobody waits for.
  bool any_unwaited() const;
  /// Before an MSHR's words are looked at: copies that were given up meanwhile will not be kept.
  void refresh(Mshr&) const;
  /// Words in which an older part that waits may see, or write, something else than is there now. Under a registry a
  /// request for ownership may bring newer words to a load that waits for others.
  WordMask may_change(const Mshr& m) const {
    return m.to_own | m.to_change | (policy_.home == HomeKind::registry ? m.waited : m.waited & m.outstanding);
  }

  /// One line for each MSHR.
  std::string what_is_under_way() const;

 private:
  u32 begin(u32& list, u64 line, Place, u32 way);
  void send(RequestKind, u32 number, WordMask words, WordMask content, const LineAccess& first);
  const LineAccess& first_of(const Mshr& mshr) const { return parts_[mshr.first].access; }

  u32 sector_, limit_;
  const AgentPolicy& policy_;
  WordMask whole_line_;
  LineStore& lines_;
  AgentPort& port_;
  CacheCounts& counts_;
  std::vector<Mshr> mshrs_;
  u32 free_ = no_number, active_ = 0;
  u32 free_spares_ = no_number, active_spares_ = 0;  // of what register_words() asks for
  std::vector<WaitingPart> parts_;
  u32 free_parts_ = no_number;
  std::vector<u32> prefetches_;  // MSHRs of prefetches; some are over
};

}  // namespace ew::memory
