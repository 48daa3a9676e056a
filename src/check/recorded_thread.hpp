// The threads and blocks of a recorded run as PersistBuilder keeps them, and the locations that may synchronise them.
// Values, made as the run comes to them and gone with their launch.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "check/block_barriers.hpp"
#include "check/event_file.hpp"
#include "check/thread_order.hpp"

namespace ew::check {

/// What a thread's fences turn into synchronisations: the relaxed loads before them and the relaxed stores behind them.
/// Nodes are of those whom block scope reaches, and of those whom device scope reaches.
struct ThreadFences {
  u32 read_block = 0, read_device = 0;            // brought by relaxed loads: acquired by the next fence
  Widening::Side writer;                          // of what read_device stands for
  u32 published_block = 0, published_device = 0;  // by the last fence of that scope or wider
  u32 pc = 0;                                     // of the last fence
  Scope scope = Scope::none;
};

/// The read that was the thread's last event: a loop that finds the same again says nothing new.
struct SpunRead {
  u64 address = 0;  // 0: it was no read
  u32 writes = 0;   // how many writes the location had had then
};

struct RecordedThread {
  ThreadOrder order;
  ThreadFences fences;
  SpunRead spun;
  u32 meeting = 0;  // of the barrier at which it stands (BlockBarriers), and 1
};

/// What a write to a location that may synchronise brings to who reads it.
struct FlagWrite {
  struct Published {
    u64 block = 0;  // 0: to everyone in the device
    u32 for_pacq = 0, for_acquire = 0;
  };
  u64 value = 0;
  u32 durable = 0;
  std::vector<Published> published;
  u32 everything = 0;     // under synced axioms: what a release in its place would publish
  Widening::Side writer;  // the last release
  u64 block = 0;
  u32 node = 0;  // where conflicts order: the event itself
};

struct Flag {
  FlagWrite last;
  u32 writes = 0;
  std::vector<FlagWrite> before;  // timing: a load may find an older value
  std::vector<u32> reads;         // where conflicts order: since the last write
};

struct RecordedBlock {
  std::vector<RecordedThread> threads;
  BlockBarriers barriers;
  std::unordered_map<u64, Flag> shared;  // flags in the block's shared memory
};

struct RecordedLaunch {
  u32 order = 0, durable = 0;  // what it follows, and what is durable then
  std::vector<std::unique_ptr<RecordedBlock>> blocks;
};

/// One lane of an access.
struct LaneAccess {
  RecordedThread& thread;
  RecordedBlock& block;
  u64 block_id;
  u64 number;  // of the thread
  u64 address;
  const EventRecord& record;
};

}  // namespace ew::check
