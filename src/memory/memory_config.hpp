// Geometry, latencies and widths of private caches and homes, in the units of their own clocks, which are the SMs'.
// Filled from the machine file by runtime/.
#pragma once

#include "core/fields.hpp"
#include "core/types.hpp"
#include "memory/prefetcher.hpp"
#include "memory/replacement.hpp"

namespace ew::memory {

struct PrivateCacheConfig {
  u64 bytes = 64 * 1024;
  u64 unified = 0;                  // data, with shared memory; 0: `bytes` are always there
  u32 line = 128;                   // 64 or 128
  u32 sector = 32;                  // fetched at once
  u32 ways = 4;                     // 0: fully associative
  std::string replacement = "lru";  // a name of replacement_policies()
  u32 banks = 4;                    // lines are interleaved over them; one access a bank at a time
  u32 bank_bytes = 32;              // that a bank moves in a cycle
  u32 tags = 1;                     // lines of a load that are looked up in a cycle
  u32 latency = 20;                 // cycles from acceptance to a hit's value
  u32 mshrs = 256;                  // lines under way
  u32 merges = 8;                   // parts that wait for one line
  u32 write_buffer = 64;            // lines with bytes that are not yet in the image (write-through protocols)
  u32 drain_after = 128;  // cycles after which such a line leaves by itself; 0: at a release or when the buffer is full
  u32 drain_persists_after = 0;     // the same of a persistent line; 0: when persistency says so
  u32 fill_bytes = 32;              // a cycle from the network
  std::string prefetcher = "none";  // a name of prefetcher_kinds()
  u32 prefetch_distance = 1;        // lines, or strides, ahead

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

struct HomeConfig {
  u64 bytes = 128 * 1024;  // of one slice
  u32 line = 128, sector = 32;
  u32 ways = 16;
  u32 set_stretch = 1;              // lines in a row that lie in sets that follow each other
  std::string replacement = "lru";  // a name of replacement_policies()
  u32 latency = 32;                 // cycles from arrival to the answer's departure
  u32 requests_per_cycle = 1;
  u32 atomics_per_cycle = 1;     // lanes on one line
  u32 atomic_latency = 0;        // more than another answer's
  u32 atomic_interval = 100;     // from one atomic on a word to the next, in hundredths of a cycle
  u32 swap_interval = 100;       // of a compare-and-swap
  u32 mshrs = 192;               // lines under way to devices or held by the protocol
  u32 evictions = 64;            // runs of dirty sectors that wait for room at their device
  bool keep_host_lines = false;  // lines of host memory may stay in the L2

  /// `line` is the private caches'.
  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

/// A core of the host that shares the GPU's memory.
struct HostCoreConfig {
  u32 cores = 1;
  u64 bytes = 32 * 1024;
  u32 line = 128;
  u32 ways = 8;
  u32 latency = 1;

