// The private cache of a core of the host: which words it has copies of, and which of them it may write. Tags and no
// bytes: the image is where the copies are. Owned by the core.
#pragma once

#include <functional>
#include <vector>

#include "memory/agent_policy.hpp"
#include "memory/masks.hpp"
#include "memory/memory_config.hpp"
#include "memory/tag_array.hpp"

namespace ew::memory {

class HostCache {
 public:
  struct Copy {
    u64 line = no_line;
    WordMask valid = 0, owned = 0;  // what is owned is valid
    ByteMask dirty;                 // of owned words: bytes that the L2 has not heard of
  };
  explicit HostCache(const HostCoreConfig&);

  /// A copy of no words, if there is none.
  Copy find(u64 line, Place place) const {
    const u32 way = tags_.find(line, place.physical);
    return way == no_way ? Copy{} : copies_[way];
  }
  /// Words of the line that can be used at once, as the reaction says. The line is used now.
  WordMask use(u64 line, Place, const Reaction&);
  /// Owned words are written in [begin, end).
  void write(u64 line, Place, u64 begin, u64 end);
  /// Words of a line have come. Answers the copy that made room; its `line` is no_line if none did. Lines that are
  /// `pinned` make no room. REQUIRES: they do not fill the set.
  Copy add(const Copy& words, Place, const std::function<bool(u64 line)>& pinned);
  /// Another agent wants these words: the copy becomes what it asks for. Answers the bytes that have changed of words
  /// that are owned no more.
  ByteMask give_up(u64 line, Place, WordMask words, ProbeKind);
  /// Words that are not owned go.
  void acquire();

 private:
  u32 victim(Place, const std::function<bool(u64 line)>& pinned);
  void remove(u32 way);

  TagArray tags_;
  std::vector<Copy> copies_;  // by way
};

}  // namespace ew::memory
