// From the events of a run to its PersistGraph under a model: the axioms of ../shared/notes/memory-models.md 5.2.3 and
// 5.3, epoch by epoch. One builder a graph.
//
// What a thread's next persist must follow is `in`; what its persists so far are is `own` and `open` (those that no
// node stands for yet); what must be durable once anything after this point is, is `durable` (dFence; in gpm every
// system fence). A release publishes in + own + open, an acquire adds what was published to `in`, a fence or barrier
// moves own + open to `in`. Volatile accesses are known as far as they are strong (relaxed and stronger, volatile,
// atomics): a program that passes data through plain accesses has a race, and orders nothing here.
#pragma once

#include <memory>
#include <unordered_map>

#include "check/event_file.hpp"
#include "check/persist_graph.hpp"
#include "check/pool_table.hpp"

namespace ew::check {

/// An access or a fence, as one side of a synchronisation.
inline Widening::Side side_of(const EventRecord& record) {
  return {.launch = record.launch, .pc = record.pc, .scope = record.scope, .action = record.action};
}

/// The whole run.
PersistGraph build_persist_graph(const EventFile&, PersistModel);

class PersistBuilder {
 public:
  PersistBuilder(const EventFile& events, PersistModel model) : events_(events), model_(model), words_(events) {}

  /// One event; in order.
  void take(const EventRecord&, std::span<const u64> words);
  /// Persists of this record have the numbers from here on.
  u32 persists() const { return graph_.size(); }
  PersistGraph finish();

 private:
  struct Thread {
    u32 in = 0, own = 0, durable = 0;
    u32 pending_block = 0, pending_device = 0;  // read by relaxed loads: acquired by the next fence
    u32 fence_block = 0, fence_device = 0;      // published by the last fence of that scope or wider
    u32 fence_pc = 0;
    Scope fence_scope = Scope::none;
    Widening::Side pending_writer;  // of what pending_device stands for
    bool open_covers_in = false;    // a persist of `open` follows all of `in`
    u32 barrier = 0;                // at which it stands: index + 1
    u64 spun_at = 0;                // address of the read that was its last event
    u32 spun_writes = 0;            // how many writes the location had had then
    std::vector<u32> open;
  };
  struct Barrier {
    std::vector<u32> order, durable;
    std::vector<u32> threads;
    u32 order_node = 0, durable_node = 0;
    bool complete = false;
  };
  /// What a location that may synchronise holds, and what reading it brings.
  struct Published {
    u64 block = 0;  // 0: to everyone in the device
    u32 psw = 0, csw = 0;
  };
  struct Write {
    u64 value = 0;
    u32 durable = 0;
    std::vector<Published> published;
    u32 everything = 0;     // sbrp_synced: what a release in its place would publish
    Widening::Side writer;  // the last release
    u64 block = 0;
    u32 node = 0;  // epoch: the event itself
  };
  struct Flag {
    Write last;
    u32 writes = 0;
    std::vector<Write> before;  // timing: a load may find an older value
    std::vector<u32> reads;     // epoch: since the last write
  };
  struct Block {
    std::vector<Thread> threads;
    std::unordered_map<u64, u32> open_barriers;  // id -> index
    std::vector<Barrier> barriers;
    std::unordered_map<u64, Flag> shared;
  };
  struct Launch {
    u32 order = 0, durable = 0;
    std::vector<std::unique_ptr<Block>> blocks;
  };
  struct Command {
    u32 order = 0, durable = 0;
    std::vector<u64> after;
    bool resolved = false;
  };
  struct Host {
    u32 order = 0, durable = 0;
    std::vector<u32> open;  // stores that no persist call has covered
  };
  struct Words {  // last writers of the bytes of an aligned word
    u32 node[8] = {};
  };
  /// One lane of an access.
  struct Lane {
    Thread* thread;
    Block* block;
    u64 block_id;
    u64 number;  // of the thread
    u64 address;
    const EventRecord* record;
  };

  // Threads (persist_builder.cpp).
  Block& block_of(const EventRecord&);
  Thread& thread_of(Block&, const EventRecord&, u32 lane);
  void leave_barrier(Block&, Thread&);
  u32 out(Thread&);
  void close_own(Thread&);
  void order_own(Thread&);
  void acquire(Thread&, u32 node);
  void wait_until_durable(Thread&);
  void fence(Thread&, const EventRecord&);
  void order(const EventRecord&);
  void arrive(const EventRecord&, std::span<const u64>);
  void access(const EventRecord&, std::span<const u64>);
  void store(const Lane&, std::span<const u64> value, bool reads_too);

  // Synchronisation (persist_synchronisation.cpp).
  Flag& flag_of(const Lane&);
  Flag* known_flag(const Lane&);
  void read_flag(const Lane&, u64 value, bool part_of_atomic);
  void write_flag(const Lane&, u64 value, bool part_of_atomic, u32 node);
  u32 flag_event(const Lane&, Flag&, bool writes);
  Scope wide(Scope) const;
  u32 mark_widened(u32 node, const Write&, const Lane&);
  void acquire_anyway(const Write&, const Lane&);
  void release_by_fence(Thread&, Widening::Side&);

  // Persists.
  u32 add_persist(const Persist&, std::span<const u32> before);
  void store_pieces(const Lane&, std::span<const u64> value, u32 flag_node);

  // Host and launches (persist_commands.cpp).
  Command& resolve(u64 ticket);
  void submit(std::span<const u64>);
  void wait(const EventRecord&, u64 ticket);
  void begin_launch(const EventRecord&, std::span<const u64>);
  void end_launch(const EventRecord&);
  void host_store(std::span<const u64>);
  void host_persist(u64 begin, u64 end);
  void transfer(std::span<const u64>);
  void acknowledged(u64 progress);
  void pool_mapped(u64 address);

  bool scoped() const { return model_ == PersistModel::sbrp || widened(); }
  bool widened() const { return model_ == PersistModel::sbrp_sys || synced(); }
  bool synced() const { return model_ == PersistModel::sbrp_synced; }
  bool epoch() const { return model_ == PersistModel::epoch; }
  bool gpm() const { return model_ == PersistModel::gpm; }
  bool unordered() const { return gpm() || model_ == PersistModel::gpm_ddio; }

  const EventFile& events_;
  PersistModel model_;
  PersistGraph graph_;
  std::vector<u32> scratch_;
  u32 last_persist_ = 0;                 // strict
  PoolTable<Words> words_;               // of pools
  std::unordered_map<u64, Flag> flags_;  // of global and pool memory
  std::vector<std::unique_ptr<Launch>> launches_{1};
  std::unordered_map<u64, Command> commands_;
  std::vector<u64> ended_;  // commands with persists or launches, not waited for by a full wait
  Host host_;
};

}  // namespace ew::check
