// Writes the events of persist_events.hpp while a program runs. Owned by runtime/'s PersistentMemory, only when asked
// for (EVERWARP_EVENTS); everyone else keeps a pointer that is null otherwise. event_recorder.cpp has what the device
// does, event_recorder_host.cpp what the host does.
//
// Threads: device events come from the machine's thread, the others from any. An access is performed and recorded
// under lock(), so that the host's own stores are told from a kernel's. They are found by comparing a pool with what is
// known of it. In functional mode what is performed is in the pool, and the host's stores are durable as they come:
// they are looked for at every event of the host. On a timing machine a kernel's store is in the pool some time after
// it has been performed, and the host's are durable only when it hands them over: they are looked for then, but not in
// words that a kernel or copy has written which is still under way.
#pragma once

#include <mutex>
#include <span>
#include <string>

#include "memory/dma_transfer.hpp"
#include "simt/block.hpp"
#include "simt/event_writer.hpp"
#include "simt/operation.hpp"
#include "simt/pool_contents.hpp"
#include "simt/recorded_launches.hpp"

namespace ew::simt {

/// Whose access it is: on a timing machine the warp may be gone when its store is performed.
struct AccessOrigin {
  const Grid* grid = nullptr;
  u64 block = 0;
  u32 warp = 0;
};

struct MappedPool {
  std::string path;
  u64 address = 0, size = 0, header_bytes = 0;
  u64 cycle = 0, writes = 0;  // the last that had begun; durable writes so far
};

/// What lies between a write to a pool and the medium, on this machine.
struct PathsToPools {
  bool bounced = false;         // the host's cores make copies from and to pools
  bool caches_durable = false;  // what is in its caches survives a crash (eADR)
  bool ddio = false;            // else: kernels write into them, but in a region of gpm_persist_begin()
};

class EventRecorder {
 public:
  /// Throws core::UserError when the file cannot be written.
  EventRecorder(const std::string& file, bool timing, PathsToPools paths);
  ~EventRecorder();

  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  // Device side; with lock() held.

  /// Functional mode: the process kills itself (SIGKILL) right after the Nth record that changes a pool. 0: never.
  void crash_at(u64 change) { writer_.crash_at(change); }

  /// Must this access be recorded, lane by lane if it is an atomic?
  bool wants(const MemoryOp&) const;
  using Origin = AccessOrigin;
  static Origin origin_of(const Warp& warp) { return {warp.block->grid, warp.block->number, warp.index}; }
  /// It has been performed for op.lanes on bytes at address + bias (of lines on their way; 0: where they stand). Of an
  /// atomic: one lane, which found `old`.
  void performed(const MemoryOp&, const Origin&, u64 bias, u64 old = 0);
  void performed(const SyncOp&);

  // Host side.

  void submitted(u64 ticket, std::span<const u64> after);
  void waited(u64 ticket);
  void waited_for_all(u64 last_ticket);
  void began(u64 ticket, LaunchId, const Launch&);
  void ended(LaunchId);
  /// gpm_persist_begin() (inside) and gpm_persist_end().
  void set_inside_region(bool inside);
  /// On a timing machine, where it takes time.
  void transfer_began(const memory::DmaTransfer&);
  /// It has been performed. REQUIRES: lock() is held; in functional mode, as it was while it was performed.
  /// `by_host`: a core of the host has written, through its caches; it is durable when it is flushed, or at once if the
  /// caches are.
  void transferred(u64 ticket, const memory::DmaTransfer&, bool by_host = false, Carrier = Carrier::copy);
  /// Whether a core of the host makes this copy from or to a pool, where the machine's host makes them. Fills are never
  /// its.
  bool is_by_host(const memory::DmaTransfer& transfer) const { return paths_.bounced && transfer.pattern.empty(); }
  /// Work of the host, with this ticket, begins to flush these bytes.
  void flushes(u64 ticket, u64 address, u64 size);
  /// Launches and transfers under way will not end.
  void dropped();
  void pool_mapped(const MappedPool&);
  void pool_unmapped(u64 address);
  void host_persisted(u64 address, u64 size);
  /// A timing machine drains at its end: the host's stores to every pool are durable.
  void drained();
  void acknowledged(u64 progress);
  /// Writes what is left; nothing is recorded afterwards.
  void close();

 private:
  EventRecord record_of(EventKind, const Origin&, ptx::Pc, LaneMask);
  /// What the instruction asked for, or the region in which it stands.
  void set_order(EventRecord&, const MemoryOp&, const Origin&);
  void put_values(const EventRecord&, const MemoryOp&, u32 lane, u64 bias, u64 old);
  void order(const SyncOp&, EventAction, Scope);
  void find_stores_before_persist(u64 address, u64 size);
  void put_persist(u64 address, u64 size);
  bool is_persist(const MemoryOp&, u32 lane) const;
  LaneMask lanes_worth_it(const MemoryOp&) const;

  std::mutex mutex_;
  EventWriter writer_;
  RecordedLaunches launches_;
  PoolContents pools_;
  const bool timing_;
  const PathsToPools paths_;
  bool inside_region_ = false;
};

}  // namespace ew::simt
