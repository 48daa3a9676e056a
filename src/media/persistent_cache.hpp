// The host's last-level cache as the device's writes to non-volatile memory see it (DDIO): their bytes, in the ways
// that such writes may take, the least recently used of a set going first. Without eADR nothing in it is durable. Owned
// by HostNvm.
#pragma once

#include <array>
#include <vector>

#include "media/host_memory.hpp"
#include "memory/request.hpp"

namespace ew::media {

class PersistentCache {
 public:
  struct Line {
    u64 line = ~u64{0};     // simulated physical, in lines
    u64 address = 0;        // the program's; 0: unknown, as are the bytes
    u64 used = 0;           // greater: later
    memory::ByteMask mask;  // written here
  };

  explicit PersistentCache(const HostMemoryConfig&);
  /// nullptr: the cache does not have it. Else it was used last.
  Line* find(u64 line);
  /// The least recently used line of the set, to be written to; what it held is the caller's to take first.
  Line& victim(u64 line);
  u8* bytes(const Line& line) { return data_.data() + static_cast<u64>(&line - lines_.data()) * line_bytes_; }
  void touch(Line& line) { line.used = ++uses_; }
  u32 line_bytes() const { return line_bytes_; }
  /// Bytes of the program in [begin, end) are forgotten.
  void drop(u64 begin, u64 end);

 private:
  Line* set(u64 line) { return &lines_[line % sets_ * ways_]; }

  const u32 line_bytes_, ways_;
  const u64 sets_;
  std::vector<Line> lines_;
  std::vector<u8> data_;
  u64 uses_ = 0;
};

}  // namespace ew::media
