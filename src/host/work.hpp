// Timed work of the host, as a value: steps, one after the other, each shared by some threads. What a stream is given
// (<everwarp/host.cuh>), what a call of a file system becomes, and what functional mode does at once.
#pragma once

#include <vector>

#include "core/types.hpp"

namespace ew::host {

enum class Act : u8 {
  compute,  // takes `picoseconds` of each thread
  copy,     // bytes go from `from` to `to` by ordinary loads and stores
  stream,   // the same by non-temporal stores, then a fence: they have reached the memory controller
  flush     // clwb of each line of [to, to + bytes), then a fence
};

struct Step {
  Act act = Act::compute;
  u32 threads = 1;                  // equal parts, in whole lines
  u64 to = 0, from = 0, bytes = 0;  // addresses of the program. A copy or stream from 0: zeros are written
  u64 picoseconds = 0;
};

struct Work {
  std::vector<Step> steps;
};

/// Lines of the host's caches, and of these steps.
inline constexpr u64 host_line = 64;

/// Which bytes of the step are the thread's: [begin, end) behind `to`.
struct Share {
  u64 begin = 0, end = 0;
};
Share share_of(const Step&, u32 thread);

/// The same now, on the calling thread, without simulated time: bytes move.
void perform(const Work&);

}  // namespace ew::host
