// What the host of a recorded run called around a store of its own, or around a copy: words for reports. The host's
// stores have no line. They are found when the host next calls something, so a report names that call.
//
// Refers to the file of events, which outlives it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/event_file.hpp"
#include "check/persist_graph.hpp"

namespace ew::check {

class HostCalls {
 public:
  HostCalls(const EventFile&, const PersistAxioms&);

  /// The persist is of a copy or a fill, and not of a store of the host's program.
  bool is_copy(u32 persist) const { return persists_[persist].kind == simt::EventKind::transfer; }
  /// The copy is a write of a file: by host_file_write, or by gwrite.
  bool is_file_write(u32 persist) const {
    return is_copy(persist) && persists_[persist].carrier != simt::Carrier::copy;
  }
  /// What the host does at this persist: "store", "copy" or "write"; `it`: "stores", "copies", "writes".
  std::string verb(u32 persist, bool it = false) const;
  /// The calls that make it durable: "gpm_persist_range, host_persist".
  std::string flushes(u32 persist) const;
  /// Both are the host's own stores, and were found by one call. Nobody knows which came first.
  bool found_together(u32 a, u32 b) const { return persists_[a].record == persists_[b].record; }
  /// "before its gpm_persist_range() on 8 bytes at p.pool+0x20, behind launch 4 (step)"; "copy 3 to a pool, ...".
  std::string place(u32 persist) const;

  /// A flush by the host. `issued`: how many persists the run had issued by then.
  struct Flush {
    std::string call;     // "its gpm_persist_range() on 8 bytes at p.pool+0x20"
    bool queued = false;  // a command of a stream (host_persist)
    u32 issued = 0;
    u64 begin = 0, end = 0;
    bool covers(const Persist& persist) const {
      return persist.address < end && persist.address + persist.bytes > begin;
    }
  };
  /// The first flush of the persist's bytes, later in the run.
  std::optional<Flush> flush_of(const Persist&, u32 number) const;

  /// The host had submitted the launch before the run issued this persist.
  bool submitted_before(u32 launch, u32 persist) const;
  /// Kernels never run in a region of the host that the model asks for (gpm_persist_begin), and the host flushes some
  /// of what they store: a program of GPM-NDP.
  bool flushes_for_kernels() const { return flushes_for_kernels_; }

 private:
  struct Call {
    EventRecord record;
    u64 words[3] = {};  // the record's first
    u32 issued = 0;     // persists
    u64 at = 0;         // the number of the record
  };
  struct Found {
    u64 record = 0;
    simt::EventKind kind = simt::EventKind::end;
    simt::Carrier carrier = simt::Carrier::copy;
    u32 copy = 0;    // its number among those of its carrier
    u32 launch = 0;  // the last that had begun
  };
  std::string text_of(const Call&) const;
  std::string launch_text(u32 launch) const;

  const EventFile& events_;
  std::vector<Call> calls_;       // launches, flushes, acknowledgements, unmappings
  std::vector<Found> persists_;   // by their number
  std::vector<u32> submissions_;  // for each launch: how many persists the run had issued when it was submitted
  bool flushes_for_kernels_ = false;
};

}  // namespace ew::check
