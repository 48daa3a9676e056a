// A run of a timing machine with what became durable, when, and what it acknowledged: the pool files of any of its
// moments. A campaign records the program once, and, when recoveries are crashed too, a recovery of each state.
#pragma once

#include <filesystem>
#include <memory>
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
  bool persist = false;  // after this durable write; else when this cycle begins
  u64 number = 0;
  std::string words() const;  // as --at takes them
};

/// Where a process writes down what it does.
class Recording {
 public:
  /// To be added to the environment of the process. A machine without simulated time writes no log, and a process that
  /// runs nothing under Everwarp no file at all.
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
  /// The process has ended by itself, in `folder`. Throws core::UserError when it was cut off.
  RecordedRun(const Recording&, const std::filesystem::path& folder);

  /// False: nothing ran under Everwarp, or on no timing machine.
  bool ran() const { return events_ != nullptr; }
  // REQUIRES: ran().
  std::size_t pools() const { return events_->pools().size(); }
  const std::vector<std::filesystem::path>& pool_paths() const { return pool_paths_; }
  bool shares_pools() const { return shares_pools_; }  // some lie outside of the folder
  /// Of the last durable write or, if later, the one behind the last acknowledgement.
  u64 last_cycle() const;
  u64 last_write() const { return log_->last_number(); }
  /// Records of the log before the moment; and the most that was acknowledged.
  u64 writes_before(const CrashMoment&) const;
  u64 acknowledged_before(const CrashMoment&) const;

  /// How many of the pools had been mapped: the first ones. A file that had not is as it was before the run.
  std::size_t pools_before(const CrashMoment&) const;

  /// Files for build(), one a pool.
  std::vector<std::string> empty_files() const;
  /// What the pools' files hold after so many records of the log.
  void build(u64 writes, std::vector<std::string>& files) const;

 private:
  std::unique_ptr<EventFile> events_;
  std::unique_ptr<DurableLog> log_;
  std::vector<runtime::Acknowledgement> acknowledgements_;
  std::vector<std::filesystem::path> pool_paths_;
  bool shares_pools_ = false;
};

}  // namespace ew::check
