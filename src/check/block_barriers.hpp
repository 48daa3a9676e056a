// The barriers of one block of a recorded run: which threads have arrived, and what every thread knows behind the
// barrier. A meeting is one use of a barrier. The first event behind it ends the meeting: then every thread has
// arrived. A value.
#pragma once

#include <unordered_map>
#include <vector>

#include "check/persist_graph.hpp"

namespace ew::check {

class BlockBarriers {
 public:
  /// A thread arrives at the barrier with this number. `released` and `durable` are nodes: what the thread releases,
  /// and what it knows to be durable. Returns the number of the meeting.
  u32 arrive(u64 barrier, u32 released, u32 durable) {
    const auto [found, fresh] = open_.try_emplace(barrier, static_cast<u32>(meetings_.size()));
    if (fresh) meetings_.emplace_back();
    Meeting& meeting = meetings_[found->second];
    meeting.released.push_back(released);
    meeting.durable.push_back(durable);
    return found->second;
  }

  struct Outcome {
    u32 order = 0, durable = 0;  // nodes: what all have released, and know to be durable
  };
  /// A thread goes on behind a meeting.
  Outcome leave(u32 number, PersistGraph& graph) {
    Meeting& meeting = meetings_[number];
    if (!meeting.over) {
      meeting.over = true;
      meeting.outcome.order = graph.join(meeting.released);
      meeting.outcome.durable = graph.join(meeting.durable);
      std::erase_if(open_, [&](const auto& open) { return open.second == number; });
      meeting.released = meeting.durable = {};
    }
    return meeting.outcome;
  }

 private:
  struct Meeting {
    std::vector<u32> released, durable;
    Outcome outcome;
    bool over = false;
  };

  std::unordered_map<u64, u32> open_;  // by barrier: the meeting that is not over
  std::vector<Meeting> meetings_;
};

}  // namespace ew::check
