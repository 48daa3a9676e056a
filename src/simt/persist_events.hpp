// What a run did that matters to persistency, as a file: persists, order operations, accesses that synchronise,
// barriers, launches and what the host did with pools. Written by simt/event_recorder.hpp, read by
// check/event_file.hpp.
//
// A file is `event_magic`, then records. A record is an EventRecord and `words` 64-bit words behind it. Records stand
// in the order in which things were performed; a warp's access is one record, lane after lane in lane order. The last
// record is `end`: a file without it was cut off.
#pragma once

#include "core/types.hpp"

namespace ew::simt {

inline constexpr u64 event_magic = 0x32544e4556455745;  // "EWEVENT2"

enum class EventKind : u8 {
  kernel,     // number in `launch`; words: packed text (see RecordedLaunches::describe)
  submitted,  // a command of a stream: words: its ticket, then the tickets that it waits for
  waited,     // the host has waited for the commands in words (tickets); later commands follow them
  launch,  // number in `launch`, kernel's number in `pc`; words: ticket, threads of a block, blocks; and 1 if what it
           // writes to pools ends in a cache that a crash empties (DDIO, outside of gpm_persist_begin)
  launch_end,  // number in `launch`
  pool,  // words: address, size, bytes of the file's header, packed: path, header, content; cycle and number of durable
         // writes
  pool_end,      // words: address. Everything of the pool is durable.
  host_store,    // of the host to pools; words: address, bytes, value, again and again (1, 2, 4 or 8 aligned bytes)
  host_persist,  // words: address, size: the host's stores there are durable now; or, with a third word, when the
                 // command of this ticket is over
  transfer,      // a copy or fill of the runtime into a pool; words: ticket, then as host_store. `pc`: a TransferPath
  load,          // of a location that may synchronise; words, for each lane: address, value
  store,         // a persist, or a store that may synchronise; words, for each lane: address, value (of 16 bytes: two)
  atomic,        // words, for each lane: address, old value, new value
  order,         // ofence, dfence or a fence: `action`, `scope`
  arrive,        // at a barrier; words: its number
  acknowledged,  // the host has told that this much of its work is durable; words: how much
  end            // block: how many records have changed a pool
};

/// Where a transfer's bytes are when it is over.
enum class TransferPath : u8 {
  medium,
  caches,  // of the host, whose core wrote them: durable when they are flushed
  ddio     // likewise, from the device: a copy engine, outside of gpm_persist_begin
};

/// What an instruction asked for. A region of include/everwarp/persist.cuh gives its accesses its own name.
enum class EventAction : u8 {
  none,
  weak,
  relaxed,
  acquire,
  release,
  acq_rel,
  prel,
  pacq,
  ofence,
  dfence,
  fence,
  sync_and_wait,  // bar.sync, bar.red
  sync_only,      // bar.arrive
  sync_warp       // bar.warp.sync; its barrier's number stands for the warp and the member mask
};

/// Who has moved the bytes of a transfer.
enum class Carrier : u8 {
  copy,        // cudaMemcpy, cudaMemset, host_copy
  file_write,  // host_file_write
  gwrite       // a daemon of GPUfs, for a kernel
};

struct EventRecord {
  EventKind kind = EventKind::end;
  EventAction action = EventAction::none;
  Scope scope = Scope::none;
  u8 bytes = 0;  // of one lane's access; of a transfer: its Carrier
  LaneMask lanes = 0;
  u32 pc = 0;
  u32 launch = 0;  // numbered from 1 in order of beginning
  u64 block = 0;
  u32 warp = 0;
  u32 words = 0;  // behind this record
};
static_assert(sizeof(EventRecord) == 32);

/// Set in the address of a location of shared memory, which is an offset in the block's.
inline constexpr u64 shared_address = u64{1} << 63;

}  // namespace ew::simt
