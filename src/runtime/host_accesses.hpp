// The traced accesses of the host (host_trace.cpp): where they meet the machine. Before an access to memory that
// kernels may touch, the machine simulates a little and stands still, so that what the host sees depends on its own
// accesses and not on its speed. Owned by Machine. Any thread, without the Machine's mutex.
#pragma once

#include "runtime/machine_config.hpp"
#include "runtime/pool.hpp"
#include "runtime/program_memory.hpp"
#include "runtime/queue.hpp"

namespace ew::runtime {

class HostAccesses {
 public:
  /// The queue need not be made yet.
  HostAccesses(const MachineConfig&, const ProgramMemory&, const Pools&, Queue&);

  /// An access is about to happen: where kernels may touch the address, the machine simulates (one quantum, or the
  /// access, where the host is a part of it) and stands still.
  void meet(u64 address, u64 bytes, bool store);
  /// Of a store at this address, the bytes up to where the next piece of it begins, which is met by itself.
  u64 piece(u64 address) const;

 private:
  bool shared(u64 address) const;
  bool in_pool(u64 address) const;
  bool part_of_machine(u64 address) const;

  const MachineConfig& config_;
  const ProgramMemory& memory_;
  const Pools& pools_;
  Queue& queue_;
};

}  // namespace ew::runtime
