// The medium of non-volatile memory, one channel of it: a write-pending queue that belongs to the persistence domain,
// before banks that read and write whole granules (256 bytes inside Optane).
//
// A write is durable when the queue has it: its bytes go to the durable image at that moment, and its client is told. A
// read of bytes of a write that waits for room comes behind it; what the queue or the buffer of granules read last has
// costs the banks nothing. The medium takes accesses, lets time run and answers. What it must remember and decide for
// that is kept by its parts:
//   nvm_granules.hpp     which bytes of which granules an access has
//   nvm_arrivals.hpp     writes that wait for room, and reads behind them
//   nvm_write_queue.hpp  the write-pending queue
//   nvm_reads.hpp        reads that wait for the banks, and the buffer
//   nvm_pages.hpp        pages whose place in the medium is known
//   nvm_scheduler.hpp    which read or write the banks do next
//   nvm_bus.hpp          how long that takes
// Owned by a device; bytes that stay in the queue are safe and are no work under way.
#pragma once

#include "core/time_wheel.hpp"
#include "media/nvm_arrivals.hpp"
#include "media/nvm_bus.hpp"
#include "media/nvm_config.hpp"
#include "media/nvm_granules.hpp"
#include "media/nvm_pages.hpp"
#include "media/nvm_reads.hpp"
#include "media/nvm_scheduler.hpp"
#include "media/nvm_write_queue.hpp"
#include "memory/device.hpp"
#include "memory/durable_image.hpp"

namespace ew::media {

struct MediaParts;

class NvmMedium {
 public:
  class Client {
   public:
    virtual ~Client() = default;
    /// The access with this token is done: its bytes are durable, or read. Called from the wheel in that cycle.
    virtual void medium_done(u64 token) = 0;
  };

  /// `channels`: over how many the bandwidths are spread. `rows`: of nvm.rows; nullptr: none.
  NvmMedium(const NvmConfig&, const MediaParts&, u32 channels, Client&, const DramConfig* rows = nullptr);

  /// Arrives at the memory controller now. Order of arrival is kept for each byte. The payload is the medium's.
  void arrive(const NvmAccess&);
  /// Bytes in [begin, end) of the program that wait for room are durable otherwise, or not wanted any more.
  void drop(u64 begin, u64 end);

  u64 in_flight() const { return under_way_; }
  /// Adds the medium's figures.
  void add_to(memory::DeviceStatistics&) const;

 private:
  void arm(core::Cycle);
  void step(u64 cycle, u64);
  void accept_arrivals();
  bool accept(NvmArrivals::Arrival&);
  bool put(const NvmAccess&, const NvmGranules::Span&, u64 granule);
  void begin_read(const NvmAccess&);
  void serve_one();
  void serve_read();
  void serve_write();
  void done(u64 token, u64 = 0);

  core::TimeWheel& wheel_;
  memory::Payloads* const payloads_;
  memory::DurableImage* const durable_;
  Client& client_;
  const core::Cycle latency_, write_latency_;

  const NvmGranules granules_;
  NvmArrivals arrivals_;
  NvmWriteQueue writes_;
  NvmReads reads_;
  NvmPages pages_;
  NvmBus bus_;
  NvmScheduler scheduler_;
  core::Cycle armed_ = core::never;
  u64 under_way_ = 0, granules_read_ = 0, granules_written_ = 0, granules_merged_ = 0, page_misses_ = 0;
};

}  // namespace ew::media
