// Parts of streams that the program has named (measure_begin of <everwarp/host.cuh>). A part begins when everything
// before measure_begin() has completed, and ends when everything before measure_end() has completed. Owned by Machine
// and guarded by its mutex.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/host_ranges.hpp"
#include "runtime/program_work.hpp"

namespace ew::runtime {

class MeasuredRegions {
 public:
  void begin(std::string_view name, CUstream_st&, ProgramWork&);
  /// Ends the youngest of this name and stream that has not ended. False: there is none.
  bool end(std::string_view name, CUstream_st&, ProgramWork&);

  /// The ticket at which the last of this name is over; 0: none has ended.
  Ticket last_end(std::string_view name) const;
  /// Nanoseconds of all that are over.
  u64 sum(std::string_view name, const Queue&) const;
  /// Those that are over become rows.
  void write(HostRanges&, const Queue&) const;

 private:
  struct Region {
    std::string name;
    const CUstream_st* stream;
    CUevent_st begin, end;
  };
  std::deque<Region> regions_;  // commands name their events
};

}  // namespace ew::runtime
