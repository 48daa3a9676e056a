// The host's last-level cache. The host's memory and its non-volatile memory share it; so do the device's writes
// (DDIO, in `ddio_ways` of each set) and the host's cores (in all ways). The least recently used line of these ways
// makes room, or for a core any of them (llc_replacement). Lines of non-volatile memory have their bytes here: without
// eADR none of them is durable. Lines of volatile memory have none: the coherent image has them.
//
// Owned by MemoryDevices. HostMemory and HostNvm use it, each for lines of its own memory, and take back what makes
// room.
#pragma once

#include <array>
#include <cstdlib>
#include <memory>

#include "core/split_mix.hpp"
#include "media/host_memory_config.hpp"
#include "memory/request.hpp"

namespace ew::media {

class LastLevelCache {
 public:
  enum class Of : u8 { memory, pools };

  /// Its key and its last use are apart from it: a search looks at the keys of all ways, and at one line.
  struct Line {
    u64 address;             // of a pool's line: the program's; 0: unknown, as are the bytes
    memory::ByteMask dirty;  // written here; of volatile memory the whole line
  };

  /// Who has the memory behind the lines.
  class Memory {
   public:
    virtual ~Memory() = default;
    /// This dirty line makes room. `bytes`: of a pool's line; a place in the cache. `number`: of the line.
    virtual void evicted(const Line&, u64 number, const u8* bytes) = 0;
  };

  explicit LastLevelCache(const HostMemoryConfig&);
  void attach(Of of, Memory& memory) { memories_[static_cast<u32>(of)] = &memory; }

  bool none() const { return sets_ == 0; }
  u32 line_bytes() const { return line_bytes_; }
  /// nullptr: the cache does not have it. Else it was used last. `number`: simulated physical address, in lines.
  Line* find(Of, u64 number);
  /// A place for a line that the cache does not have; what was there has made room. `core`: of the host; else for the
  /// device's write. REQUIRES: !none().
  Line& add(Of, u64 number, bool core);
  /// The line is not here any more. What was dirty of it is the caller's to have taken first.
  void remove(Line& line);
  u8* bytes(const Line&);
  /// Bytes of the program in [begin, end) are forgotten.
  void drop(u64 begin, u64 end);

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  static u64 key(Of of, u64 number) { return (number + 1) << 1 | static_cast<u64>(of); }
  void make_room_for_cores();
  u64 victim(u64 set, bool core);
  u64 set(u64 number) const { return number % sets_ * ways_; }  // its first way
  u64 size() const { return sets_ * ways_; }

  const u32 line_bytes_, all_ways_, device_ways_;
  const u64 sets_;
  u32 ways_;  // of a set here: the device's, until a core of the host comes
  // Of each way. Made at the first add(); what was never used takes no memory.
  std::unique_ptr<u64[], Free> keys_;  // 0: no line is there
  std::unique_ptr<u64[], Free> used_;  // when last: greater is later
  std::unique_ptr<Line[], Free> lines_;
  std::unique_ptr<u8[], Free> bytes_;  // made at the first bytes()
  std::array<Memory*, 2> memories_{};
  u64 uses_ = 0;
  const bool random_;
  core::SplitMix64 dice_{0};
};

}  // namespace ew::media
