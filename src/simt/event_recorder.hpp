// Writes the events of persist_events.hpp while a program runs. Owned by runtime/'s Machine, only when asked for
// (EVERWARP_EVENTS); everyone else keeps a pointer that is null otherwise.
//
// Threads: device events come from the machine's thread, the others from any. An access is performed and recorded
// under lock(), so that the host's own stores, which are found by comparing a pool with what is known of it, are told
// from a kernel's.
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
  /// `host_stores`: pools are the file's own memory (functional mode), so stores of the host can be found there. Throws
  /// core::UserError when the file cannot be written.
  EventRecorder(const std::string& file, bool host_stores);
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
  /// It has been performed. REQUIRES: lock() is held, as it was while it was performed.
  void transferred(u64 ticket, const memory::DmaTransfer&);
  void pool_mapped(const std::string& path, u64 address, u64 size, u64 header_bytes);
  void pool_unmapped(u64 address);
  void host_persisted(u64 address, u64 size);
  void acknowledged(u64 progress);
  /// Writes what is left; nothing is recorded afterwards.
  void close();

 private:
  struct Pool {
    u64 begin = 0, end = 0;
    std::vector<u64> known;  // its content without stores of the host that were not seen yet; empty: not compared
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
  void update_known(u64 address, u64 bytes);
  void find_host_stores(u64 begin, u64 end);

  std::mutex mutex_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<u64> buffer_;
  std::size_t record_begin_ = 0;
  bool host_stores_;
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
