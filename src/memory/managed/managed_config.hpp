// Managed memory of a GPU with a memory of its own: pages move when they are touched. Filled from the machine file by
// runtime/.
#pragma once

#include <string>

#include "core/fields.hpp"

namespace ew::memory {

struct ManagedConfig {
  std::string placement = "migrate";
  core::Bytes page{64 << 10};
  core::Picoseconds fault{20'000'000};
  u32 batch = 256;
  core::Picoseconds handler{0};
  core::Bytes evicted{2 << 20};

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    visit("placement", self.placement, core::Choices{{"migrate", "resident"}}, "",
          "migrate: managed pages start on the host and move when a kernel touches them; resident: they always lie in "
          "the GPU's memory (a GPU that shares the host's memory has no other).",
          "CUDA C++ Programming Guide, Unified Memory Programming");
    visit("page", self.page, Range{4096, 1 << 26}, "", "What migrates at once; a power of two.",
          "NVIDIA's driver migrates blocks of 64 KiB (Sakharnykh, GTC 2017, Unified Memory on Pascal and Volta)");
    visit("fault", self.fault, Range{0, 1e9}, "", "From a fault to the start of its page's transfer.",
          "Zheng et al., HPCA 2016, Towards High Performance Paged Memory for GPUs: 20 to 50 us");
    visit("batch", self.batch, Range{1, 65536}, "faults", "Faults that are handled at the same time.",
          "default batch of NVIDIA's UVM driver");
    visit("handler", self.handler, Range{0, 1e9}, "",
          "Time of the driver's fault handler for each fault, one fault after the other; 0: no limit but `batch`.",
          "a100-80gb: BaM, appendix B.2, 500 K faults a second with the handler's core fully used; no other figure");
    visit(
        "evicted", self.evicted, Range{4096, 1 << 30}, "",
        "What leaves the device's memory at once when it is full: the block of so many bytes whose last page came the "
        "longest ago; a power of two, and at least a page.",
        "NVIDIA's driver evicts blocks of 2 MiB (Allen and Ge, SC 2021, In-depth analyses of unified virtual memory)");
  }
};

}  // namespace ew::memory
