// Order between kernels, copies and the host of a recorded run: a kernel's end is a synchronisation at device scope
// with what its stream, or a host that has waited for it, begins later. Owned by PersistBuilder.
//
// A command is a kernel, a copy or a fill. It is named by its ticket, and stands for two nodes: what it follows (and,
// when it is over, what follows it), and what is durable then.
#pragma once

#include <unordered_map>
#include <vector>

#include "check/event_file.hpp"
#include "check/persist_words.hpp"

namespace ew::check {

class HostOrder {
 public:
  /// All but the axioms are the builder's, and outlive this.
  HostOrder(const EventFile& events, const PersistAxioms& axioms, PersistGraph& graph, PersistWords& persists)
      : events_(events), axioms_(axioms), graph_(graph), persists_(persists) {}

  struct Nodes {
    u32 order = 0, durable = 0;
  };

  // Commands. `words` are those of the event (simt/persist_events.hpp).
  void submit(std::span<const u64> words);
  /// What a command follows. REQUIRES: the commands that it waits for are over.
  Nodes begin(u64 ticket);
  /// A launch is over, and has added these to that.
  void end(u64 ticket, std::span<const u32> order, std::span<const u32> durable);
  /// `by_host`: what it has written is durable when it is flushed; else when the transfer is over.
  void transfer(std::span<const u64> words, bool by_host);
  /// Work of the host flushes [begin, end): durable when it is over.
  void flush(u64 ticket, u64 begin, u64 end);

  // The host.
  void wait(u64 ticket);
  /// For all commands up to this one.
  void wait_for_all(u64 last);
  void store(std::span<const u64> words);
  /// Its stores to [begin, end) are durable now.
  void persist(u64 begin, u64 end);
  /// Everything of the pool at this address is durable.
  void end_pool(u64 address);
  void acknowledge(u64 progress);
  void map_pool(u64 address);

 private:
  struct Command {
    Nodes nodes;
    std::vector<u64> after;  // tickets
    bool resolved = false;   // the nodes have those of `after`
  };
  Command& resolve(u64 ticket);
  /// What the model promises the host to be durable now; where what is performed is durable, all that has been
  /// performed.
  u32 promised() const {
    return axioms_.across == PersistAxioms::Across::performance ? persists_.last() : host_.durable;
  }

  /// Nodes of stores to [begin, end) that nothing has made durable; they are covered now.
  std::vector<u32> cover(u64 begin, u64 end);

  const EventFile& events_;
  const PersistAxioms& axioms_;
  PersistGraph& graph_;
  PersistWords& persists_;
  std::unordered_map<u64, Command> commands_;
  std::vector<u64> ended_;  // commands with persists or launches, not waited for by a full wait
  Nodes host_;
  std::vector<u32> open_;  // stores of the host and its cores that no persist call and no flush has covered
};

}  // namespace ew::check
