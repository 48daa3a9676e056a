// The threads and blocks of a recorded run, as PersistBuilder keeps them, and the locations that may synchronise them.
// Values. They are made when the run first names them, and end with their launch.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "check/block_barriers.hpp"
#include "check/event_file.hpp"
#include "check/thread_order.hpp"

namespace ew::check {

/// A thread's fences make synchronisations of the relaxed loads before them and the relaxed stores behind them. There
/// are two nodes of each kind: one for block scope, one for device scope.
struct ThreadFences {
  u32 read_block = 0, read_device = 0;            // what relaxed loads have read: the next fence acquires it
  Widening::Side writer;                          // the release that read_device comes from
  u32 published_block = 0, published_device = 0;  // what the last fence of this scope, or a wider one, has published
  u32 pc = 0;                                     // of the last fence
  Scope scope = Scope::none;
};

/// The thread's last event, if it was a read. When a loop reads the same value again, nothing new is acquired.
struct SpunRead {
  u64 address = 0;  // 0: the last event was no read
  u32 writes = 0;   // the number of writes to the location before that read
};

struct RecordedThread {
  ThreadOrder order;
  ThreadFences fences;
  SpunRead spun;
  u32 meeting = 0;  // 1 + the number of the meeting at which it waits (BlockBarriers); 0: it waits at no barrier
};

/// What a write to a flag (a location that may synchronise) publishes to the threads that read it.
struct FlagWrite {
  struct Published {
    u64 block = 0;  // to this block; 0: to the whole device
    u32 for_pacq = 0, for_acquire = 0;
  };
  u64 value = 0;
  u32 durable = 0;
  std::vector<Published> published;
  u32 everything = 0;     // under synced axioms: what a release in place of this write would publish
  Widening::Side writer;  // the last release
  u64 block = 0;
  u32 node = 0;  // only under models where conflicts order: the event itself
};

struct Flag {
  FlagWrite last;
  u32 writes = 0;
  std::vector<FlagWrite> before;  // in timing mode a load may find an older value
  std::vector<u32> reads;         // only under models where conflicts order: the reads since the last write
};

struct RecordedBlock {
  std::vector<RecordedThread> threads;
  BlockBarriers barriers;
  std::unordered_map<u64, Flag> shared;  // flags in the block's shared memory
};

struct RecordedLaunch {
  u32 order = 0, durable = 0;   // nodes: what it follows; what is durable when it begins
  bool cached = false;          // its fences and its end make nothing durable: the host must flush what it stores
  std::vector<u32> on_its_way;  // of a cached launch: persists that the host's cache may not have yet
  std::vector<std::unique_ptr<RecordedBlock>> blocks;
};

/// One lane of an access.
struct LaneAccess {
  RecordedThread& thread;
  RecordedBlock& block;
  u64 block_id;
  u64 number;  // of the thread in the launch
  u64 address;
  const EventRecord& record;
};

}  // namespace ew::check
