#include "simt/thread_local_memory.hpp"

#include <bit>

namespace ew::simt {

void ThreadLocalMemory::give(GridRun& run) {
  const ptx::Kernel& kernel = *run.grid->kernel;
  const u64 stack = kernel.functions.size() > 1 ? run.grid->launch.stack_bytes : 0;
  const u64 needed = kernel.functions[0].frame_bytes + stack;
  if (needed > bytes_) {
    const u64 lanes = u64{sms_} * most_warps * warp_lanes, bytes = std::bit_ceil(needed);
    const u64 begin = space_.allocate(memory::Region::internal, lanes * bytes, 256, "local memory");
    if (begin) begin_ = begin, bytes_ = bytes;
  }
  run.local_memory = begin_;
  run.local_bytes = bytes_;
}

}  // namespace ew::simt
