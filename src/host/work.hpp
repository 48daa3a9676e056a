// Timed work of the host, as a value: steps, one after the other. Some threads share each step. A stream carries such
// work (<everwarp/host.cuh>). A call of a file system becomes such work. Functional mode does it at once.
#pragma once

#include <vector>

#include "core/types.hpp"
#include "host/errand.hpp"

namespace ew::host {

enum class Act : u8 {
  compute,  // takes `picoseconds` of each thread
  copy,     // bytes go from `from` to `to` by ordinary loads and stores
  stream,   // the same by non-temporal stores, then a fence: they have reached the memory controller
  traced,   // each thread runs `body`, traced code of the program (TracedCore); it takes as long as it takes
  errand,   // no core does it: `errand` does its part number `from`
  flush     // clwb of each line of [to, to + bytes), then a fence
};

struct Step {
  Act act = Act::compute;
  u32 threads = 1;                  // equal parts, in whole lines
  u64 to = 0, from = 0, bytes = 0;  // addresses of the program. A copy or stream from 0: zeros are written
  u64 picoseconds = 0;
  void (*body)(void* argument, unsigned thread) = nullptr;  // with `from` as its argument
  Errand* errand = nullptr;                                 // lives until the work is over
};

/// Which call asked for the work, as far as a crash report tells them apart.
enum class Asked : u8 { by_copy, by_file_write, by_gwrite };

struct Work {
  std::vector<Step> steps;
  Asked asked = Asked::by_copy;
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
