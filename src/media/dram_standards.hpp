// What each memory standard fixes for one channel: the figures that a machine file need not repeat.
#pragma once

#include <string_view>

#include "media/dram_config.hpp"

namespace ew::media {

struct DramStandard {
  std::string_view name, sentence, source;
  u32 bits;  // of the channel
  core::Kilohertz clock;
  u32 bytes_per_clock, burst, row;
  u32 banks, bank_groups;
  u32 rcd, rp, ras, cl, wl;
  u32 ccd, ccd_long, rrd, faw;
  u32 wr, rtp, wtr;
  u32 refi, rfc;  // 0: the source says nothing, no refresh. tFAW 0 likewise: no window
  u32 rfc_bank;   // 0: no refresh of single banks
};

using namespace core::literals;

/// Cycles of each row's own clock. HBM channels are pseudo-channels: each of a stack's has its own data and banks.
// clang-format off
inline constexpr DramStandard dram_standards[] = {
    //                                        bits  clock   B/clk burst  row banks groups rcd rp ras  cl wl ccd l rrd faw  wr rtp wtr  refi  rfc bank
    {"gddr5", "32-bit channel, 7.2 Gbit/s a pin.",
     "Hynix H5GQ1H24AFR timings (as Accel-Sim's tuner quotes them); tREFI 1.9 us, tRFC 37 ns, tFAW 20 ns: DRAMsim3, GDDR5_8Gb_x32",
                                              32, 1'800_MHz,     16,   32, 2048, 16, 4,     12, 12, 28, 12, 4, 2, 3, 6,  36, 12, 2, 5,  3420,  67,   0},
    {"gddr5x", "32-bit channel, 11 Gbit/s a pin, 64 bytes an access.",
     "DRAMsim3, GDDR5_8Gb_x32: tRCD 12 ns, tRP 12, tRAS 28, tCL 12, tRRD 5, tFAW 20, tWR 12, tWTR 5, tRFC 37, in cycles of 1.375 GHz, rounded "
     "up (its GDDR5X_8Gb_x32 has the same numbers of cycles at another clock, so the times of no device); JESD232 for the data rate and tCCD",
                                              32, 1'375_MHz,     32,   64, 2048, 16, 4,     17, 17, 39, 17, 7, 2, 3, 7,  28, 17, 2, 7,  2613,  51,   0},
    {"gddr6", "16-bit channel, 14 Gbit/s a pin.",
     "SBRP artifact, gpgpu_dram_timing_opt (sbrp_config_params.csv); it has no refresh and no tFAW",
                                              16, 3'500_MHz,      8,   32, 2048, 16, 4,     20, 20, 50, 20, 8, 4, 4, 10,  0, 20, 4, 9,     0,   0,   0},
    {"gddr6x", "16-bit channel, 19.5 Gbit/s a pin.",
     "Micron, GDDR6X (PAM4, accesses of 32 bytes) for the data rate; assumed: GDDR6's times of Ramulator 2.0 (tRCD 14.8 ns, tRAS 30.2, tCL 13.7, "
     "tRRD 4, tFAW 16, tREFI 1.9 us, tRFC 120 ns, tRFCpb 60 ns) in cycles of 2.4375 GHz, rounded up",
                                              16, core::Kilohertz{2'437'500}, 16,   32, 2048, 16, 4,     37, 37, 74, 34, 20, 2, 3, 10, 40, 40, 6, 14, 4632, 293, 147},
    {"hbm2", "64-bit pseudo-channel, 2 Gbit/s a pin.",
     "Ramulator 2.1, HBM2_2000Mbps and HBM2_4Gb (JESD235D: tRRD 4 ns, tREFI 3.9 us, tRFC 260 ns); tFAW 16 ns: DRAMSys, HBM2 with pseudo-channels; "
     "tRFCsb 160 ns: Ramulator 2.0, HBM2_2Gbps",
                                              64, 1'000_MHz,     16,   32, 1024, 16, 4,     14, 14, 34, 14, 5, 2, 4, 4,  16, 16, 5, 6,  3900, 260, 160},
    {"hbm2e", "64-bit pseudo-channel, 3 Gbit/s a pin.",
     "hbm2's times in cycles of 1.512 GHz, rounded up; tRFC 350 ns for 8 Gbit (JESD235D); A100-80GB data sheet for the data rate",
                                              64, 1'512_MHz,     16,   32, 1024, 16, 4,     22, 22, 52, 22, 8, 2, 4, 7,  25, 25, 8, 10, 5897, 530, 242},
    {"hbm3", "32-bit pseudo-channel, 5.6 Gbit/s a pin.",
     "Ramulator 2.1, HBM3_5600Mbps and HBM3_16Gb (tRRD 5 ns, tREFI 3.9 us, tRFC 450 ns, tRFCsb 200 ns); no published tFAW",
                                              32, 1'400_MHz,     16,   32, 1024, 16, 4,     22, 22, 42, 22, 8, 2, 4, 7,   0, 20, 5, 8,  5460, 630, 280},
};
// clang-format on

/// A name that there is not is a UserError.
const DramStandard& standard_of(std::string_view name);
/// Every figure that `config` leaves at 0 becomes its standard's. A figure that cannot be is a UserError with the
/// field's name.
DramConfig resolved(const DramConfig& config);

}  // namespace ew::media
