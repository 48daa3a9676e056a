// How a command ended, as its completion says (NVMe Base Specification 1.4, section 4.6.1). status_codes.inc lists
// every status that a controller here can have.
#pragma once

#include <span>
#include <string_view>

#include "core/types.hpp"

namespace ew::storage {

/// A value. `retry`: the same command may succeed later.
struct Status {
  u8 type = 0, code = 0;
  bool retry = false;

  bool ok() const { return type == 0 && code == 0; }
  bool operator==(const Status& other) const { return type == other.type && code == other.code; }
  /// Bits 31:17 of a completion's last dword, as bits 15:1: status code, its type, delay before a retry, do not retry.
  u16 word() const {
    const bool delayed = type == 0 && code == 0x21;  // Command Interrupted: after the first of Identify's delays
    return static_cast<u16>(code << 1 | type << 9 | u32{delayed} << 12 | u32{!retry && !ok()} << 15);
  }
};

namespace status {
#define STATUS(member, name, type, code, retry, sentence) inline constexpr Status member{type, code, retry};
#include "storage/status_codes.inc"
#undef STATUS
}  // namespace status

struct NamedStatus {
  std::string_view name, sentence;
  Status status;
};
/// In the order of their numbers.
std::span<const NamedStatus> named_statuses();
/// nullptr: there is none of that name.
const NamedStatus* find_status(std::string_view name);

}  // namespace ew::storage
