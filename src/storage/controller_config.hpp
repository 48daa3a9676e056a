// What distinguishes one NVMe controller from another. A value; the machine file and the drive's model fill it in.
#pragma once

#include <string>
#include <vector>

#include "core/types.hpp"
#include "storage/faults.hpp"

namespace ew::storage {

struct ControllerConfig {
  u32 queues = 128;             // pairs for I/O
  u32 entries = 1024;           // of the longest queue: 2 to 65,536
  u32 doorbell_stride = 0;      // a doorbell takes 4 << doorbell_stride bytes
  u32 commands = 256;           // of I/O queues, under way inside the controller at once
  u32 transfer_pages = 32;      // of 4 KiB that one command may move: a power of two
  u32 block = 512;              // bytes: 512 or 4,096
  u64 blocks = 0;               // of the namespace
  u32 atomic_blocks = 1;        // that a loss of power leaves written together or not at all
  bool volatile_cache = false;  // what was written may be lost until it is flushed
  std::string serial, model;
  std::vector<Fault> faults;
};

/// What every controller here has.
inline constexpr u32 admin_commands = 32;  // under way at once
inline constexpr u32 abort_limit = 4, event_limit = 4;
inline constexpr u32 smallest_page = 4096, largest_page = 65'536;
inline constexpr u32 interrupt_vectors = 32;  // accepted; nothing is interrupted

}  // namespace ew::storage
