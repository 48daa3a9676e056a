// The events of a run, read back from the file that simt/event_recorder.hpp wrote. Owns the bytes. Everything that it
// returns points into these bytes, and lives as long as this object.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "persistency/axioms.hpp"
#include "simt/persist_events.hpp"

namespace ew::check {

using persistency::PersistAxioms;
using simt::EventAction;
using simt::EventRecord;

/// The order operation that stands for an event's action. It is none for conventional releases and acquires: these
/// count as accesses alone.
memory::PersistOrder operation_of(EventAction);

class EventFile {
 public:
  /// Throws core::UserError when it is no file of events, or when the file was cut off.
  explicit EventFile(const std::string& path);
  /// The same from memory (tests): `words` as they would stand in the file.
  explicit EventFile(std::vector<u64> words);

  struct Pool {
    u64 address = 0, size = 0;
    u64 cycle = 0, writes = 0;  // at its first mapping: the last cycle that had begun; the durable writes so far
    std::string path;
    std::string_view header;       // the file's bytes in front of the content
    std::span<const u64> content;  // at its first mapping
    u64 begin() const { return address; }
    u64 end() const { return address + size; }
  };
  const std::vector<Pool>& pools() const { return pools_; }

  struct Launch {
    u32 kernel = 0;
    u64 ticket = 0, threads = 0, blocks = 0;  // threads of a block
    bool cached = false;                      // what it writes to pools ends in a cache that a crash empties
  };
  const std::vector<Launch>& launches() const { return launches_; }  // [0] is none

  /// Calls visit(record, words) for each record in order.
  template <class Visit>
  void each(Visit&& visit) const {
    constexpr std::size_t record_words = sizeof(EventRecord) / sizeof(u64);
    for (std::size_t at = 1; at < words_.size();) {
      const auto& record = *reinterpret_cast<const EventRecord*>(words_.data() + at);
      if (record.kind == simt::EventKind::end) return;
      visit(record, std::span(words_).subspan(at + record_words, record.words));
      at += record_words + record.words;
    }
  }

  std::string_view kernel_name(u32 launch) const;
  /// "kvs.cu:117", or the kernel's name with the instruction's number.
  std::string place(u32 launch, u32 pc) const;
  u64 records() const { return records_; }
  /// The number of records that have changed a pool.
  u64 changes() const { return changes_; }

 private:
  struct Kernel {
    std::string_view name;
    std::vector<std::string_view> files;
    std::span<const u64> lines;
  };
  void index();
  void add_kernel(const EventRecord&, std::span<const u64>);
  void add_pool(std::span<const u64>);

  std::vector<u64> words_;
  u64 records_ = 0, changes_ = 0;
  std::vector<Kernel> kernels_{1};
  std::vector<Launch> launches_{1};
  std::vector<Pool> pools_;
};

}  // namespace ew::check
