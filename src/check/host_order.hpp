// The order between kernels, copies, work of the host's cores, and the host program of a recorded run. A kernel's end
// synchronises, at device scope, with what its stream begins later, and with what a host that has waited for it does
// later. Owned by PersistBuilder.
//
// A command is a kernel, a copy, a fill, or work of the host's cores. It has a number, its ticket, and two nodes.
// `order` stands for what the command follows; when the command is over, for what later commands follow. `durable`
// stands for what is durable then.
#pragma once

#include <map>
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
  /// A launch is over. Its own nodes join the command's.
  void end(u64 ticket, std::span<const u32> order, std::span<const u32> durable);
  /// A copy or fill. `cached`: its bytes are in the host's caches, and durable when they are flushed. Else they are
  /// durable when the transfer is over, if the model says so (durable_at_end).
  void transfer(std::span<const u64> words, bool cached);
  /// Work of the host flushes [begin, end): the bytes are durable when this command is over.
  void flush(u64 ticket, u64 begin, u64 end);
  /// This persist rests in a cache that a crash empties, until the host flushes it.
  void rests_in_cache(u32 node);

  // The host.
  void wait(u64 ticket);
  /// Waits for all commands up to this ticket.
  void wait_for_all(u64 last);
  void store(std::span<const u64> words);
  /// The host's stores to [begin, end) are durable now.
  void persist(u64 begin, u64 end);
  /// Everything of the pool at this address is durable.
  void end_pool(u64 address);
  void acknowledge(u64 progress);
  void map_pool(u64 address);

 private:
  struct Command {
    Nodes nodes;
    std::vector<u64> after;  // tickets of the commands that it waits for
    bool resolved = false;   // the nodes of `after` have joined its own
  };
  Command& resolve(u64 ticket);
  /// What the model promises to the host: that this is durable now. Under a model where everything that is performed is
  /// durable, this is the run's last persist.
  u32 promised() const {
    return axioms_.across == PersistAxioms::Across::performance ? persists_.last() : host_.durable;
  }

  /// The nodes of stores to [begin, end) that nothing has made durable yet. From here on they count as covered.
  std::vector<u32> cover(u64 begin, u64 end);

  const EventFile& events_;
  const PersistAxioms& axioms_;
  PersistGraph& graph_;
  PersistWords& persists_;
  std::unordered_map<u64, Command> commands_;
  std::vector<u64> ended_;  // commands that are over, and that no full wait has waited for
  Nodes host_;
  // Stores that no persist call and no flush has covered, by their address: those of the host, of its cores, and of
  // kernels that write into its caches.
  std::multimap<u64, u32> open_;
};

}  // namespace ew::check
