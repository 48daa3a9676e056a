#include "storage/media/models.hpp"

namespace ew::storage {

using namespace core::literals;

DriveModel drives::pm1735() {
  return {
      .name = "pm1735",
      .sentence = "Samsung PM1735: low-latency NAND, PCIe 4.0 x8.",
      .lanes = 8,
      .commands = 256,  // assumed: no source gives its latency at saturation
      .queues = 128,    // BaM, section 4, uses 128
      .entries = 1024,
      .transfer = 128_KiB,  // assumed
      // small, page: BaM, Table 2 (a block of 512 bytes is read more slowly than a page). stream: Samsung's 8 GB/s.
      // latency: BaM, Table 2: "O(25)" us.
      .read = {.small = 1'100'000, .page = 1'600'000, .stream = {8'000'000'000}, .latency = 25'000_ns},
      // small, page: BaM, Table 2. stream: Samsung's 3.8 GB/s. latency: assumed, as the 9550's.
      .write = {.small = 351'000, .page = 351'000, .stream = {3'800'000'000}, .latency = 15'000_ns},
      .buffer = 1_MiB,        // assumed
      .atomic = 512_B,        // assumed: the least that NVMe allows
      .unwritten = 8'000_ns,  // assumed
  };
}

}  // namespace ew::storage
