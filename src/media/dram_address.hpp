// Where an address of a DRAM channel lies: its bank and row.
#pragma once

#include "media/dram_config.hpp"

namespace ew::media {

struct DramPlace {
  u32 bank;
  u64 row;
};

/// `config` is resolved (dram_standards.hpp).
DramPlace place_in(const DramConfig& config, u64 address);

}  // namespace ew::media
