// The states in which a crash may leave the drives of a recorded run. What decides is what NVMe promises: blocks are
// durable when a forced write (FUA) of them, or a later Flush, has completed; a drive without a volatile cache makes
// each write durable. Everything else may have reached the medium or not, atomic unit by atomic unit: units of
// completed writes that stand in a volatile cache, and units of the write that is under way. The commands of the
// recorded run happened one after the other.
//
// A state has a name, by which it is made again: "AFTER:none", "AFTER:all", "AFTER:with:K", "AFTER:without:K",
// "AFTER:random:N" or "AFTER:subset:BITS"; AFTER: commands that had completed, K: a unit that may have reached the
// medium.
#pragma once

#include <string>
#include <vector>

#include "storage/command_log.hpp"

namespace ew::check {

/// Of each drive.
struct DriveFacts {
  u32 block_bytes = 512;
  u64 unit_blocks = 1;  // that a crash leaves old or new
  bool has_cache = false;
};
using DriveImages = std::vector<std::vector<u8>>;

class DriveStates {
 public:
  /// About `budget` states. `before`: the blocks before the run. Keeps copies of all.
  DriveStates(storage::CommandLog::Content, std::vector<DriveFacts>, DriveImages before, u64 budget, u64 seed);

  const std::vector<std::string>& names() const { return names_; }
  bool exhaustive() const { return exhaustive_; }
  u64 commands() const { return log_.commands.size(); }

  struct State {
    u64 after = 0;
    std::vector<bool> reached;  // by open unit
  };
  /// Throws core::UserError when there is no such state.
  State named(const std::string&) const;
  DriveImages images(const State&) const;
  /// What the program had acknowledged.
  u64 acknowledged(const State&) const;
  /// Which open units have reached the medium, or have not, in words.
  std::string units(const State&, bool reached) const;
  /// "command 12 of 400, a forced write of blocks 8 to 12, was under way".
  std::string moment(const State&) const;

 private:
  /// A unit of a write, which the medium has or has not.
  struct Open {
    u64 command, first, blocks;
  };
  bool is_write(u64 command) const;
  /// Applies what is durable behind so many commands, and lists what is open.
  std::vector<Open> open_at(u64 after, DriveImages* durable) const;
  void split(u64 command, std::vector<Open>&) const;
  void put(const Open&, DriveImages&) const;
  void choose(u64 budget, u64 seed);

  const storage::CommandLog::Content log_;
  const std::vector<DriveFacts> facts_;
  const DriveImages before_;
  std::vector<std::string> names_;
  bool exhaustive_ = false;
};

}  // namespace ew::check
