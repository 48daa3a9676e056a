#include "memory/cache/asked.hpp"

#include <cstring>

namespace ew::memory {

void Asked::ask(const Request& asked) {
  ++(asked.kind == RequestKind::forward ? p_.counts->forwards : p_.counts->probes);
  const u32 way = p_.lines.find(asked.line, asked.place);
  if (p_.policy.home != HomeKind::registry) return answer(asked, way);
  Request now = asked;
  if (now.kind == RequestKind::forward) answer_from_leaving(now);
  const WordMask later = not_here_yet(now, way);
  if (later) {
    // A probe has one answer. A forward's words may come in parts.
    Request rest = now;
    if (now.kind == RequestKind::forward) rest.words = later;
    waiting_.push_back(rest);
    now.words &= ~rest.words;
  }
  if (now.words) answer(now, way);
}

/// Words of this agent's request for ownership, if the home had that request before it asked. It had not if a word is
/// still to come and is owned here, or on its way back: then it asks because of the old ownership.
WordMask Asked::not_here_yet(const Request& asked, u32 way) const {
  if (way == no_way || p_.lines[way].mshr == no_number) return 0;
  const Mshr& mshr = p_.misses[p_.lines[way].mshr];
  const WordMask old = mshr.to_come & (p_.lines[way].owned | p_.leaving.left(asked.line));
  return asked.words & mshr.owning & ~old;
}

void Asked::answer_waiting(u64 line) {
  if (waiting_.empty()) return;
  due_.clear();
  std::erase_if(waiting_, [&](const Request& one) {
    if (one.line == line) due_.push_back(one);
    return one.line == line;
  });
  for (const Request& one : due_) answer(one, p_.lines.find(line, one.place));
}

/// About a copy that went meanwhile the answer has no words; bytes that were dirty are on their way to the home
/// already, ahead of this answer.
void Asked::answer(const Request& asked, u32 way) {
  const bool is_forward = asked.kind == RequestKind::forward;
  Request answer{.line = asked.line, .place = asked.place, .origin = asked.origin};
  if (way != no_way) {
    p_.lines.refresh(p_.lines[way]);
    const CacheLine& line = p_.lines[way];
    if (is_forward) {
      answer.words = asked.words & line.owned;
      const ByteMask dirty = line.dirty | p_.leaving.being_cleaned(asked.line);
      answer_requester(asked, p_.lines.bytes(way), answer.words, dirty);
    }
    take(way, asked, is_forward ? answer.words : asked.words, answer);
  }
  if (is_forward && !asked.held) return;
  const u32 data_bytes = answer.payload == no_payload ? 0 : p_.around.payloads[answer.payload].valid.count();
  p_.port.answer_home(answer, asked.slice, data_bytes, p_.account());
}

/// The copy becomes what the home asks for. Dirty bytes of words that are owned no more, or are to be clean, go with
/// the answer, but for those that went to the new owner. The image has them from now on: the home holds the line until
/// the answer comes, so nobody who asks it can tell, and a host that looks past the machine misses nothing.
void Asked::take(u32 way, const Request& asked, WordMask words, Request& answer) {
  if (asked.probe == ProbeKind::none) return;
  CacheLine& line = p_.lines[way];
  // What has not left of a persist stays: the persistency model says when it leaves.
  const ByteMask dirty = line.persistent ? ByteMask{} : line.dirty & bytes_of(line.owned & words);
  if (dirty.any() && !asked.owned) {
    answer.payload = p_.around.payloads.take();
    Payload& payload = p_.around.payloads[answer.payload];
    std::memcpy(payload.bytes.data(), p_.lines.bytes(way), p_.config.line);
    payload.valid = dirty;
    copy_to_image(asked.line, payload.bytes.data(), dirty);
  }
  line.dirty = line.dirty & ~dirty;
  if (asked.probe == ProbeKind::clean) return;
  line.owned &= ~words;
  if (asked.probe == ProbeKind::invalidate) {
    line.valid &= ~words | whole_words(line.dirty);  // what is still dirty is of this agent's own, and not owned yet
    // What waits with these words must not see what is younger than a hit of its thread behind it; and an answer that
    // is on its way may be older than what this agent has seen as their owner.
    if (line.mshr != no_number && p_.policy.home == HomeKind::registry) {
      Mshr& mshr = p_.misses[line.mshr];
      mshr.poison |= (mshr.waited | mshr.welcome | mshr.outstanding) & words;
    }
  }
  p_.lines.remove_if_empty(way);
}

/// Answers another agent's request with words that are owned here.
void Asked::answer_requester(const Request& asked, const u8* bytes, WordMask have, const ByteMask& dirty) {
  if (!have) return;
  Request answer = asked;
  answer.kind = RequestKind::data;
  answer.words = have;
  answer.content = have & asked.content;
  answer.served_by = ServedBy::remote_cache;
  answer.payload = p_.around.payloads.take();
  Payload& payload = p_.around.payloads[answer.payload];
  std::memcpy(payload.bytes.data(), bytes, p_.config.line);
  // With the right to write goes the duty to write back: the home would hear from two agents about the same bytes else.
  if (asked.owned) payload.valid = dirty & bytes_of(answer.content);
  p_.port.answer_agent(answer, asked.origin, count_of(answer.content) * word_bytes, p_.account());
}

/// Words whose write-back the home had not taken when it sent the request on. It will not take it for these any more.
void Asked::answer_from_leaving(Request& asked) {
  while (LeavingLine* const leaving = p_.leaving.find(asked.line, asked.words)) {
    const WordMask have = asked.words & leaving->words;
    const Payload& payload = p_.around.payloads[leaving->payload];
    answer_requester(asked, payload.bytes.data(), have, payload.valid);
    asked.words &= ~have;
    if (asked.owned) leaving->words &= ~have;
  }
}

}  // namespace ew::memory
