// The commands that have been submitted and have not ended: which wait for which, which are ready, and when those
// before them have ended. Owned by Queue; its lock is held in every call.
//
// A command is ready when all that it waits for has ended. Of commands that are ready together, those of the first
// thread are the first to start, whoever submitted first: so the host's speed decides nothing.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "runtime/command.hpp"

namespace ew::runtime {

class Commands {
 public:
  Commands();

  /// Gives the command its ticket. `earliest`: it begins no earlier, in simulated nanoseconds.
  Command& add(Command&&, std::span<const Ticket> after, HostThreads::Order, u64 earliest);
  /// The last ticket that was given.
  Ticket last() const { return last_; }

  bool empty() const { return pending_.empty(); }
  std::size_t size() const { return pending_.size(); }
  bool has(Ticket ticket) const { return pending_.contains(ticket); }
  /// Everything up to the ticket has ended.
  bool ended_up_to(Ticket ticket) const { return pending_.empty() || pending_.begin()->first > ticket; }
  /// nullptr: it has ended, or was dropped.
  Command* find(Ticket);
  /// Kernels, copies and host functions.
  u64 count_of_program() const;
  bool any_host_function() const;

  bool any_ready() const { return !due_.empty() || !later_.empty(); }
  /// The first ready command whose begin is not after `now`.
  Command* ready_by(u64 now);
  /// The earliest begin of a ready command; ~0: none is ready.
  u64 next_beginning() const;
  /// It is not ready any more: it has begun.
  void begin(const Command& command) {
    Ready::node_type node = due_.extract({0, command.order});
    if (!node) node = later_.extract({command.begin, command.order});
    if (node) spare_ready_.push_back(std::move(node));
  }

  /// It has ended at this simulated time. What waited for nothing else is ready.
  void end(Command&, u64 nanoseconds);
  void drop_all();

  /// The end of a command; 0 for one that ended so long ago that nothing can begin before it.
  u64 end_of(Ticket ticket) const { return ended(ticket).end; }
  /// The latest end of all.
  u64 latest_end() const { return latest_end_; }

 private:
  struct Ended {
    u64 end = 0, next_launch = 0;  // earliest begin of a launch that waits for it
  };
  Ended ended(Ticket) const;
  Command& store(Ticket, Command&&);
  void make_ready(Command&);

  static constexpr std::size_t remembered = 1 << 16;  // ends of commands, for those submitted later

  Ticket last_ = 0;
  using Pending = std::map<Ticket, Command>;
  using Ready = std::map<std::pair<u64, CommandOrder>, Command*>;

  Pending pending_;
  // Those that are ready: seen to be due, by order (and 0); the others by their begin.
  Ready due_, later_;
  // Nodes of what is gone: host threads add commands and the machine's thread ends them, and memory that one thread
  // takes and another gives back is dear.
  std::vector<Pending::node_type> spare_pending_;
  std::vector<Ready::node_type> spare_ready_;
  std::map<HostThreads::Order, u64> submissions_;  // by thread
  std::vector<Ended> ends_;
  u64 latest_end_ = 0;
};

}  // namespace ew::runtime
