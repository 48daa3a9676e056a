// The kernels and launches that the file of events knows: which launch, and which region of
// include/everwarp/persist.cuh, does an instruction belong to? Owned by an EventRecorder. Kernels and launches are
// numbered from 1.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "simt/block.hpp"
#include "simt/event_writer.hpp"

namespace ew::simt {

enum class RegionKind : u8 { none, ofence, dfence, prel, pacq };

struct RecordedRegion {
  RegionKind kind = RegionKind::none;
  Scope scope = Scope::none;
};

struct RecordedKernel {
  u32 number = 0;
  std::string name;
  std::vector<RecordedRegion> regions;  // per pc
};

struct RecordedLaunch {
  u32 number = 0;
  const RecordedKernel* kernel = nullptr;
};

class RecordedLaunches {
 public:
  explicit RecordedLaunches(EventWriter& writer) : writer_(writer) {}

  /// Writes the launch's record; before it that of its kernel, if it is a new one.
  /// `cached`: what it writes to pools ends in a cache that a crash empties.
  void begin(u64 ticket, LaunchId, const Launch&, bool cached);
  /// False: no such launch is running.
  bool end(LaunchId);
  /// None of them will end.
  void drop();
  /// REQUIRES: the grid's launch runs.
  const RecordedLaunch& of(const Grid&);

 private:
  const RecordedKernel& describe(const ptx::Kernel&);

  EventWriter& writer_;
  std::unordered_map<const ptx::Kernel*, RecordedKernel> kernels_;
  u32 kernel_count_ = 0, launch_count_ = 0;
  std::unordered_map<LaunchId, RecordedLaunch> running_;
  // The one that was asked for last.
  const Grid* last_grid_ = nullptr;
  LaunchId last_id_ = 0;
  RecordedLaunch last_;
};

}  // namespace ew::simt
