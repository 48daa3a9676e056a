// What a machine file says of SBRP's persist buffer: its section [sbrp]. A value; the hardware's parts take from it
// what concerns them.
#pragma once

#include <string>

#include "core/types.hpp"

namespace ew::persistency {

struct SbrpConfig {
  u32 buffer = 500;
  u32 window = 6;
  std::string policy = "window";
  std::string leaving = "passing";
  std::string merge = "adjacent";
  std::string acquires = "matched";

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

/// Entries of the persist buffer beside a private cache of so many lines.
inline u32 buffer_entries(const SbrpConfig& config, u32 lines) {
  const u64 entries = u64{lines} * config.buffer / 1000;
  return entries ? static_cast<u32>(entries) : 1;
}

}  // namespace ew::persistency
