// What happened on a timing machine, in order: one 32-byte record for each step of an access. Owned by the machine; its
// components keep a pointer. Off, the default, it costs one predictable branch where a record would be made. On, it
// keeps a digest of all records (two runs are the same run when their digests are), and a file when one is named.
#pragma once

#include <bit>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/observation.hpp"
#include "core/types.hpp"

namespace ew::core {

enum class TraceKind : u8 {
  issued,        // an SM has issued the instruction; address 0 when it touches no memory
  performed,     // a part of it was performed on the bytes of its line
  visible,       // a store is visible to every agent; a load has its value
  durable,       // a store has reached the persistence domain
  synchronised,  // a barrier, fence or acquire has been passed
  launched,      // a block begins on an SM: `access` is its number, `part` its place
  completed,     // it has ended
  // Only told to the listener. `address` is the launch, `access` the number of the block.
  begun,     // a warp takes slot `warp`: `part` is its number in the block
  ended,     // it leaves the slot: it has ended, or its launch has failed
  abandoned  // a block of a launch that has failed leaves the SM: `part` is its place
};

struct TraceRecord {
  u64 cycle = 0;
  u64 address = 0;  // of the line
  u32 access = 0;   // the agent's number of it
  u32 words = 0;    // of the line
  u16 agent = 0, warp = 0;
  TraceKind kind = TraceKind::issued;
  u8 part = 0;       // of the access
  u8 what = 0;       // memory::AccessKind
  u8 served_by = 0;  // memory::ServedBy
};
static_assert(sizeof(TraceRecord) == 32);

class Trace {
 public:
  bool on() const { return observation && on_; }
  /// Who asks often keeps this.
  const bool& is_on() const { return on_; }
  void record(const TraceRecord& record) {
    if (on()) [[unlikely]]
      keep(record);
  }
  /// For the listener alone: neither counted nor part of the digest or the file.
  void tell(const TraceRecord& record) const {
    if (observation && listener_) [[unlikely]]
      listener_(record);
  }

  /// From now on records are counted and digested.
  void begin() { on_ = true; }
  /// They are also written to this file, as they are in memory. False: it cannot be written.
  bool begin(const std::string& file);
  /// Every record is also handed to `listener`; the trace is on from now.
  void listen(std::function<void(const TraceRecord&)> listener);
  /// Writes what is buffered; called before exit.
  void flush();

  u64 records() const { return records_; }
  u64 digest() const { return digest_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void keep(const TraceRecord&);

  bool on_ = false;
  u64 records_ = 0, digest_ = 0x9e3779b97f4a7c15;
  std::vector<TraceRecord> buffer_;
  std::function<void(const TraceRecord&)> listener_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace ew::core
