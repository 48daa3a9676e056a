// What a machine file says of the host's cores that do timed work and run traced code (<everwarp/host.cuh>). A value,
// owned by MachineConfig.
#pragma once

#include <string>

#include "core/fields.hpp"
#include "core/model_section.hpp"
#include "host/file_system.hpp"

namespace ew::host {

/// The defaults are one socket of the GPM platform, a Xeon Gold 6242 (Cascade Lake).
struct HostConfig {
  u32 cores = 16;
  core::Kilohertz clock{2'800'000};
  u32 misses = 12;
  u32 copy_cycles = 4;
  u32 flush_cycles = 4;
  core::Picoseconds fence{10'000};
  core::Picoseconds wake{5'000'000};
  core::Bytes bounce{512 * 1024};
  bool bounced = true;
  core::Picoseconds daemon_poll{200'000}, daemon_call{500'000};
  core::Picoseconds io_submit{1'900'000}, io_complete{1'900'000};
  u32 issue_width = 4, window = 224;
  core::Bytes own_cache{1 << 20};
  u32 own_ways = 16;
  u32 prefetches = 16, prefetch_ahead = 20;
  std::string file_system = "ext4-dax";
  core::ModelSections sections;  // of file systems

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    visit("cores", self.cores, Range{1, 1024}, "cores",
          "The cores that do timed work (<everwarp/host.cuh>). If there are more threads, they take turns.",
          "GPM, Table 3: Xeon Gold 6242, 16 cores a socket");
    visit("clock", self.clock, Range{100, 10000}, "", "Clock of these cores.", "GPM, Table 3");
    visit("misses", self.misses, Range{1, 256}, "lines",
          "Lines of 64 bytes that one core has under way: loads, stores, flushes and non-temporal stores together.",
          "Intel 64 and IA-32 Architectures Optimization Reference Manual: 12 line fill buffers of a Skylake server "
          "core");
    visit("copy_cycles", self.copy_cycles, Range{1, 1000}, "cycles",
          "The instructions of a core that copy, load or store a line.",
          "two loads and two stores of 32 bytes, a store a cycle (the same manual); assumed: two for the loop");
    visit("flush_cycles", self.flush_cycles, Range{1, 1000}, "cycles", "One clwb of a core.",
          "assumed: as a copied line");
    visit("fence", self.fence, Range{0, 1e9}, "", "Time of an sfence, when everything before it has completed.",
          "assumed: about 30 cycles");
    visit("wake", self.wake, Range{0, 1e9}, "", "Time until the threads of a pool begin, if a call has several.",
          "order of magnitude of published futex wake-ups");
    visit("bounce", self.bounce, Range{4096, 1 << 30}, "",
          "Size of each of the two pinned buffers through which a copy between the device and a mapped file goes.",
          "assumed: no published figure");
    visit("bounced", self.bounced, Range{}, "",
          "true: such copies (cudaMemcpy to or from a pool) go through these buffers, and a core copies; false: a copy "
          "engine accesses the pool itself.",
          "GPM, section 3");
    visit("daemon_poll", self.daemon_poll, Range{1, 1e9}, "",
          "Time between two looks of idle daemon threads at a mailbox of GPUfs (<everwarp/gpufs.cuh>).",
          "assumed: a sweep over some flags, most of which a core's caches have");
    visit("daemon_call", self.daemon_call, Range{0, 1e9}, "",
          "Time of a daemon to decode and dispatch a call that it finds there. The file system's cost is added.",
          "assumed: no published figure apart from the system call");
    visit("io_submit", self.io_submit, Range{0, 1e9}, "",
          "Time of a core to submit commands to a drive in one call (<everwarp/storage_host.cuh>): system call, file, "
          "block layer, driver.",
          "assumed: half of what the kernel's software takes of a read of 4 KiB: 36.4 % of its latency (BaM, section "
          "2.2), beside a P5800X's 6 us and 0.6 us of its link");
    visit("io_complete", self.io_complete, Range{0, 1e9}, "",
          "Time of a core from the end of these commands to the end of the call: interrupt, wake-up, return.",
          "assumed: the other half");
    visit("issue_width", self.issue_width, Range{1, 64}, "instructions",
          "Traced code (host_parallel): instructions that a core begins in a cycle, whatever they depend on.",
          "the same manual: a Skylake core allocates four micro-operations a cycle");
    visit("window", self.window, Range{1, 1 << 20}, "instructions",
          "Traced code: how far a core goes on behind a load that has missed its own caches.",
          "the same manual: 224 entries of a Skylake core's reorder buffer");
    visit("own_cache", self.own_cache, Range{1024, 1 << 30}, "",
          "Traced code: size of a core's own caches, which stand as one here.", "Intel, Skylake server: 1 MiB of L2");
    visit("own_ways", self.own_ways, Range{1, 64}, "ways", "Their associativity.", "Intel, Skylake server: 16 ways");
    visit("prefetches", self.prefetches, Range{1, 256}, "lines",
          "Traced code: lines that a core's prefetcher has under way, besides `misses`.",
          "assumed: the queue of an L2 has more entries than its L1 has line fill buffers");
    visit("prefetch_ahead", self.prefetch_ahead, Range{0, 64}, "lines",
          "Traced code: how far ahead of a line that is used in order the prefetcher runs, within a page of 4 KiB; 0: "
          "there is none.",
          "the same manual: the L2 streamer runs up to 20 lines ahead");
    visit("file_system", self.file_system, core::model_choices(file_system_names()), "",
          "The file system of files (host_file_open): `ew explain models` lists them.", "GPM, Table 3: ext4-DAX");
  }
};

}  // namespace ew::host
