// Non-volatile memory beside the host's DRAM, behind the host link (PM-far).
//
// A read sends a packet without data to the host and gets its bytes back; a write sends its bytes and, if a client
// waits for it, gets a packet without data back. With DDIO a write ends in the host's last-level cache and is done
// there; its bytes are durable when the cache evicts them into the medium's write-pending queue, or, with eADR, at
// once. Without DDIO (gpm_persist_begin) it is done when that queue has it: durable. A write without DDIO to a line
// that the cache has sends the line on first. With nvm.line_merge such writes, and reads, go through PostedWrites. With
// nvm.repeated_flush the flushes of the host's cores go through RepeatedFlushes.
// Owned by the machine; the link is shared.
#pragma once

#include <memory>
#include <vector>

#include "media/answer_port.hpp"
#include "media/host_turns.hpp"
#include "media/last_level_cache.hpp"
#include "media/nvm_medium.hpp"
#include "media/request_slots.hpp"
#include "memory/host_link.hpp"

namespace ew::media {

class HostNvm final : public memory::Device, public NvmMedium::Client, public LastLevelCache::Memory {
 public:
  /// REQUIRES: parts.host_link, parts.host_cache.
  HostNvm(const NvmConfig&, const HostMemoryConfig&, const MediaParts&);

  bool serve(const memory::DeviceRequest&) override;
  void notify_when_free(bool write, core::TimeWheel::Handler, void* target, u64 a) override;
  void drop(u64 begin, u64 end) override;
  /// With eADR the cache is in the persistence domain: a persist region need not write past it.
  void persist_region(bool inside) override { ddio_ = cached_ && (!inside || eadr_); }
  u64 in_flight() const override { return slots_.in_flight() + loose_evictions_; }
  const memory::DeviceStatistics& statistics() const override;
  void tell(core::AccountHolders& holders, u32 number) override { accounts_.tell(holders, number); }
  memory::DeviceStatistics take(core::Account account) override { return accounts_.take(account); }

  void medium_done(u64 token) override;
  void evicted(const LastLevelCache::Line&, u64 number, const u8* bytes) override;

 private:
  struct Slot {
    memory::DeviceRequest request;
    u32 parts = 1;  // the answer, and evictions for which the medium has no room yet
  };

  void at_host(u64 slot, u64 taken);  // 0: it has just arrived; 1: its turn has come
  void read(u32 slot);
  void write_to_cache(u32 slot);
  void write_through(u32 slot);
  void put_in_cache(u32 slot, u64 number, u64 address, const u8* bytes, const memory::ByteMask&);
  void serve_core(u32 slot);
  void fetched_for_core(u32 slot);
  void flush(u64 slot, u64 taken);  // as at_host()
  void host_done(u64 slot, u64);
  void finish(u64 slot, u64);
  void release(u32 slot);

  core::TimeWheel& wheel_;
  AnswerPort answers_;
  memory::Payloads* const payloads_;
  memory::DurableImage* const durable_;
  const bool eadr_;
  const core::Cycle cache_latency_;
  HostTurns turns_;
  LastLevelCache& cache_;
  const bool cached_;  // DDIO may be on
  bool ddio_;
  u32 evicting_for_ = ~u32{0};  // the slot whose line takes the place of one that is evicted; ~0: nobody's
  u64 loose_evictions_ = 0;     // on their way to the medium for nobody's slot
  NvmMedium medium_;
  RequestSlots<Slot> slots_;
  core::Accounts<memory::DeviceStatistics> accounts_;
  mutable memory::DeviceStatistics statistics_;
};

}  // namespace ew::media
