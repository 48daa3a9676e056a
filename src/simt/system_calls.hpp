// Functions that the simulator answers: printf, the device heap, assert, the registration of assist routines. Arguments
// lie in the caller's frame, in local memory. Owned by an Executor.
#pragma once

#include <string>
#include <vector>

#include "simt/reports.hpp"

namespace ew::simt {

class SystemCalls {
 public:
  /// All outlive it.
  SystemCalls(DeviceServices& services, const memory::AddressSpace& space, FaultReports& faults,
              const AssistLimits& assist)
      : services_(services), space_(space), faults_(faults), assist_(assist) {}

  /// False: a fault.
  bool call(Warp&, const ptx::CallForm&, LaneMask);

 private:
  bool print(Warp&, const ptx::CallForm&, u32 lane);
  bool free(Warp&, u32 lane, u64 address);
  bool register_assist(Warp&, const ptx::CallForm&, u32 lane);
  std::string assertion(Warp&, const ptx::CallForm&, u32 lane) const;
  const u8* readable(const Warp&, u32 lane, u64 address, u64 bytes, std::vector<u8>& copy) const;

  DeviceServices& services_;
  const memory::AddressSpace& space_;
  FaultReports& faults_;
  const AssistLimits& assist_;
};

}  // namespace ew::simt
