#include "media/dram_standards.hpp"

#include <fmt/format.h>

#include <bit>

#include "core/diagnostics.hpp"

namespace ew::media {

const DramStandard& standard_of(std::string_view name) {
  std::string names;
  for (const DramStandard& standard : dram_standards) {
    if (standard.name == name) return standard;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", standard.name);
  }
  throw core::UserError(fmt::format("memory.standard: no standard is called \"{}\"; there are {}", name, names));
}

namespace {

template <class... Arguments>
void require(bool holds, fmt::format_string<Arguments...> sentence, Arguments&&... arguments) {
  if (!holds) throw core::UserError(fmt::format(sentence, std::forward<Arguments>(arguments)...));
}

void check(const DramConfig& c) {
  require(std::has_single_bit(c.banks) && c.banks <= 64, "memory.banks: must be a power of two up to 64; it is {}",
          c.banks);
  require(std::has_single_bit(c.bank_groups) && c.bank_groups <= c.banks,
          "memory.bank_groups: must be a power of two up to the number of banks; it is {}", c.bank_groups);
  require(std::has_single_bit(c.row.count) && c.row.count >= 128,
          "memory.row: must be a power of two of at least 128 bytes; it is {}", c.row.count);
  require(std::has_single_bit(c.bank_block.count) && c.bank_block <= c.row,
          "memory.bank_block: must be a power of two up to the row's {} bytes; it is {}", c.row.count,
          c.bank_block.count);
  require(c.burst.count % c.bytes_per_clock == 0,
          "memory.burst: {} bytes are not a whole number of cycles of the data bus, which moves {} bytes a cycle "
          "(memory.bytes_per_clock)",
          c.burst.count, c.bytes_per_clock);
  require(c.burst.count <= c.row.count, "memory.burst: {} bytes are more than a row's {}", c.burst.count, c.row.count);
  require(c.write_high <= c.write_queue, "memory.write_high: {} writes never wait in a queue of {}", c.write_high,
          c.write_queue);
  require(c.write_low < c.write_high, "memory.write_low: must be below write_high, {}; it is {}", c.write_high,
          c.write_low);
  require(!c.refresh || c.refi == 0 || c.rfc + c.rp < c.refi,
          "memory.rfc: a refresh of {} cycles every {} leaves no time for requests", c.rfc, c.refi);
  require(!c.refresh || c.refi == 0 || c.rfc_bank + c.rp < c.refi,
          "memory.rfc_bank: a refresh of {} cycles, one of each bank every {}, leaves no time for requests", c.rfc_bank,
          c.refi);
}

}  // namespace

DramConfig resolved(const DramConfig& config) {
  const DramStandard& standard = standard_of(config.standard);
  DramConfig c = config;
  const auto fill = [](auto& field, auto figure) {
    if (field == decltype(figure){}) field = figure;
  };
  fill(c.clock, standard.clock);
  fill(c.bytes_per_clock, standard.bytes_per_clock);
  fill(c.burst, core::Bytes{standard.burst});
  fill(c.row, core::Bytes{standard.row});
  fill(c.banks, standard.banks);
  fill(c.bank_groups, standard.bank_groups);
  fill(c.rcd, standard.rcd);
  fill(c.rp, standard.rp);
  fill(c.ras, standard.ras);
  fill(c.cl, standard.cl);
  fill(c.wl, standard.wl);
  fill(c.ccd, standard.ccd);
  fill(c.ccd_long, standard.ccd_long);
  fill(c.rrd, standard.rrd);
  fill(c.faw, standard.faw);
  fill(c.wr, standard.wr);
  fill(c.rtp, standard.rtp);
  fill(c.wtr, standard.wtr);
  fill(c.refi, standard.refi);
  fill(c.rfc, standard.rfc);
  fill(c.rfc_bank, standard.rfc_bank);
  check(c);
  return c;
}

}  // namespace ew::media
