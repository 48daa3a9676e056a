#include "memory/cache/line_store.hpp"

#include <array>
#include <cstring>

namespace ew::memory {

void LineStore::drop_stale(CacheLine& line) {
  const WordMask stay = kept(line, static_cast<u32>(&line - lines_.data()));
  const u64 gone = count_of(line.valid & ~stay);
  counts_->words_invalidated += gone;
  if (line.persistent) counts_->persist.words_invalidated += gone;
  line.valid = stay;
  line.epoch = epoch_[kind(line)];
}

void LineStore::write(u32 way, const LineAccess& a, Agent& agent) {
  CacheLine& line = lines_[way];
  if (a.kind != AccessKind::store && (a.words & ~line.owned)) [[unlikely]]
    return change_copy(way, a, agent);
  const ByteMask written = agent.perform(a.access, a.part, bytes(way));
  line.dirty = line.dirty | (a.kind == AccessKind::store ? written : bytes_of(a.words));
  line.valid |= whole_words(line.dirty);
  line.account = a.account;
}

/// An atomic on words that nobody owns. A word that it leaves as it was (a compare-and-swap that fails) does not become
/// dirty: its old bytes would go over what another agent has written meanwhile.
void LineStore::change_copy(u32 way, const LineAccess& a, Agent& agent) {
  CacheLine& line = lines_[way];
  std::array<u8, longest_line> before;
  std::memcpy(before.data(), bytes(way), line_);
  agent.perform(a.access, a.part, bytes(way));
  WordMask changed = 0;
  for (u32 word = 0; word < line_ / word_bytes; ++word)
    changed |= WordMask{std::memcmp(&before[word * word_bytes], bytes(way) + word * word_bytes, word_bytes) != 0}
               << word;
  line.dirty = line.dirty | bytes_of(changed);
  line.account = a.account;
}

CacheLine LineStore::copy_of(u32 way) const {
  CacheLine copy = lines_[way];
  if (copy.epoch != epoch_[kind(copy)]) copy.valid = kept(copy, way);
  return copy;
}

}  // namespace ew::memory
