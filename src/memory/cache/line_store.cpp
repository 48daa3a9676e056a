#include "memory/cache/line_store.hpp"

namespace ew::memory {

void LineStore::drop_stale(CacheLine& line) {
  const WordMask stay = kept(line, static_cast<u32>(&line - lines_.data()));
  const u64 gone = count_of(line.valid & ~stay);
  counts_->words_invalidated += gone;
  if (line.persistent) counts_->persist.words_invalidated += gone;
  line.valid = stay;
  line.epoch = epoch_[line.persistent];
}

void LineStore::write(u32 way, const LineAccess& a, Agent& agent) {
  CacheLine& line = lines_[way];
  const ByteMask written = agent.perform(a.access, a.part, bytes(way));
  line.dirty = line.dirty | (a.kind == AccessKind::store ? written : bytes_of(a.words));
  line.valid |= whole_words(line.dirty);
  line.account = a.account;
}

CacheLine LineStore::copy_of(u32 way) const {
  CacheLine copy = lines_[way];
  if (copy.epoch != epoch_[copy.persistent]) copy.valid = kept(copy, way);
  return copy;
}

}  // namespace ew::memory
