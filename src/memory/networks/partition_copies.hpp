// Which lines of the other partitions' homes a partition of the L2 holds copies of; with crossbar.copies_displace,
// which lines of its own homes, too. Tags alone: the bytes come from the home in any case, which is the point of
// coherence, and so are never old. A copy spares a read the link between the partitions, there and back. Owned by the
// crossbar.
#pragma once

#include <vector>

#include "memory/request.hpp"
#include "memory/tag_array.hpp"

namespace ew::memory {

class PartitionCopies {
 public:
  PartitionCopies(u64 bytes, u32 line)
      : line_(line), sets_(bytes / line / ways), tags_({bytes, line, ways, false}), words_(tags_.lines()) {}

  /// All of these words are here.
  bool holds(const Place& place, WordMask words) {
    const u32 way = tags_.find(place.physical, chooses_set(place));
    if (way == no_way || (words & ~words_[way])) return false;
    tags_.used(way);
    return true;
  }
  void keep(const Place& place, WordMask words) {
    u32 way = tags_.find(place.physical, chooses_set(place));
    if (way == no_way) {
      way = tags_.victim(chooses_set(place));
      if (tags_.line_of(way) != no_line) tags_.remove(way);
      tags_.install(way, place.physical);
      words_[way] = 0;
    }
    words_[way] |= words;
    tags_.used(way);
  }
  void drop(const Place& place) {
    const u32 way = tags_.find(place.physical, chooses_set(place));
    if (way != no_way) tags_.remove(way);
  }

  static constexpr u32 ways = 16;

 private:
  /// A stretch as long as all sets have a line each lies in all sets alike, but the next begins in another set: an
  /// A100's partition of 20 MiB serves footprints up to 19 MiB (gpu-benches, gpu-latency).
  u64 chooses_set(const Place& place) const {
    const u64 number = place.physical / line_;
    return (number + number / sets_ * 0x9e37'79b1) * line_;
  }

  const u64 line_, sets_;
  TagArray tags_;
  std::vector<WordMask> words_;  // by way
};

}  // namespace ew::memory
