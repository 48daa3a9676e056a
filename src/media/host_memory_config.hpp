// What a machine file says of the host's memory and its last-level cache. A value, owned by MachineConfig.
#pragma once

#include <string>

#include "core/fields.hpp"

namespace ew::media {

struct HostMemoryConfig {
  std::string model = "host-memory";
  core::BytesPerSecond bandwidth{100'000'000'000};  // of the DRAM, reads and writes together
  core::Picoseconds latency{90'000};                // of the DRAM
  core::Picoseconds llc_latency{20'000};
  core::Bytes llc{32ull << 20};
  u32 llc_ways = 16;
  u32 llc_line = 64;
  std::string llc_replacement = "lru";
  bool ddio = true;
  u32 ddio_ways = 2;
  u32 queue = 512;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    visit("model", self.model, Range{}, "", "Which medium the host's memory is.",
          "what the fields of this section describe");
    visit("bandwidth", self.bandwidth, Range{0.001, 100000}, "", "Bandwidth of host DRAM, reads and writes together.",
          "six channels of DDR4-2133 to -2666, as of usual servers");
    visit("latency", self.latency, Range{0, 1e9}, "", "Latency of host DRAM, from the root port.",
          "order of magnitude of published load latencies");
    visit("llc_latency", self.llc_latency, Range{0, 1e9}, "",
          "Latency of the host's last-level cache, from the root port.",
          "order of magnitude of published load latencies");
    visit("llc", self.llc, Range{0, 1 << 29}, "", "Size of the host's last-level cache; 0: none.",
          "assumed: near those of server processors (GPM's Xeon Gold 6242 has 22 MiB)");
    visit("llc_ways", self.llc_ways, Range{1, 64}, "ways", "Ways of each set of this cache.",
          "assumed: between the 11 and 20 ways of Intel's server processors");
    visit("llc_line", self.llc_line, Range{16, 4096}, "bytes", "Bytes of a line of this cache.", "x86 processors");
    visit(
        "llc_replacement", self.llc_replacement, core::Choices{{"lru", "random"}}, "",
        "Which line of a full set makes room for a core's line: the least recently used, or any. With random, lines "
        "that a core wrote in order are written back in no order, and fewer of a granule meet in non-volatile memory.",
        "lru: a choice; Intel's processors have a policy of their own that is not published");
    visit("ddio", self.ddio, Range{}, "",
          "true: writes of the device go into the last-level cache, not to DRAM (Data Direct I/O).",
          "Intel Data Direct I/O Technology: on by default");
    visit("ddio_ways", self.ddio_ways, Range{1, 64}, "ways", "Ways of each set that writes of the device may take.",
          "Intel, IIO_LLC_WAYS: two ways by default");
    visit("queue", self.queue, Range{1, 1 << 20}, "requests", "Requests under way to host memory.",
          "assumed: as many as one copy engine has under way (copy.outstanding)");
  }
};

}  // namespace ew::media
