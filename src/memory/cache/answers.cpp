#include "memory/cache/answers.hpp"

#include <bit>

#include "memory/impossible.hpp"

namespace ew::memory {

void Answers::receive(const Request& message) {
  p_.counts.act_for(message.account);
  switch (message.kind) {
    case RequestKind::data:
      if (!p_.misses.knows(message.ticket)) impossible("an answer to no request", message, p_.now());
      return p_.misses[message.ticket].way == no_way ? data_without_line(message) : data(message);
    case RequestKind::written:
      return written(message);
    case RequestKind::durable:
      return durable(message);
    case RequestKind::probe:
    case RequestKind::forward:
      return probe(message);
    default:
      impossible("a request for a home came to a private cache", message, p_.now());
  }
}

void Answers::data(const Request& answer) {
  if (answer.served_by == ServedBy::remote_cache)  // the home holds the line until it knows
    p_.port.answer_home({.line = answer.line, .origin = answer.origin}, answer.slice, 0, p_.account());
  install(p_.misses[answer.ticket], answer);
  perform_waiting(answer.ticket, answer.served_by);
}

void Answers::install(Mshr& mshr, const Request& answer) {
  CacheLine& line = p_.lines[mshr.way];
  p_.lines.refresh(line);
  p_.misses.refresh(mshr);
  const Payload& payload = p_.around.payloads[answer.payload];
  copy_bytes(p_.lines.bytes(mshr.way), payload.bytes.data(), bytes_of(answer.words) & ~(line.dirty | mshr.keep));
  if (answer.owned) line.dirty = line.dirty | payload.valid;  // what the old owner had not written back
  p_.around.payloads.give_back(answer.payload);
  line.valid |= answer.words & ~mshr.poison;
  if (answer.owned) line.owned |= answer.words;
  mshr.outstanding &= ~answer.words;
  p_.banks.fill(mshr.line, static_cast<u32>(std::popcount(answer.words)) * word_bytes, p_.now());
}

/// One part that the home performed, or whose value it read.
void Answers::data_without_line(const Request& answer) {
  const u32 number = p_.misses[answer.ticket].first;
  const WaitingPart part = p_.misses.part(number);
  const LineAccess& a = part.access;
  p_.misses.free_part(number);
  if (a.kind == AccessKind::load)
    p_.around.agent.perform(a.access, a.part, p_.around.payloads[answer.payload].bytes.data());
  if (answer.payload != no_payload) p_.around.payloads.give_back(answer.payload);
  p_.around.agent.complete(a.access, a.part, answer.served_by);
  p_.misses.free(answer.ticket);
  p_.port.mmio_over(a.access, a.part);
  if (a.kind != AccessKind::load) p_.port.settle(part.generation);
}

/// In order, but for parts that lack words: those wait, and so does what comes behind them on the same words.
void Answers::perform_waiting(u32 number, ServedBy by) {
  Mshr& mshr = p_.misses[number];
  const u32 way = mshr.way;
  WordMask waited = 0, waiting_stores = 0;
  u32 last = no_number;
  for (u32 at = mshr.first, next; at != no_number; at = next) {
    const WaitingPart part = p_.misses.part(at);
    const LineAccess& a = part.access;
    next = part.next;
    const bool is_load = a.kind == AccessKind::load;
    const WordMask lacking = a.words & (is_load ? mshr.outstanding : ~p_.lines[way].owned);
    if (lacking || (a.words & waited)) {
      waited |= a.words;
      if (!is_load) waiting_stores |= a.words;
      last = at;
      continue;
    }
    if (is_load)
      p_.around.agent.perform(a.access, a.part, p_.lines.bytes(way));
    else
      p_.lines.write(way, a, p_.around.agent);
    (last == no_number ? mshr.first : p_.misses.part(last).next) = next;
    p_.misses.free_part(at);
    --mshr.count;
    p_.around.agent.complete(a.access, a.part, part.merged ? ServedBy::merged : by);
    if (!is_load) p_.port.settle(part.generation);
  }
  mshr.last = last;
  mshr.waited = waited;
  mshr.waiting_stores = waiting_stores;
  mshr.poison &= mshr.outstanding | waited;
  if (mshr.outstanding) return;
  if (mshr.first == no_number) return p_.misses.free(number);
  if (!waiting_stores) return;
  p_.counts.act_for(p_.misses.part(mshr.first).access.account);
  p_.misses.request(RequestKind::own, number, waiting_stores);
}

void Answers::written(const Request& answer) {
  if (answer.persist && !p_.persists.model()) return;  // over when it is durable
  if (!answer.persist) p_.buffer.end_write();
  if (answer.access != no_access) p_.around.agent.complete(answer.access, answer.part, answer.served_by);
  p_.port.mmio_over(answer.access, answer.part);
  p_.port.settle(answer.ticket);
  if (answer.flush) p_.flush.line_arrived(answer.flush);
}

/// A copy engine and a core of the host have no model: their store is over when it is durable.
void Answers::durable(const Request& answer) {
  p_.persists_under_way.durable(answer.persist);
  ++p_.counts->persist.acknowledged;
  if (p_.persists.model()) return p_.persists.durable();
  if (answer.access != no_access) p_.around.agent.complete(answer.access, answer.part, answer.served_by);
  p_.port.settle(answer.ticket);
  if (answer.flush) p_.flush.line_arrived(answer.flush);
}

/// A probe or forward about a copy that went meanwhile is answered with no words; bytes that were dirty are on their
/// way to the home already, ahead of this answer.
void Answers::probe(const Request& asked) {
  const bool is_forward = asked.kind == RequestKind::forward;
  ++(is_forward ? p_.counts->forwards : p_.counts->probes);
  Request answer{.line = asked.line, .origin = asked.origin};
  u32 data_bytes = 0;
  if (const u32 way = p_.lines.find(asked.line); way != no_way) {
    CacheLine& line = p_.lines[way];
    p_.lines.refresh(line);
    if (is_forward) answer.words = forward(asked, way);
    const WordMask probed = is_forward ? answer.words : asked.words;
    const Protocol::After after = p_.around.protocol.on_probe(asked.probe, probed, line.valid, line.owned);
    const ByteMask dirty = line.dirty & bytes_of(line.owned & ~after.owned);
    if (dirty.any() && !asked.owned) {  // else they went to the new owner
      answer.payload = p_.around.payloads.take();
      Payload& payload = p_.around.payloads[answer.payload];
      std::memcpy(payload.bytes.data(), p_.lines.bytes(way), p_.config.line);
      payload.valid = dirty;
      data_bytes = dirty.count();
    }
    line.dirty = line.dirty & ~dirty;
    line.valid = after.valid;
    line.owned = after.owned;
    p_.lines.remove_if_empty(way);
  }
  p_.port.answer_home(answer, asked.slice, data_bytes, p_.account());
}

/// Answers another agent's request with the words that are owned here. Returns them.
WordMask Answers::forward(const Request& asked, u32 way) {
  const CacheLine& line = p_.lines[way];
  const WordMask have = asked.words & line.owned;
  if (!have) return 0;
  Request answer = asked;
  answer.kind = RequestKind::data;
  answer.words = have;
  answer.served_by = ServedBy::remote_cache;
  answer.payload = p_.around.payloads.take();
  Payload& payload = p_.around.payloads[answer.payload];
  std::memcpy(payload.bytes.data(), p_.lines.bytes(way), p_.config.line);
  // With the right to write goes the duty to write back: the home would hear from two agents about the same bytes else.
  if (asked.owned) payload.valid = line.dirty & bytes_of(have);
  p_.port.answer_agent(answer, asked.origin, static_cast<u32>(std::popcount(have)) * word_bytes, p_.account());
  return have;
}

}  // namespace ew::memory
