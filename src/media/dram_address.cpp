#include "media/dram_address.hpp"

#include <bit>

namespace ew::media {

namespace {

/// Of the digits of `bits` bits each, as one such digit.
u64 sum_of_digits(u64 number, u32 bits) {
  u64 sum = 0;
  for (; number && bits; number >>= bits) sum += number;
  return sum & ((u64{1} << bits) - 1);
}

}  // namespace

/// A row of each bank group makes a stripe of the channel's addresses; stripes go to banks, blocks of a stripe to
/// groups, in turn, each round displaced by all higher digits of its number, so that no stride stays in one bank or
/// group (after Zhang, Zhu, Zhang: A permutation-based page interleaving scheme, MICRO 2000).
DramPlace place_in(const DramConfig& config, u64 address) {
  const u32 group_bits = std::countr_zero(config.bank_groups);
  const u32 bank_bits = std::countr_zero(config.banks) - group_bits;
  const u64 stripe = address >> (std::countr_zero(config.row.count) + group_bits);
  const u64 group = sum_of_digits(address >> std::countr_zero(config.bank_block.count), group_bits);
  return {static_cast<u32>(sum_of_digits(stripe, bank_bits) << group_bits | group), stripe >> bank_bits};
}

}  // namespace ew::media
