// How `ew run` talks to a program's runtime, and how a program run alone (./a.out) is told the same: environment
// variables. `ew run` sets them, the runtime reads them once, at the first CUDA call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace ew::runtime {

struct Environment {
  /// EVERWARP_MACHINE: name of a machine in machines/, or path of a machine file. Absent: "default".
  static constexpr const char* machine_name = "EVERWARP_MACHINE";
  /// EVERWARP_SET: settings over the machine file, "section.key=value" separated by ';'.
  static constexpr const char* settings_name = "EVERWARP_SET";
  /// EVERWARP_SEED: a number; 0 (the default) means no perturbation. Functional mode has nothing to perturb; it is
  /// recorded.
  static constexpr const char* seed_name = "EVERWARP_SEED";
  /// EVERWARP_STATS: file that receives the statistics as JSON when the program exits.
  static constexpr const char* statistics_name = "EVERWARP_STATS";
  /// EVERWARP_MAX_INSTRUCTIONS: a launch ends with cudaErrorLaunchTimeout after this many warp instructions. 0: no
  /// limit.
  static constexpr const char* max_instructions_name = "EVERWARP_MAX_INSTRUCTIONS";
  /// EVERWARP_CRASH_AT: the process kills itself (SIGKILL) right after this warp instruction, counted over all launches
  /// from 1.
  static constexpr const char* crash_at_name = "EVERWARP_CRASH_AT";
  /// EVERWARP_CRASH_AT_CYCLE: timing mode: the process kills itself (SIGKILL) when this cycle begins.
  static constexpr const char* crash_at_cycle_name = "EVERWARP_CRASH_AT_CYCLE";
  /// EVERWARP_COUNT_FILE: file that receives, at exit, the number of warp instructions that ran: the range for `ew
  /// crash random`.
  static constexpr const char* count_file_name = "EVERWARP_COUNT_FILE";

  /// EVERWARP_TIMELINE: file that receives a timeline (Chrome trace events) while a timing machine runs.
  static constexpr const char* timeline_name = "EVERWARP_TIMELINE";
  /// EVERWARP_TRACE: file that receives the records of core/trace.hpp.
  static constexpr const char* trace_name = "EVERWARP_TRACE";
  /// EVERWARP_DIGEST: 1: the statistics hold a digest of the trace, equal for equal runs.
  static constexpr const char* digest_name = "EVERWARP_DIGEST";
  /// EVERWARP_SUMMARY: 1: tables of kernels, issue slots, energy and traffic on stderr at exit.
  static constexpr const char* summary_name = "EVERWARP_SUMMARY";
  static constexpr const char* per_unit_name = "EVERWARP_PER_UNIT";
  /// EVERWARP_PROGRESS: 1: a line a second on stderr while kernels run; 2: never. Absent: on a terminal.
  static constexpr const char* progress_name = "EVERWARP_PROGRESS";

  /// EVERWARP_EVENTS: file that receives what the run did that matters to persistency (simt/persist_events.hpp).
  static constexpr const char* events_name = "EVERWARP_EVENTS";
  /// EVERWARP_DURABLE_LOG: file that receives, in timing mode, every durable write of pools, in order
  /// (memory/durable_image.hpp). Functional mode: every command that changes blocks of drives
  /// (storage/command_log.hpp).
  static constexpr const char* durable_log_name = "EVERWARP_DURABLE_LOG";
  /// EVERWARP_CRASH_AT_PERSIST: the process kills itself (SIGKILL) right after this durable write, from 1. Functional
  /// mode, where what is performed is durable: after this record of EVERWARP_EVENTS that changes a pool.
  static constexpr const char* crash_at_persist_name = "EVERWARP_CRASH_AT_PERSIST";
  /// EVERWARP_ACKNOWLEDGEMENTS: file that receives what the program acknowledges (runtime/acknowledgements.hpp).
  static constexpr const char* acknowledgements_name = "EVERWARP_ACKNOWLEDGEMENTS";
  /// EVERWARP_ACKNOWLEDGED: of a recovery: what the crashed run had acknowledged last; gpm_acknowledged() gives it.
  static constexpr const char* acknowledged_name = "EVERWARP_ACKNOWLEDGED";
  /// EVERWARP_FORK_SERVER: "IN:OUT", two open descriptors: the process stops before main() and serves forks of itself
  /// (runtime/fork_server.hpp).
  static constexpr const char* fork_server_name = "EVERWARP_FORK_SERVER";

  std::string machine = "default";
  std::vector<std::string> settings;
  u64 seed = 0;
  std::string statistics_file;
  u64 max_instructions = 0;
  u64 crash_at = 0, crash_at_persist = 0, crash_at_cycle = 0;  // 0: never
  std::string count_file;
  std::string timeline_file, trace_file, events_file, durable_log_file, acknowledgements_file;
  bool digest = false, summary = false, per_unit = false;
  bool traced_host = false;  // no variable: a program that was built with --trace-host says so before main()
  u64 progress = 0;

  /// Reads the variables. Throws core::UserError for one that is not a number.
  static Environment read();
};

}  // namespace ew::runtime
