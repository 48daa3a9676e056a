// The configuration of an NVMe controller. A value; the machine file and the drive's model fill it in.
#pragma once

#include <string>
#include <vector>

#include "core/types.hpp"
#include "storage/faults.hpp"

namespace ew::storage {

struct ControllerConfig {
  u32 queues = 128;             // pairs of I/O queues
  u32 entries = 1024;           // entries of the longest queue: 2 to 65,536
  u32 doorbell_stride = 0;      // a doorbell takes 4 << doorbell_stride bytes
  u32 commands = 256;           // commands of I/O queues that may be inside the controller at once
  u32 transfer_pages = 32;      // pages of 4 KiB that one command may move: a power of two
  u32 block = 512;              // bytes of a block: 512 or 4,096
  u64 blocks = 0;               // blocks of the namespace
  u32 atomic_blocks = 1;        // a loss of power leaves all or none of so many blocks written
  bool volatile_cache = false;  // written blocks may be lost until they are flushed
  std::string serial, model;
  std::vector<Fault> faults;
};

// The same for every controller here.
inline constexpr u32 admin_commands = 32;  // admin commands that may be under way at the same time
inline constexpr u32 abort_limit = 4, event_limit = 4;
inline constexpr u32 smallest_page = 4096, largest_page = 65'536;
inline constexpr u32 interrupt_vectors = 32;  // vectors are accepted, but there are no interrupts

}  // namespace ew::storage
