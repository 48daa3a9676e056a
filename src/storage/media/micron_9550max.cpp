#include "storage/media/models.hpp"

namespace ew::storage {

using namespace core::literals;

DriveModel drives::micron_9550max() {
  return {
      .name = "9550max",
      .sentence = "Micron 9550 MAX, 6.4 TB: data-centre NAND, PCIe 5.0 x4.",
      .generation = 5,
      .commands = 1024,     // assumed: more than its rate times its latency, 198
      .queues = 128,        // assumed
      .entries = 8192,      // assumed
      .transfer = 128_KiB,  // assumed
      // page, stream, latency: Micron: 3.3 M/s, 14 GB/s, typically 60 us. small: assumed, as a page.
      .read = {.small = 3'300'000, .page = 3'300'000, .stream = {14'000'000'000}, .latency = 60'000_ns},
      // page, stream, latency: Micron: 0.64 M/s, 10 GB/s, typically 15 us. small: assumed, as a page.
      .write = {.small = 640'000, .page = 640'000, .stream = {10'000'000'000}, .latency = 15'000_ns},
      .buffer = 1_MiB,         // assumed
      .atomic = 512_B,         // assumed: the least that NVMe allows
      .unwritten = 10'000_ns,  // assumed
  };
}

}  // namespace ew::storage
