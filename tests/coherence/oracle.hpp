// What random agents may see: the value oracle of the coherence contract.
//
// Every byte that an agent writes carries the agent's number and a count of its own, so that a byte tells who wrote it.
// The oracle keeps the history of each byte: of the image where caches may be stale (it looks at the memory after each
// event of a home), of the performed stores where they may not. A load is judged in program order of its agent, by the
// moments at which its value was current; see check().
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "memory/agent.hpp"

namespace ew::coherence {

using namespace memory;

inline constexpr u32 oracle_agents = 8;
using Moment = u64;
inline constexpr Moment never_yet = ~Moment{0};

struct Lane {
  u32 at = 0;  // in the memory that the oracle watches
  u32 size = 0;
  std::array<u8, 16> bytes{};    // to store; seen
  std::array<u32, 16> behind{};  // a load's: the agent's last store to the byte before it
};

struct Operation {
  LineAccess access;
  bool counter = false;  // adds 1 to a counter, or reads one
  bool local = false;    // … that no other agent uses, by atomics of threads that share a private cache
  u32 lanes = 0;
  std::array<Lane, 3> lane;
  Moment issued = 0, performed = never_yet, acquired = 0;
  u64 count = 0;  // a counter's value: seen, or left behind
  u64 count_at_issue = 0, count_at_acquire = 0;
  u32 first_record = 0;  // of a store
  u32 behind_add = 0;    // the agent's last operation on the counter before it, plus one
  bool over = false;     // complete() has come, or it was `performed`
};

class Oracle {
 public:
  /// `exact`: stores are performed when their bytes are written, wherever that is. `by_word`: the words of an access
  /// are performed one by one.
  Oracle(u64 data, u32 bytes, bool exact, bool by_word);

  /// A store's bytes are chosen and remembered, in program order. undo() takes the last one back.
  void store(u32 agent, Operation&);
  void undo(u32 agent, const Operation&);
  void load(u32 agent, Operation&);

  /// A store or exchange of the agent is performed for all to see, now.
  void performed(u32 agent, const Operation&);
  /// The same for a byte. False: the agent has no store of this value under way.
  bool performed(u32 agent, u32 at, u8 value);
  /// A store is on its way to the image, where look() will see it arrive.
  void look();
  /// Judges a load; empty: it may have seen what it saw. `current`: the protocol or the access promises the newest
  /// value.
  std::string check(u32 agent, const Operation&, bool current);
  /// What an exchange or atomic saw must be the newest there is.
  std::string check_newest(const Operation&) const;
  /// The agent's stores that nobody sees yet, and whether all of a list are seen now.
  std::vector<u32> unseen(u32 agent);
  bool seen(const std::vector<u32>& stores) const;
  /// After all flushes.
  std::string check_image();

  Moment now() { return ++moment_; }
  /// The last two words of 64 bytes are: one for all agents, and before it one for local_agent() alone.
  bool is_counter(u32 at) const { return at % 64 >= 56; }
  static u32 local_agent(u32 at) { return at / 128 % oracle_agents; }
  std::vector<u64> counters;  // by address / 4: how often each was added to
  std::string error;          // of look()
  u64 arrivals = 0;

 private:
  struct Record {
    u8 value;
    u32 at;
    Moment entered = never_yet;
  };
  struct Change {
    Moment moment;
    u8 value;
  };
  void enter(u32 record);
  bool enter_open(u32 agent, u32 at, u8 value);
  u8 value_at(u32 at, Moment) const;
  Moment next_change(u32 at, Moment) const;
  std::string history(u32 at) const;
  std::string check_at_one_moment(u32 agent, const Operation&, Moment common);

  u64 data_;
  u32 bytes_;
  bool exact_, by_word_;
  Moment moment_ = 0;
  std::vector<u8> shadow_;
  std::vector<std::vector<Change>> history_;                      // by byte
  std::vector<Record> records_{{}};                               // 0: none
  std::array<std::vector<u32>, oracle_agents> last_;              // record, by byte
  std::array<std::vector<u8>, oracle_agents> count_;              // by byte
  std::array<std::vector<std::deque<u32>>, oracle_agents> open_;  // records that the image has not had, by byte
  std::array<std::vector<Moment>, oracle_agents> floor_;          // what the agent has seen is at least so new
};

}  // namespace ew::coherence
