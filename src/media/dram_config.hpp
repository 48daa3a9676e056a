// What a machine file says of one channel of GPU memory. A value, owned by MachineConfig; media/dram*.hpp read it when
// dram_standards.hpp has resolved it.
#pragma once

#include <string>

#include "core/fields.hpp"

namespace ew::media {

/// Figures of one channel. Those that a standard fixes are 0 here, which means: as `standard` says (dram_standards.hpp
/// has the table with sources); whatever else is written in the machine file replaces it.
struct DramConfig {
  std::string model = "dram";
  std::string standard = "gddr6";
  core::Kilohertz clock{};  // whose cycles the timings below count
  u32 bytes_per_clock = 0;  // of the data bus
  core::Bytes burst{};      // what one column command moves
  core::Bytes row{};        // of one bank in one channel
  u32 banks = 0;            // of a channel
  u32 bank_groups = 0;      // 1: none
  core::Bytes bank_block{128};
  u32 rcd = 0, rp = 0, ras = 0, cl = 0, wl = 0;
  u32 ccd = 0, ccd_long = 0;  // column to column in different groups, in the same group
  u32 rrd = 0, faw = 0;
  u32 wr = 0, rtp = 0, wtr = 0;
  u32 refi = 0, rfc = 0, rfc_bank = 0;
  bool refresh = true, bank_refresh = true;
  bool close_rows = false;
  u32 read_queue = 64, write_queue = 64;
  u32 write_high = 56, write_low = 32;
  u32 age_cap = 2000;
  core::Picoseconds latency{73'260};

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

template <class Self, class Visitor>
void DramConfig::fields(Self& self, Visitor&& visit) {
  using core::Range;
  const char* table = "the standard's row in media/dram_standards.hpp";
  const Range timing{0, 1e6};
  visit("model", self.model, Range{}, "", "Which medium a channel of this memory is.",
        "SBRP artifact: GDDR6, simulated with its banks");
  visit(
      "standard", self.standard, Range{}, "",
      "gddr5, gddr5x, gddr6, gddr6x, hbm2, hbm2e or hbm3: what every figure of this section is that is not given (0).",
      "SBRP artifact: GDDR6");
  visit("clock", self.clock, Range{0, 100000}, "", "Clock whose cycles the timings count.", table);
  visit("bytes_per_clock", self.bytes_per_clock, Range{0, 4096}, "bytes",
        "Bytes that a channel's data bus moves a cycle of this clock.", table);
  visit("burst", self.burst, Range{0, 4096}, "", "Bytes of one column command.", table);
  visit("row", self.row, Range{0, 1 << 20}, "", "Bytes of one row of one bank.", table);
  visit("banks", self.banks, Range{0, 512}, "banks", "Banks of a channel.", table);
  visit("bank_groups", self.bank_groups, Range{0, 64}, "groups", "Bank groups of a channel; 1: none.", table);
  visit("bank_block", self.bank_block, Range{128, 1 << 20}, "",
        "Stretch of a channel's addresses that lies in one bank; the next lies in another bank group.",
        "assumed: a line, as GPGPU-Sim's address maps change banks below a row");
  visit("rcd", self.rcd, timing, "cycles", "tRCD: activate to column command.", table);
  visit("rp", self.rp, timing, "cycles", "tRP: precharge to activate.", table);
  visit("ras", self.ras, timing, "cycles", "tRAS: activate to precharge.", table);
  visit("cl", self.cl, timing, "cycles", "tCL: read command to its first data.", table);
  visit("wl", self.wl, timing, "cycles", "tWL: write command to its first data.", table);
  visit("ccd", self.ccd, timing, "cycles", "tCCDS: column command to column command.", table);
  visit("ccd_long", self.ccd_long, timing, "cycles", "tCCDL: the same inside one bank group.", table);
  visit("rrd", self.rrd, timing, "cycles", "tRRD: activate to activate of another bank.", table);
  visit("faw", self.faw, timing, "cycles", "tFAW: the window in which at most four banks are activated.", table);
  visit("wr", self.wr, timing, "cycles", "tWR: end of write data to precharge.", table);
  visit("rtp", self.rtp, timing, "cycles", "tRTP: read command to precharge.", table);
  visit("wtr", self.wtr, timing, "cycles", "tWTR (tCDLR): end of write data to read command.", table);
  visit("refi", self.refi, Range{0, 1e9}, "cycles", "tREFI: refresh to refresh of the channel.", table);
  visit("rfc", self.rfc, Range{0, 1e9}, "cycles", "tRFC: what a refresh takes.", table);
  visit("rfc_bank", self.rfc_bank, Range{0, 1e9}, "cycles",
        "tRFCsb (GDDR6: tRFCpb): what a refresh of one bank takes, while the others work on.", table);
  visit("refresh", self.refresh, Range{}, "", "Whether the channel refreshes (where its standard's row says how).",
        "the standards (JEDEC) demand it; off is a choice of the user");
  visit("bank_refresh", self.bank_refresh, Range{}, "",
        "Whether banks are refreshed one after the other, each once every tREFI, where rfc_bank is known; else all at "
        "once.",
        "JESD235, JESD238: REFSB; Chang et al., HPCA 2014: why controllers prefer it");
  visit("close_rows", self.close_rows, Range{}, "",
        "Whether a row is closed as soon as no request that waits wants it (closed-page policy); else it stays open.",
        "GPGPU-Sim keeps rows open");
  visit("read_queue", self.read_queue, Range{1, 4096}, "requests", "Reads that wait in a channel.",
        "SBRP artifact, gpgpu_frfcfs_dram_sched_queue_size 64");
  visit("write_queue", self.write_queue, Range{1, 4096}, "requests", "Writes that wait in a channel.",
        "GPGPU-Sim, dram_write_queue_size 64:56:32 of its Volta configurations");
  visit("write_high", self.write_high, Range{1, 4096}, "requests", "Writes waiting at which writes come first.",
        "as write_queue");
  visit("write_low", self.write_low, Range{0, 4096}, "requests", "Writes waiting at which reads come first again.",
        "as write_queue");
  visit("age_cap", self.age_cap, Range{1, 1e9}, "cycles",
        "A request that has waited this long is no longer overtaken by younger row hits or by reads.",
        "assumed: no published figure; 28 row cycles (tRAS and tRP) of the default GDDR6");
  visit("latency", self.latency, Range{0, 1e9}, "", "Controller and interface, on top of the bank's time.",
        "SBRP artifact, dram_latency 100 core cycles of 1365 MHz");
}

}  // namespace ew::media
