// What a machine file says of non-volatile memory: where it stands and what its medium does. A value, owned by
// MachineConfig; media/nvm*.hpp read it.
#pragma once

#include <string>

#include "core/fields.hpp"

namespace ew::media {

/// Defaults: Optane modules behind PCIe, as on the platform of the GPM paper. Bandwidths are of all channels together.
/// "Izraelevitz 2019" is Izraelevitz et al., Basic Performance Measurements of the Intel Optane DC Persistent Memory
/// Module.
struct NvmConfig {
  std::string attach = "far";
  std::string near_model = "nvm", far_model = "host-nvm";
  u32 channels = 12;
  core::BytesPerSecond read_bandwidth{52'800'000'000};
  core::BytesPerSecond write_bandwidth{12'500'000'000};
  core::BytesPerSecond partial_bandwidth{5'970'000'000};
  core::BytesPerSecond random_bandwidth{0};
  u32 pages = 0;
  core::Picoseconds latency{305'000};
  core::Picoseconds write_latency{62'000};
  core::Bytes granule{256};
  u32 write_queue = 512;
  bool combine = true;
  u32 scheduler = 0;
  u32 write_high = 56, write_low = 32;
  bool rows = false;
  u32 read_buffer = 512;
  u32 queue = 512;
  core::BytesPerSecond fence_bandwidth{0};
  core::Picoseconds line_merge{0};
  core::Picoseconds repeated_flush{0};
  bool ddio = true;
  bool eadr = false;

  bool near() const { return attach == "near"; }
  bool none() const { return attach == "none"; }

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    visit("attach", self.attach, core::Choices{{"far", "near", "none"}}, "",
          "far: beside the host's DRAM, behind the host link; near: on the GPU, with channels of its own; none: pools "
          "cannot be mapped.",
          "SBRP, section 3: PM-far and PM-near");
    visit("near_model", self.near_model, Range{}, "", "Near: which medium a channel is.",
          "what the fields of this section describe");
    visit("far_model", self.far_model, Range{}, "", "Far: which medium stands beside the host's DRAM.",
          "what the fields of this section describe");
    visit("channels", self.channels, Range{1, 1024}, "channels",
          "Near: channels; the slices of the L2 are spread over them.",
          "SBRP artifact: as many as the GPU's memory has");
    visit("read_bandwidth", self.read_bandwidth, Range{0.001, 100000}, "", "Bandwidth of granules that are read.",
          "GPM, Table 3: eight modules; Izraelevitz 2019: 6.6 GB/s each");
    visit("write_bandwidth", self.write_bandwidth, Range{0.001, 100000}, "",
          "Bandwidth of granules that are written completely.",
          "GPM, section 6.1: 12.5 GB/s for sequential aligned writes");
    visit("partial_bandwidth", self.partial_bandwidth, Range{0, 100000}, "",
          "Bandwidth of granules of which a part is written: they are read, merged and written. The whole granule "
          "counts. "
          "0: the time of a read and a write.",
          "calibrated: GPM, section 6.1, 3.13 GB/s for unaligned writes, and 0.72 GB/s for random ones of 32 bytes");
    visit("random_bandwidth", self.random_bandwidth, Range{0, 100000}, "",
          "The same, of granules whose page the modules do not know (nvm.pages). 0: as partial_bandwidth.",
          "0: not simulated. titan-rtx-optane has 2.88: GPM's 0.72 GB/s of writes of 64 bytes, a granule of 256 each");
    visit(
        "pages", self.pages, Range{0, 1048576}, "pages",
        "Pages of 4 KiB of one channel whose place in the medium the modules know: those that were written last. 0: "
        "every page.",
        "0: not simulated. Wang et al. 2020, and the published configuration of their simulator VANS: 4,096 a module");
    visit("latency", self.latency, Range{0, 1e9}, "",
          "Time from a read's arrival at the memory controller to its data.", "Izraelevitz 2019: random reads");
    visit("write_latency", self.write_latency, Range{0, 1e9}, "",
          "Time from a write's arrival at the memory controller to its place in the write-pending queue.",
          "Izraelevitz 2019: a store and its clwb");
    visit("granule", self.granule, Range{32, 1024}, "",
          "Bytes that the medium reads and writes at once; a power of two.",
          "GPM, section 6.1: 256 bytes inside Optane");
    visit("write_queue", self.write_queue, Range{1, 65536}, "granules",
          "Write-pending queue of one channel: granules in which writes meet before the medium takes them. It belongs "
          "to the persistence domain (ADR).",
          "eight modules of 16 KiB: Wang et al. 2020, Characterizing and Modeling Non-Volatile Memory Systems");
    visit(
        "combine", self.combine, Range{}, "",
        "true: writes of one granule meet in the queue, and a granule written in part waits there for the rest; false: "
        "each write takes a place of its own and goes in its turn.",
        "Wang et al. 2020; the SBRP artifact does not");
    visit("scheduler", self.scheduler, Range{0, 65536}, "granules",
          "0: a read passes all writes that have a place. Else: requests come to a scheduler of so many writes in the "
          "order of their arrival, and a read waits for the writes before it.",
          "0: reads are what somebody waits for; the SBRP artifact's DRAM scheduler has 64");
    visit("write_high", self.write_high, Range{1, 65536}, "granules",
          "With a scheduler: from so many writes in it on, writes go before reads, until write_low are left.",
          "GPGPU-Sim, dram_write_queue_size 64:56:32 of its Volta configurations");
    visit("write_low", self.write_low, Range{0, 65535}, "granules",
          "With a scheduler: when so few writes are left, reads go first again.", "as write_high");
    visit("rows", self.rows, Range{}, "",
          "Near: banks, rows and turns of the bus as the GPU's memory has them (memory.*) come on top of the "
          "bandwidths; of the oldest 16 reads or writes the one goes whose row is ready first.",
          "false: bandwidths are measured ones; the SBRP artifact slows the bus of GDDR channels down");
    visit("read_buffer", self.read_buffer, Range{0, 65536}, "granules",
          "The granules of one channel that were read last, in a buffer.", "as the write-pending queue");
    visit("queue", self.queue, Range{1, 65536}, "requests",
          "Requests of one channel under way before the write-pending queue or the medium.", "assumed: as host memory");
    visit("fence_bandwidth", self.fence_bandwidth, Range{0, 100000}, "",
          "Far: bandwidth of persists that fences have sent over the link, for the whole GPU. 0: only the link limits "
          "them.",
          "0: what the link does to them alone");
    visit("line_merge", self.line_merge, Range{0, 1e9}, "",
          "Far: a packet past DDIO that has a part of a host's line makes the host read the line and write it; this is "
          "the time of both. Until then the next packet for that line waits, and all behind it, since packets keep "
          "their order. 0: parts of lines need no merge.",
          "0: figure 11 (b) of GPM has no such wait. Intel PCM, pcm-pcie: RFO for a part of a line, ItoM for a whole "
          "one; Yang et al. 2020: 169 ns for a read that the module's buffer has, 62 ns for a store and its clwb");
    visit("repeated_flush", self.repeated_flush, Range{0, 1e9}, "",
          "Far: a core's flush of a line goes on this long after the flush of the same line before it. 0: no flush "
          "waits for another.",
          "0: no figure of GPM measures it alone. FlatStore (Chen et al. 2020) has about 800 ns on Optane");
    visit("ddio", self.ddio, Range{}, "",
          "Far: the device's writes go into the host's last-level cache, except between gpm_persist_begin() and "
          "gpm_persist_end(). They are durable when they leave it; with eADR at once.",
          "Intel Data Direct I/O Technology: on by default");
    visit("eadr", self.eadr, Range{}, "", "Far: the host's last-level cache belongs to the persistence domain (eADR).",
          "GPM, section 3.3");
  }
};

}  // namespace ew::media
