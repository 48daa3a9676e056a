// The persistent memory of the program, as include/everwarp/gpm.cuh offers it: pools, which of their bytes are durable,
// and the files that tell of both (the log of durable writes, events, acknowledgements). Owned by Machine, guarded by
// its mutex. A call stops the machine between two quanta, so that it sees and changes pools at one simulated moment.
//
// It outlives the simulators: they write to the durable image and the recorder.
#pragma once

#include <memory>
#include <string>

#include "memory/durable_image.hpp"
#include "runtime/acknowledgements.hpp"
#include "runtime/environment.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/pool.hpp"
#include "runtime/queue.hpp"
#include "simt/event_recorder.hpp"

namespace ew::runtime {

class PersistentMemory {
 public:
  /// Throws core::UserError when a file that the environment names cannot be written. The queue need not be made yet.
  PersistentMemory(const MachineConfig&, const Environment&, memory::AddressSpace&, Queue&);

  /// Pools::map; throws core::UserError when the machine cannot have pools (why_no_pools).
  void* map(const std::string& path, u64 size, bool create, PoolUsers = PoolUsers::host_and_kernels);
  /// Pools::unmap, and the machine forgets what it holds of these bytes on their way to the medium. REQUIRES: no kernel
  /// is under way.
  void unmap(void* address);
  /// Pools::make_durable, and the machine forgets likewise.
  void make_durable(u64 address, u64 size);
  /// A core of the host flushes as much, in simulated time (host::Act::flush); else make_durable() does it in none.
  bool host_flushes() const { return host_flushes_; }
  /// The program will have work of the host.
  void expect_host_work();
  /// Pools::settle.
  void settle(u64 address, u64 size) { pools_.settle(address, size); }
  /// Pools::register_host and unregister_host.
  bool register_host(u64 address, u64 size) { return pools_.register_host(address, size); }
  bool unregister_host(u64 address) { return pools_.unregister_host(address); }
  /// gpm_acknowledge().
  void acknowledge(u64 progress);
  /// gpm_persist_begin() (inside) and gpm_persist_end(). REQUIRES: no kernel is under way.
  void set_inside_region(bool inside);
  bool inside_region() const { return inside_region_; }

  const Pools& pools() const { return pools_; }
  /// What timing machines have made durable. In functional mode nothing is written to it: a store is durable at once.
  memory::DurableImage& durable() { return durable_; }
  /// Where events of persistency go; nullptr: they are not recorded.
  simt::EventRecorder* recorder() const { return recorder_.get(); }

  /// The program ends: everything of every pool is durable. Throws core::UserError.
  void drain(Simulator&);
  /// A signal ends the program, and pools stay as a killed process leaves them. Throws core::UserError.
  void flush_log() { durable_.flush_log(); }
  /// Nothing more is recorded. `drained`: pools are. Throws core::UserError.
  void close_records(bool drained);

 private:
  const MachineConfig& config_;
  Queue& queue_;
  std::unique_ptr<simt::EventRecorder> recorder_;
  memory::DurableImage durable_;
  Acknowledgements acknowledgements_;
  Pools pools_;
  bool inside_region_ = false;
  const bool host_flushes_;  // a timing machine, with pools beside the host's memory
};

}  // namespace ew::runtime
