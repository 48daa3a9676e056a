#include "storage/media/models.hpp"

namespace ew::storage {

using namespace core::literals;

DriveModel drives::samsung_980pro() {
  return {
      .name = "980pro",
      .sentence = "Samsung 980 Pro: consumer NAND with a volatile write cache, PCIe 4.0 x4.",
      // Identify of a drive, as a user of libnvm printed it: MAXCMD 256, queues of 16,384 entries, 129 of them with the
      // administrator's, transfers of 512 KiB. With it 256 / 0.8 M/s = 320 us at saturation; BaM, section 2.2: 324.
      .commands = 256,
      .queues = 128,
      .entries = 16'384,
      .transfer = 512_KiB,
      // small, page: 0.7985 M/s in BaM's artifact (Table 2: 0.7 to 0.8). stream: Samsung's 7 GB/s. latency: BaM, Table
      // 2: "O(100)" us.
      .read = {.small = 798'500, .page = 798'500, .stream = {7'000'000'000}, .latency = 100'000_ns},
      // small, page: BaM, Table 2: sustained, behind the cache. stream: Samsung's 5 GB/s. latency: assumed.
      .write = {.small = 172'000, .page = 172'000, .stream = {5'000'000'000}, .latency = 15'000_ns},
      .buffer =
          16_MiB,  // assumed: much smaller than the drive's pseudo-SLC cache, so that sustained rates are met soon
      .volatile_cache = true,
      .atomic = 512_B,         // assumed: the least that NVMe allows
      .unwritten = 10'000_ns,  // assumed
  };
}

}  // namespace ew::storage
