// What a home asks of a private cache's copies.
#include <bit>
#include <cassert>

#include "memory/private_cache_state.hpp"

namespace ew::memory {

/// A probe or forward about a copy that went meanwhile is answered with no words; bytes that were dirty are on their
/// way to the home already, ahead of this answer.
void PrivateCache::State::probe(const Request& asked) {
  const bool forward = asked.kind == RequestKind::forward;
  ++(forward ? counts->forwards : counts->probes);
  Request answer{.line = asked.line, .origin = asked.origin, .target = parts.id};
  answer.kind = RequestKind::probe_answer;
  answer.traffic = parts.dma ? Traffic::dma : Traffic::probe;
  u32 data_bytes = 0;
  const u32 way = find(asked.line);
  if (way != no_way) {
    Line& line = lines[way];
    refresh(line);
    if (forward) {
      answer.words = asked.words & line.owned;
      if (answer.words) answer_forward(asked, way, answer.words);
    }
    const WordMask probed = forward ? answer.words : asked.words;
    const Protocol::After after = parts.protocol.on_probe(asked.probe, probed, line.valid, line.owned);
    const WordMask lost = line.owned & ~after.owned;
    const ByteMask dirty = line.dirty & bytes_of(lost);
    if (dirty.any() && asked.owned) {
      line.dirty = line.dirty & ~dirty;  // they went to the new owner
    } else if (dirty.any()) {
      answer.payload = parts.payloads.take();
      std::memcpy(parts.payloads[answer.payload].bytes.data(), bytes(way), config.line);
      parts.payloads[answer.payload].valid = dirty;
      data_bytes = dirty.count();
      line.dirty = line.dirty & ~dirty;
    }
    line.valid = after.valid;
    line.owned = after.owned;
    drop_if_empty(way);
  }
  send(answer, static_cast<Node>(parts.agents + asked.slice), data_bytes);
}

void PrivateCache::State::answer_forward(const Request& asked, u32 way, WordMask have) {
  Request answer = asked;
  answer.kind = RequestKind::data;
  answer.words = have;
  answer.served_by = ServedBy::remote_cache;
  answer.payload = parts.payloads.take();
  Payload& payload = parts.payloads[answer.payload];
  std::memcpy(payload.bytes.data(), bytes(way), config.line);
  // With the right to write goes the duty to write back: the home would hear from two agents about the same bytes else.
  if (asked.owned) payload.valid = lines[way].dirty & bytes_of(have);
  send(answer, static_cast<Node>(asked.origin), static_cast<u32>(std::popcount(have)) * word_bytes);
}

void PrivateCache::State::drop_if_empty(u32 way) {
  const Line& line = lines[way];
  if (line.valid || line.mshr != none || line.dirty.any()) return;
  tags.remove(way);
}

}  // namespace ew::memory
