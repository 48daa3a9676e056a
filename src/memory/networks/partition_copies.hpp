// Which lines of the other partitions' homes a partition of the L2 holds copies of. Tags alone: the bytes come from the
// home in any case, which is the point of coherence, and so are never old. A copy spares a read the link between the
// partitions, there and back; nothing else follows from it. Owned by the crossbar.
#pragma once

#include <vector>

#include "memory/request.hpp"
#include "memory/tag_array.hpp"

namespace ew::memory {

class PartitionCopies {
 public:
  PartitionCopies(u64 bytes, u32 line) : tags_({bytes, line, ways, true}), words_(tags_.lines()) {}

  /// All of these words are here.
  bool holds(const Place& place, WordMask words) {
    const u32 way = tags_.find(place.physical, place.physical);
    if (way == no_way || (words & ~words_[way])) return false;
    tags_.used(way);
    return true;
  }
  void keep(const Place& place, WordMask words) {
    u32 way = tags_.find(place.physical, place.physical);
    if (way == no_way) {
      way = tags_.victim(place.physical);
      if (tags_.line_of(way) != no_line) tags_.remove(way);
      tags_.install(way, place.physical);
      words_[way] = 0;
    }
    words_[way] |= words;
    tags_.used(way);
  }
  void drop(const Place& place) {
    const u32 way = tags_.find(place.physical, place.physical);
    if (way != no_way) tags_.remove(way);
  }

  static constexpr u32 ways = 16;

 private:
  TagArray tags_;
  std::vector<WordMask> words_;  // by way
};

}  // namespace ew::memory
