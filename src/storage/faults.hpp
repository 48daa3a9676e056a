// Faults that a drive shows on purpose. A list as text: "unrecovered-read:lba=77, lost-completion:command=1000".
//   NAME            a status (storage/status_codes.inc) that commands end with; or
//   lost-completion the command is done, but no completion comes
//   late-completion the completion comes later, by default 1 ms; late-completion:ms=5
//   fatal           the controller stops, with CSTS.CFS set, until it is reset
//   :lba=N          of each command that names block N
//   :command=N      of the Nth I/O command, the first is 1
//   :every=N        of each Nth I/O command
//   :times=N        not more often than so
// Without a condition it is each I/O command. The first fault of the list whose conditions all hold is shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"
#include "storage/status.hpp"

namespace ew::storage {

struct Fault {
  enum class Kind : u8 { status, lost, late, fatal };
  Kind kind = Kind::status;
  Status status;
  core::Picoseconds late{1'000'000'000};
  std::optional<u64> lba, command, every;
  u64 times = ~u64{0};
};

/// Throws core::UserError, which names `key`, for a text that is no list of faults.
std::vector<Fault> parse_faults(std::string_view text, std::string_view key);

/// Which command meets which fault. A value; counts I/O commands.
class Faults {
 public:
  explicit Faults(std::vector<Fault> all) : all_(std::move(all)) {}
  /// For the next I/O command, which names `blocks` blocks from `lba` on. nullptr: none.
  const Fault* next(u64 lba, u64 blocks);

 private:
  std::vector<Fault> all_;  // times: how often it may still be shown
  u64 commands_ = 0;
};

}  // namespace ew::storage
