// Timed work of the host, as a value: steps, one after the other. Some threads share each step. A stream carries such
// work (<everwarp/host.cuh>). A call of a file system becomes such work. Functional mode does it at once.
#pragma once

#include <vector>

#include "core/types.hpp"

namespace ew::host {

enum class Act : u8 {
  compute,  // each thread computes for `picoseconds`
  copy,     // copies bytes from `from` to `to` with ordinary loads and stores
  stream,   // copies with non-temporal stores; then a fence waits until the memory controller has them
  flush     // flushes each line of [to, to + bytes) (clwb); then a fence waits
};

struct Step {
  Act act = Act::compute;
  u32 threads = 1;                  // each has an equal part, in whole lines
  u64 to = 0, from = 0, bytes = 0;  // addresses of the program. A copy or stream with `from` 0 writes zeros
  u64 picoseconds = 0;
};

struct Work {
  std::vector<Step> steps;
};

/// The size of a line of the host's caches, in bytes. The steps work on such lines.
inline constexpr u64 host_line = 64;

/// The bytes of a step that belong to one thread: [begin, end), as offsets from `to`.
struct Share {
  u64 begin = 0, end = 0;
};
Share share_of(const Step&, u32 thread);

/// Does the work now, on the calling thread, in no simulated time: moves the bytes.
void perform(const Work&);

}  // namespace ew::host
