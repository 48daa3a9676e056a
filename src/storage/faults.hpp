// Faults that a drive shows on purpose. They are a list as text: "unrecovered-read:lba=77,
// lost-completion:command=1000".
//   NAME            commands end with this status (storage/status_codes.inc); or
//   lost-completion the command is done, but no completion comes
//   late-completion the completion comes later, by default 1 ms; late-completion:ms=5
//   fatal           the controller stops, with CSTS.CFS set, until it is reset
//   :lba=N          for each command that names block N
//   :opcode=N       for each command of that kind: 0 is Flush, 1 Write, 2 Read
//   :command=N      for the Nth I/O command; the first is 1
//   :every=N        for each Nth I/O command
//   :times=N        at most N times
// A fault without a condition is for each I/O command. A command shows the first fault of the list whose conditions all
// hold.
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
  std::optional<u64> lba, opcode, command, every;
  u64 times = ~u64{0};
};

/// Throws core::UserError if the text is no list of faults. The message names `key`.
std::vector<Fault> parse_faults(std::string_view text, std::string_view key);

/// Decides which command shows which fault. A value. It counts I/O commands.
class Faults {
 public:
  explicit Faults(std::vector<Fault> all) : all_(std::move(all)) {}
  /// The fault of the next I/O command, which names `blocks` blocks from `lba` on. nullptr: it shows none.
  const Fault* next(u64 lba, u64 blocks, u8 opcode);

 private:
  std::vector<Fault> all_;  // `times` counts down: how often the fault may still be shown
  u64 commands_ = 0;
};

}  // namespace ew::storage
