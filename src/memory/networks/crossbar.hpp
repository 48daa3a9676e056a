// A crossbar: every node has an injection and an ejection port for each subnet, and nothing is shared between them. Its
// nodes may lie in partitions: agents and homes in order of their numbers, as many in each. Messages from a partition
// to another share a link for each subnet.
#pragma once

#include "core/fields.hpp"

namespace ew::memory {

struct CrossbarConfig {
  core::Kilohertz clock{1'365'000};
  u32 latency = 8;  // cycles of the crossbar's clock from port to port, before the message's own flits
  u32 width = 40;   // bytes a port moves a cycle
  u32 flit = 40;    // messages take whole flits
  u32 header = 8;   // bytes of every message besides its data
  u32 subnets = 2;  // 1: all messages share ports; 2: what agents ask, and what agents get; 3: agent to agent apart
  u32 partitions = 1;
  u32 partition_latency = 0, partition_width = 40;  // of a link between partitions, each direction and subnet
  u64 partition_copies = 0;                         // bytes of lines of other partitions' homes, in each
  bool copies_displace = false;                     // and of the lines of its own homes

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    visit("clock", self.clock, Range{100, 100000}, "", "Clock of the crossbar.", "SBRP artifact, gpgpu_clock_domains");
    visit("latency", self.latency, Range{0, 10000}, "cycles",
          "From a port to a port on an idle crossbar, before the message's own flits; cycles of the crossbar's clock.",
          "order of magnitude of a 30 x 24 crossbar's pipeline; what a machine needs to meet its L2 latency");
    visit("width", self.width, Range{1, 4096}, "bytes", "Bytes that a port moves a cycle of the crossbar's clock.",
          "SBRP artifact: one flit a cycle");
    visit("flit", self.flit, Range{1, 4096}, "bytes", "A message takes a whole number of flits of this size.",
          "SBRP artifact, flit size 40 B: a sector and 8 bytes of header");
    visit("header", self.header, Range{0, 4096}, "bytes", "Bytes of each message besides its data.",
          "SBRP artifact: 8 bytes (READ_PACKET_SIZE)");
    visit("subnets", self.subnets, Range{1, 3}, "subnets",
          "Sets of ports: 1 for all messages; 2: agents' requests apart from what agents receive; 3: messages between "
          "agents apart, too.",
          "SBRP artifact, subnets 2");
    visit("partitions", self.partitions, Range{1, 16}, "partitions",
          "Parts in which SMs and L2 slices lie, in the order of their numbers; one: every way is the same.",
          "SBRP artifact: one local crossbar");
    visit("partition_latency", self.partition_latency, Range{0, 10000}, "cycles",
          "What a message from one partition to another takes longer, each way; cycles of the crossbar's clock.",
          "SBRP artifact: one local crossbar");
    visit("partition_width", self.partition_width, Range{1, 65536}, "bytes",
          "Bytes that go from one partition to another in a cycle of the crossbar's clock, for each subnet.",
          "assumed: as a port");
    visit("partition_copies", self.partition_copies, Range{0, 1u << 30}, "bytes",
          "Lines of other partitions' slices of which a partition keeps copies for reads; 0: none.",
          "SBRP artifact: one local crossbar");
    visit(
        "copies_displace", self.copies_displace, Range{}, "",
        "Whether copies share partition_copies with the lines of the partition's own slices, and displace each other: "
        "a line that has been displaced comes from the memory again.",
        "SBRP artifact: one local crossbar");
  }
};

}  // namespace ew::memory
