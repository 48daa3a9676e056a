// The data structures in which a controller describes itself: Identify (NVMe Base Specification 1.4, section 5.15) and
// log pages (section 5.14).
#pragma once

#include <optional>
#include <vector>

#include "storage/controller_config.hpp"

namespace ew::storage {

inline constexpr u32 identify_bytes = 4096;

std::vector<u8> identify_controller(const ControllerConfig&);
std::vector<u8> identify_namespace(const ControllerConfig&, u64 blocks_in_use);
/// The list of active namespaces with a number above `above`.
std::vector<u8> identify_namespaces(u32 above);
/// The descriptors that identify the namespace.
std::vector<u8> identify_names(const ControllerConfig&);

/// The contents of log pages that are not constants.
struct Health {
  u64 errors = 0;  // commands that failed
  u64 blocks_read = 0, blocks_written = 0;
  u64 reads = 0, writes = 0;
  u16 temperature = 313;  // 40 degrees C
};
/// The content of a log page; nothing if there is no such page.
std::optional<std::vector<u8>> log_page(u8 number, const Health&);

}  // namespace ew::storage