  /// `line` is the private caches'.
  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

template <class Self, class Visitor>
void PrivateCacheConfig::fields(Self& self, Visitor&& visit) {
  using core::Range;
  const char* cache = "SBRP artifact, gpgpu_cache:dl1";
  const char* assumed = "assumed: no published figure";
  visit("bytes", self.bytes, Range{1024, 1 << 24}, "bytes", "Data of the private cache of one SM.", cache);
  visit(
      "unified", self.unified, Range{0, 1 << 24}, "bytes",
      "What the private cache and shared memory have together. While a kernel's blocks are on an SM, it is divided by "
      "what they need of shared memory: the cache gets the rest, `bytes` at most. 0: the cache always has `bytes`.",
      "CUDA C++ Programming Guide, Shared Memory; 0: GPGPU-Sim's default");
  visit("line", self.line, Range{64, 128}, "bytes", "A line, here and at the homes: 64 or 128 bytes.", cache);
  visit("sector", self.sector, Range{4, 128}, "bytes", "What is fetched at once; divides the line.", cache);
  visit("ways", self.ways, Range{0, 4096}, "ways", "Associativity; 0: any line may stand anywhere.", cache);
  visit("replacement", self.replacement, core::model_choices(replacement_names()), "",
        "Which line of a full set makes room: `ew explain models` says what each does.",
        "SBRP artifact, gpgpu_cache:dl1: L");
  visit("banks", self.banks, Range{1, 64}, "banks", "Lines are spread over them; each takes one access at a time.",
        "SBRP artifact, gpgpu_l1_banks");
  visit("bank_bytes", self.bank_bytes, Range{4, 128}, "bytes", "Of an access, what its bank moves in a cycle.",
        "SBRP artifact: four banks of a sector, 128 bytes a cycle in all");
  visit("tags", self.tags, Range{1, 32}, "lines",
        "Of one load, so many lines are looked up in a cycle. The load takes as long, or as many cycles as it has "
        "words at "
        "one place of their lines, if these are more. More than 1 only with one bank that moves a line in a cycle.",
        "GPGPU-Sim: one line a cycle");
  visit("latency", self.latency, Range{1, 10000}, "cycles", "From a hit's acceptance to its value.",
        "SBRP artifact, gpgpu_l1_latency");
  visit("mshrs", self.mshrs, Range{1, 65535}, "lines", "Lines under way at once.", cache);
  visit("merges", self.merges, Range{1, 4096}, "parts", "Accesses of a line that may wait for it together.", cache);
  visit("write_buffer", self.write_buffer, Range{1, 65535}, "lines",
        "Lines with bytes that the homes do not have yet (protocols that write through).", assumed);
  visit("drain_after", self.drain_after, Range{0, 1e9}, "cycles",
        "A written line leaves by itself after so long; 0: at a release, or when the buffer is full.", assumed);
  visit("drain_persists_after", self.drain_persists_after, Range{0, 1e9}, "cycles",
        "The same of a line of persistent memory, where the persistency model has no persist buffer; 0: at an order "
        "operation, at an eviction, or at the kernel's end.",
        "SBRP, section 4: the L1 keeps them; GPUs without new hardware send them as any other line");
  visit("fill_bytes", self.fill_bytes, Range{1, 4096}, "bytes", "Taken from the network in a cycle.",
        "SBRP artifact: one flit with a sector a cycle");
  visit("prefetcher", self.prefetcher, core::model_choices(prefetcher_names()), "",
        "Which lines come before a load asks for them: `ew explain models` says what each prefetcher does.", assumed);
  visit("prefetch_distance", self.prefetch_distance, Range{1, 32}, "lines",
        "How far ahead of the load a prefetched line lies: so many lines (next-line) or strides (stride).",
        "A. J. Smith, Cache Memories, 1982: the next line");
}

template <class Self, class Visitor>
void HomeConfig::fields(Self& self, Visitor&& visit) {
  using core::Range;
  const char* cache = "SBRP artifact, gpgpu_cache:dl2";
  const char* assumed = "assumed: no published figure";
  visit("bytes", self.bytes, Range{1024, 1 << 28}, "bytes", "Lines that one slice keeps, counted by their bytes.",
        cache);
  visit("sector", self.sector, Range{4, 128}, "bytes", "What is fetched at once; divides the line.", cache);
  visit("ways", self.ways, Range{1, 4096}, "ways", "Associativity.", cache);
  visit("set_stretch", self.set_stretch, Range{1, 64}, "lines",
        "So many lines in a row lie in sets that follow each other; a hash of the address above them chooses the first "
        "set. A power of two that divides the sets of a slice. Lines that came together then leave together, and meet "
        "open rows of DRAM.",
        "assumed: each line by itself");
  visit("replacement", self.replacement, core::model_choices(replacement_names()), "",
        "Which line of a full set makes room: `ew explain models` says what each does.",
        "SBRP artifact, gpgpu_cache:dl2: L");
  visit("latency", self.latency, Range{1, 10000}, "cycles", "From a request's arrival to its answer's departure.",
        "SBRP artifact: gpgpu_l2_rop_latency 160, of which the network has its part");
  visit("requests_per_cycle", self.requests_per_cycle, Range{1, 16}, "requests", "Begun in a cycle.", assumed);
  visit("atomics_per_cycle", self.atomics_per_cycle, Range{1, 32}, "lanes",
        "Lanes of an atomic performed in a cycle on one line.", "Jia et al. 2019: one atomic a clock on one address");
  visit("atomic_latency", self.atomic_latency, Range{0, 10000}, "cycles",
        "What the answer to an atomic takes longer than another.", "0: assumed: as a read");
  visit("atomic_interval", self.atomic_interval, Range{1, 100000}, "hundredths of a cycle",
        "Lanes that want the same word take turns: from one to the next.", "Jia et al. 2019, as atomics_per_cycle");
  visit("swap_interval", self.swap_interval, Range{1, 100000}, "hundredths of a cycle",
        "The same of compare-and-swaps.", "assumed: as other atomics");
  visit("mshrs", self.mshrs, Range{1, 65535}, "lines", "Lines under way to devices, or held by the protocol.", cache);
  visit("evictions", self.evictions, Range{1, 65535}, "writes",
        "Writes of evicted lines that may wait for a device. While so many wait, no dirty line is evicted.",
        "SBRP artifact, gpgpu_dram_partition_queues: 64 from the L2");
  visit("keep_host_lines", self.keep_host_lines, Range{}, "", "Whether lines of the host's memory stay in the L2.",
        "assumed: reads of host memory are not kept, as they could be stale");
}

template <class Self, class Visitor>
void HostCoreConfig::fields(Self& self, Visitor&& visit) {
  using core::Range;
  const char* thesis = "Sinclair, thesis 2017, Table 2.3";
  visit("cores", self.cores, Range{1, 64}, "cores",
        "Of the host. Its threads take turns at them, in the order in which they began.", thesis);
  visit("bytes", self.bytes, Range{1024, 1 << 24}, "bytes", "Data of the private cache of one core.", thesis);
  visit("ways", self.ways, Range{1, 4096}, "ways", "Associativity.", thesis);
  visit("latency", self.latency, Range{1, 10000}, "cycles", "That a hit takes, of the GPU's clock.",
        "assumed: one of the GPU's cycles, as Table 2.3 gives none of the CPU's");
}

}  // namespace ew::memory
