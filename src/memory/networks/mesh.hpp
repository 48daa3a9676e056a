// A two-dimensional mesh of routers with XY routing.
#pragma once

#include "core/fields.hpp"

namespace ew::memory {

/// Defaults: the thesis's 4x4 mesh under CUs of 700 MHz (Tables 2.3 and 4.3). Its latencies are ranges over 0 to 6
/// hops: an L2 hit (two legs) takes 29 to 61 cycles, a remote L1 hit (three legs) 35 to 83, memory (four legs) 197 to
/// 261. Each leg so varies by 16 CU cycles over 6 hops: 8/3 of a CU cycle a hop. That is 8 cycles of a network of 2,100
/// MHz, near the 2 GHz of the thesis's CPUs, whose clock its network simulator has; whole cycles of 700 MHz would give
/// 12 or 18 a leg. Memory's third and fourth legs are those between the L2 bank and a memory controller at a corner:
/// memory_distance (networks.hpp). The base of a leg is what the machine file leaves to it of the 29 cycles at no hop;
/// the rest is the home's and the private caches'.
struct MeshConfig {
  core::Kilohertz clock{2'100'000};
  u32 columns = 4, rows = 4;
  u32 hop = 8;     // cycles of the mesh's clock through a router and the link behind it
  u32 base = 6;    // cycles from a node into its router and out of the last one, together
  u32 width = 16;  // bytes a link moves a cycle
  u32 flit = 16;   // messages take whole flits
  u32 header = 8;  // bytes of every message besides its data

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    const char* derived = "thesis, Tables 2.3 and 4.3: 16 CU cycles a leg over 6 hops";
    visit("clock", self.clock, Range{100, 100000}, "", "Clock of routers and links.", derived);
    visit("columns", self.columns, Range{1, 64}, "routers", "Routers in a row.", "thesis, section 2.5.2: 4x4 mesh");
    visit("rows", self.rows, Range{1, 64}, "routers", "Rows of routers.", "thesis, section 2.5.2: 4x4 mesh");
    visit("hop", self.hop, Range{1, 10000}, "cycles",
          "Through a router and the link behind it, on idle links; cycles of the mesh's clock.", derived);
    visit("base", self.base, Range{0, 10000}, "cycles",
          "From a node into its router and from the last router to the node, together.", derived);
    visit("width", self.width, Range{1, 4096}, "bytes", "Bytes that a link moves a cycle of the mesh's clock.",
          "16-byte flits, one a cycle, as Garnet's default");
    visit("flit", self.flit, Range{1, 4096}, "bytes", "A message takes a whole number of flits of this size.",
          "Garnet's default");
    visit("header", self.header, Range{0, 4096}, "bytes", "Bytes of each message besides its data.",
          "an address and a message type");
  }
};

}  // namespace ew::memory
