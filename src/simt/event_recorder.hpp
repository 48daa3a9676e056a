// Writes the events of persist_events.hpp while a program runs. Owned by runtime/'s Machine, only when asked for
// (EVERWARP_EVENTS); everyone else keeps a pointer that is null otherwise.
//
// Threads: device events come from the machine's thread, the others from any. An access is performed and recorded
// under lock(), so that the host's own stores are told from a kernel's. They are found by comparing a pool with what is
// known of it. In functional mode what is performed is in the pool, and the host's stores are durable as they come:
// they are looked for at every event of the host. On a timing machine a kernel's store is in the pool some time after
// it has been performed, and the host's are durable only when it hands them over: they are looked for then, but not in
// words that a kernel or copy has written which is still under way.
#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "memory/dma_transfer.hpp"
#include "simt/block.hpp"
#include "simt/operation.hpp"
#include "simt/persist_events.hpp"

namespace ew::simt {

class EventRecorder {
 public:
  /// Throws core::UserError when the file cannot be written.
  EventRecorder(const std::string& file, bool timing);
  ~EventRecorder();

  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  // Device side; with lock() held.

  /// Functional mode: the process kills itself (SIGKILL) right after the Nth record that changes a pool. 0: never.
  void crash_at(u64 change) { crash_at_ = change; }

  /// Must this access be recorded, lane by lane if it is an atomic?
  bool wants(const MemoryOp&) const;
  /// Whose access it is: on a timing machine the warp may be gone when its store is performed.
  struct Origin {
    const Grid* grid = nullptr;
    u64 block = 0;
    u32 warp = 0;
  };
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
  /// On a timing machine, where it takes time.
  void transfer_began(const memory::DmaTransfer&);
  /// It has been performed. REQUIRES: lock() is held; in functional mode, as it was while it was performed.
  void transferred(u64 ticket, const memory::DmaTransfer&);
  /// Launches and transfers under way will not end.
  void dropped();
  struct MappedPool {
    std::string path;
    u64 address = 0, size = 0, header_bytes = 0;
    u64 cycle = 0, writes = 0;  // the last that had begun; durable writes so far
  };
  void pool_mapped(const MappedPool&);
  void pool_unmapped(u64 address);
  void host_persisted(u64 address, u64 size);
  /// A timing machine drains at its end: the host's stores to every pool are durable.
  void drained();
  void acknowledged(u64 progress);
  /// Writes what is left; nothing is recorded afterwards.
  void close();

 private:
  struct Pool {
    u64 begin = 0, end = 0;
    std::vector<u64> known;    // its content without stores of the host that were not seen yet
    std::vector<u64> written;  // timing: by what is under way; one bit a word
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  enum class RegionKind : u8 { none, ofence, dfence, prel, pacq };
  struct Region {
    RegionKind kind = RegionKind::none;
    Scope scope = Scope::none;
  };
  struct KnownKernel {
    u32 number = 0;
    std::string name;
    std::vector<Region> regions;  // per pc
  };
  struct Running {
    u32 number = 0;
    const KnownKernel* kernel = nullptr;
  };

  void put(const EventRecord&);
  void put(u64 word) { buffer_.push_back(word); }
  void begin(EventRecord);
  void finish();
  void finish_change();
  void write_out();
  const KnownKernel& describe(const ptx::Kernel&);
  const Running& running(const Grid&);
  EventRecord record_of(EventKind, const Origin&, ptx::Pc, LaneMask);
  void order(const SyncOp&, EventAction, Scope);
  bool in_pool(u64 address) const { return address - low_ < high_ - low_; }
  bool is_persist(const MemoryOp&, u32 lane) const;
  LaneMask lanes_worth_it(const MemoryOp&) const;
  void device_wrote(u64 address, u64 bytes);
  void over();
  void settle();
  template <class Visit>
  void each_piece(u64 address, u64 bytes, Visit&& visit);
  void find_host_stores(u64 begin, u64 end);
  void find_all_host_stores();

  std::mutex mutex_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<u64> buffer_;
  std::size_t record_begin_ = 0;
  const bool timing_;
  u64 under_way_ = 0;               // timing: launches and transfers
  u64 changes_ = 0, crash_at_ = 0;  // records that have changed a pool
  std::vector<Pool> pools_;
  u64 low_ = 0, high_ = 0;  // of all pools that are mapped
  std::unordered_map<const ptx::Kernel*, KnownKernel> kernels_;
  u32 kernel_count_ = 0, launch_count_ = 0;
  std::unordered_map<LaunchId, Running> running_;
  const Grid* last_grid_ = nullptr;
  LaunchId last_id_ = 0;
  Running last_;
};

}  // namespace ew::simt
