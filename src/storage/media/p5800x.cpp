#include "storage/media/models.hpp"

namespace ew::storage {

using namespace core::literals;

DriveModel drives::p5800x() {
  return {
      .name = "p5800x",
      .sentence = "Intel Optane P5800X: 3D XPoint, PCIe 4.0 x4.",
      // A fit, from BaM, section 2.2: 11 us at saturation, times 5.1 M reads of 512 bytes in a second.
      .commands = 56,
      // BaM, section 4, uses 128 pairs of 1,024 entries. It is not published whether the drive has more.
      .queues = 128,
      .entries = 1024,
      .transfer = 128_KiB,  // assumed
      // small: BaM, Table 2. page: Intel's 7.2 GB/s of sequential reads, in pages (the link limits BaM's figure, 1.5
      // M). latency: Intel's 6 us for one read of 4 KiB.
      .read = {.small = 5'100'000, .page = 1'757'812, .stream = {7'200'000'000}, .latency = 6'000_ns},
      // small: a fit to BaM's two numbers. Table 2 prints "1M", with no decimal. Ten drives at their peak make 10.6 M
      // (figure 4), so 1.06 M each. page: Table 2. stream: Intel's 6.5 GB/s (6.2 for 4 KiB in the table). latency:
      // assumed, as reads.
      .write = {.small = 1'040'000, .page = 1'500'000, .stream = {6'500'000'000}, .latency = 6'000_ns},
      .buffer = 64_KiB,       // assumed; it decides how soon writes meet the medium's rate
      .atomic = 512_B,        // assumed: the least that NVMe allows
      .unwritten = 5'000_ns,  // assumed
  };
}

}  // namespace ew::storage
