// The layouts and numbers that host and controller share (NVMe Base Specification 1.4): entries of queues, registers,
// and opcodes of commands. All are little-endian, as the host is.
#pragma once

#include "core/types.hpp"

namespace ew::storage {

/// An entry of a submission queue (section 4.2).
struct Command {
  u8 opcode = 0;
  u8 flags = 0;  // FUSE 1:0, PSDT 7:6: both must be 0 here
  u16 id = 0;
  u32 namespace_id = 0;
  u64 reserved = 0;
  u64 metadata = 0;
  u64 prp1 = 0, prp2 = 0;
  u32 dword10 = 0, dword11 = 0, dword12 = 0, dword13 = 0, dword14 = 0, dword15 = 0;
};
static_assert(sizeof(Command) == 64);

/// An entry of a completion queue (section 4.6).
struct Completion {
  u32 result = 0, reserved = 0;
  u16 queue_head = 0, queue = 0;  // of the submission queue
  u16 id = 0;
  u16 status = 0;  // bit 0: phase; Status::word() above it
};
static_assert(sizeof(Completion) == 16);

enum class AdminOpcode : u8 {
  delete_submission_queue = 0x00,
  create_submission_queue = 0x01,
  get_log_page = 0x02,
  delete_completion_queue = 0x04,
  create_completion_queue = 0x05,
  identify = 0x06,
  abort = 0x08,
  set_features = 0x09,
  get_features = 0x0a,
  asynchronous_event_request = 0x0c,
};

enum class IoOpcode : u8 {
  flush = 0x00,
  write = 0x01,
  read = 0x02,
  compare = 0x05,
  write_zeroes = 0x08,
  dataset_management = 0x09,
};

/// Offsets of registers from the start of BAR0 (section 3.1).
namespace registers {
inline constexpr u64 capabilities = 0x00, version = 0x08, mask_set = 0x0c, mask_clear = 0x10;
inline constexpr u64 configuration = 0x14, status = 0x1c, admin_sizes = 0x24, admin_submission = 0x28;
inline constexpr u64 admin_completion = 0x30, doorbells = 0x1000;
}  // namespace registers

inline constexpr u32 nvme_version = 0x0001'0400;
inline constexpr u32 longest_queue = 65'536;
inline constexpr u32 only_namespace = 1, every_namespace = 0xffff'ffff;

}  // namespace ew::storage
