// A crossbar: every node has an injection and an ejection port for each subnet, and nothing is shared between them.
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

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    visit("clock", self.clock, Range{1, 100000}, "", "Clock of the crossbar.", "SBRP artifact, gpgpu_clock_domains");
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
  }
};

}  // namespace ew::memory
