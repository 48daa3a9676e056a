// A recorded run on a timing machine: what became durable, when, and what the program acknowledged. So it has the pool
// files at any moment of the run. A campaign records the program once. If recoveries are crashed too, it records a
// recovery of each state.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check/durable_log.hpp"
#include "check/event_file.hpp"
#include "process/run.hpp"
#include "process/scratch.hpp"
#include "runtime/acknowledgements.hpp"

namespace ew::check {

/// A moment of a run.
struct CrashMoment {
  bool persist = false;  // true: after this durable write; false: when this cycle begins
  u64 number = 0;
  std::string words() const;  // the words for --at
};

/// The files in which a process records what it does.
class Recording {
 public:
  /// To be added to the environment of the process. A machine without simulated time writes no log. A process that runs
  /// nothing under Everwarp writes no file.
  process::Variables environment() const;
  /// How often the process has changed a pool, counted as Environment::crash_at_persist counts.
  u64 changes() const;
  std::filesystem::path events() const { return kept_.path() / "events"; }
  std::filesystem::path log() const { return kept_.path() / "log"; }
  std::filesystem::path acknowledgements() const { return kept_.path() / "acknowledgements"; }

 private:
  process::Scratch kept_;
};

class RecordedRun {
 public:
  /// Reads the record of a process that has ended by itself. Its folder was `folder`. Throws core::UserError when the
  /// record was cut off.
  RecordedRun(const Recording&, const std::filesystem::path& folder);

  /// False: nothing ran under Everwarp, or it ran on a machine without timing.
  bool ran() const { return events_ != nullptr; }
  // REQUIRES: ran().
  std::size_t pools() const { return events_->pools().size(); }
  const std::vector<std::filesystem::path>& pool_paths() const { return pool_paths_; }
  bool shares_pools() const { return shares_pools_; }  // some pools lie outside of the folder
  /// The cycle of the last durable write or, if that is later, the cycle behind the last acknowledgement.
  u64 last_cycle() const;
  u64 last_write() const { return log_->last_number(); }
  /// The number of the log's records before the moment; and the largest progress that was acknowledged before it.
  u64 writes_before(const CrashMoment&) const;
  u64 acknowledged_before(const CrashMoment&) const;
  /// How many durable writes came before the last acknowledgement of more than `progress`. Nothing: there is none.
  std::optional<u64> writes_at_last_promise(u64 progress) const;

  /// The number of pools that had been mapped before the moment (the first ones). The files of the others are as before
  /// the run.
  std::size_t pools_before(const CrashMoment&) const;

  /// Files for build(), one for each pool.
  std::vector<std::string> empty_files() const;
  /// Fills in the content of the pools' files after the first `writes` records of the log.
  void build(u64 writes, std::vector<std::string>& files) const;

 private:
  std::unique_ptr<EventFile> events_;
  std::unique_ptr<DurableLog> log_;
  std::vector<runtime::Acknowledgement> acknowledgements_;
  std::vector<std::filesystem::path> pool_paths_;
  bool shares_pools_ = false;
};

}  // namespace ew::check
