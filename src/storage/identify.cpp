#include "storage/identify.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "core/fingerprint.hpp"
#include "storage/nvme.hpp"

namespace ew::storage {

namespace {

template <class T>
void put(std::vector<u8>& data, u32 offset, T value) {
  std::memcpy(data.data() + offset, &value, sizeof value);
}

/// Writes ASCII text, filled up with spaces.
void put_text(std::vector<u8>& data, u32 offset, u32 width, std::string_view text) {
  std::fill_n(data.begin() + offset, width, ' ');
  std::copy_n(text.begin(), std::min<std::size_t>(width, text.size()), data.begin() + offset);
}

}  // namespace

std::vector<u8> identify_controller(const ControllerConfig& config) {
  std::vector<u8> data(identify_bytes);
  put_text(data, 4, 20, config.serial);
  put_text(data, 24, 40, config.model);
  put_text(data, 64, 8, "1");
  put<u8>(data, 77, static_cast<u8>(std::countr_zero(config.transfer_pages)));  // MDTS
  put<u32>(data, 80, nvme_version);
  put<u8>(data, 111, 1);                // an I/O controller
  put<u16>(data, 128, 1);               // Command Interrupted: come again after 100 ms
  put<u8>(data, 258, abort_limit - 1);  // ACL
  put<u8>(data, 259, event_limit - 1);  // AERL
  put<u8>(data, 260, 0x02 | 1);         // one slot of firmware, which cannot be written
  put<u16>(data, 266, 343);             // WCTEMP
  put<u16>(data, 268, 358);             // CCTEMP
  put<u8>(data, 512, 0x66);             // entries of 64 bytes
  put<u8>(data, 513, 0x44);             // of 16
  put<u16>(data, 514, static_cast<u16>(std::min(config.commands, 65'535u)));  // MAXCMD
  put<u32>(data, 516, only_namespace);
  put<u16>(data, 520, 0x01 | 0x04 | 0x08);  // Compare, Dataset Management, Write Zeroes
  put<u8>(data, 525, config.volatile_cache);
  put<u16>(data, 526, static_cast<u16>(config.atomic_blocks - 1));  // AWUN
  put<u16>(data, 528, static_cast<u16>(config.atomic_blocks - 1));  // AWUPF
  const std::string name = "nqn.2014-08.org.nvmexpress:everwarp:" + config.serial;
  std::copy_n(name.begin(), std::min<std::size_t>(name.size(), 255), data.begin() + 768);
  put<u16>(data, 2048, 2500);  // the one power state: 25 W
  return data;
}

std::vector<u8> identify_namespace(const ControllerConfig& config, u64 blocks_in_use) {
  std::vector<u8> data(identify_bytes);
  put<u64>(data, 0, config.blocks);
  put<u64>(data, 8, config.blocks);
  put<u64>(data, 16, blocks_in_use);
  put<u8>(data, 24, 0x01 | 0x04);  // thin: blocks are taken when written; reads of others may fail on demand
  put<u8>(data, 33, 0x01);         // blocks that were never written read as zero
  put<u32>(data, 128, static_cast<u32>(std::countr_zero(config.block)) << 16);
  return data;
}

std::vector<u8> identify_namespaces(u32 above) {
  std::vector<u8> data(identify_bytes);
  if (above < only_namespace) put<u32>(data, 0, only_namespace);
  return data;
}

std::vector<u8> identify_names(const ControllerConfig& config) {
  std::vector<u8> data(identify_bytes);
  data[0] = 3;  // a UUID
  data[1] = 16;
  put<u64>(data, 4, core::fingerprint(config.serial));
  put<u64>(data, 12, core::fingerprint(config.model + config.serial));
  data[10] = static_cast<u8>((data[10] & 0x0f) | 0x40);  // version 4
  data[12] = static_cast<u8>((data[12] & 0x3f) | 0x80);
  return data;
}

std::optional<std::vector<u8>> log_page(u8 number, const Health& health) {
  if (number == 1) {  // errors: only their count; the completions have the errors themselves
    std::vector<u8> data(64);
    put<u64>(data, 0, health.errors);
    return data;
  }
  if (number == 2) {  // health
    std::vector<u8> data(512);
    put<u16>(data, 1, health.temperature);
    data[3] = 100;                                          // per cent of spare blocks
    data[4] = 10;                                           // below this there is a warning
    put<u64>(data, 32, (health.blocks_read + 999) / 1000);  // of 512 bytes, in thousands
    put<u64>(data, 48, (health.blocks_written + 999) / 1000);
    put<u64>(data, 64, health.reads);
    put<u64>(data, 80, health.writes);
    put<u64>(data, 176, health.errors);
    return data;
  }
  if (number == 3) {  // firmware
    std::vector<u8> data(512);
    data[0] = 1;
    put_text(data, 8, 8, "1");
    return data;
  }
  return {};
}

}  // namespace ew::storage
