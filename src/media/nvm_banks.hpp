// Banks and rows of a DRAM standard in front of a slower data bus: what the SBRP artifact makes of GDDR channels for
// its persistent memory. Says when the bus can begin with a granule; who asks chooses among those that wait. A bank
// works on a granule from its arrival on, so that rows are opened while others' data are on the bus. Owned by
// NvmBus.
#pragma once

#include <vector>

#include "media/dram_address.hpp"

namespace ew::media {

class NvmBanks {
 public:
  using Femtoseconds = u64;
  /// `dram` is resolved (dram_standards.hpp).
  explicit NvmBanks(const DramConfig& dram);

  /// The earliest time for the first column command of a granule that came at `arrived`, on a bus that is free from
  /// `bus` on.
  Femtoseconds start(u64 address, bool write, Femtoseconds arrived, Femtoseconds bus) const;
  /// The granule was on the bus from `start` to `end`.
  void serve(u64 address, bool write, Femtoseconds arrived, Femtoseconds start, Femtoseconds end);

 private:
  struct Bank {
    u64 row = ~u64{0};  // none is open
    Femtoseconds activated = 0, column_ok = 0, precharge_ok = 0;
  };
  DramPlace place(u64 address) const { return place_in(config_, address); }
  Femtoseconds activation(const Bank&, Femtoseconds arrived) const;

  const DramConfig config_;
  const Femtoseconds tick_;
  std::vector<Bank> banks_;
  bool wrote_last_ = false;
};

}  // namespace ew::media
