#include "memory/cache/answers.hpp"

#include <utility>

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
      return asked_.ask(message);
    default:
      impossible("a request for a home came to a private cache", message, p_.now());
  }
}

void Answers::data(const Request& answer) {
  if (answer.held)  // the home waits for this receipt
    p_.port.answer_home({.line = answer.line, .place = answer.place, .origin = answer.origin}, answer.slice, 0,
                        p_.account());
  install(p_.misses[answer.ticket], answer);
  perform_waiting(answer.ticket, answer.served_by);
}

void Answers::install(Mshr& mshr, const Request& answer) {
  CacheLine& line = p_.lines[mshr.way];
  p_.lines.refresh(line);
  p_.misses.refresh(mshr);
  const Payload& payload = p_.around.payloads[answer.payload];
  WordMask brought = answer.content;
  if (brought & ~answer.words) [[unlikely]]  // words that nobody waited for do not cover what a younger answer brought
    brought &= answer.words | ~(line.valid | mshr.outstanding | mshr.waited | mshr.poison);
  u8* const bytes = p_.lines.bytes(mshr.way);
  if (const ByteMask newer = line.dirty | mshr.keep; newer.any())
    copy_bytes(bytes, payload.bytes.data(), bytes_of(brought) & ~newer);
  else
    copy_words(bytes, payload.bytes.data(), brought);
  if (answer.owned) line.dirty = line.dirty | payload.valid;  // what the old owner had not written back
  p_.around.payloads.give_back(answer.payload);
  // What is owned is current, whatever this cache gave up meanwhile: each later writer gets it from here.
  line.valid |= answer.owned ? brought : brought & ~mshr.poison;
  if (answer.owned) {
    line.owned |= answer.words;
    p_.buffer.owned(mshr.way);
    mshr.to_come &= ~answer.words;
  }
  mshr.outstanding &= ~answer.words;
  p_.banks.fill(mshr.line, count_of(answer.content) * word_bytes, p_.now());
}

/// The home may have held this load: each round counts as one that was answered.
void Answers::held(const LineAccess& a, PayloadId id) {
  const HeldPoll& poll = p_.around.payloads.polls[id];
  p_.counts->loads += poll.rounds;
  p_.counts->load_misses += poll.rounds;
  p_.counts->sectors_past += poll.rounds * count_of(first_words(a.words, p_.config.sector));
  p_.around.agent.poll_held(a.access, a.part, poll);
  p_.around.payloads.polls.give_back(id);
  --p_.polls;
}

/// One part that the home performed, or whose value it read.
void Answers::data_without_line(const Request& answer) {
  const u32 number = p_.misses[answer.ticket].first;
  const WaitingPart part = p_.misses.part(number);
  const LineAccess& a = part.access;
  p_.misses.free_part(number);
  if (a.kind == AccessKind::load) {
    if (const PayloadId poll = p_.misses[answer.ticket].poll; poll != no_payload) [[unlikely]]
      held(a, poll);
    p_.around.agent.perform(a.access, a.part, p_.around.payloads[answer.payload].bytes.data());
    p_.around.payloads.give_back(answer.payload);
  } else {
    found(answer);
  }
  p_.around.agent.complete(a.access, a.part, answer.served_by);
  p_.misses.free(answer.ticket);
  p_.port.mmio_over(a.access, a.part);
  if (a.kind != AccessKind::load) p_.port.settle(part.generation);
}

/// By lanes of an atomic, at the home.
void Answers::found(const Request& answer) {
  RecordPool<LineAtomic>& atomics = p_.around.payloads.atomics;
  p_.around.agent.found(answer.access, answer.part, atomics[answer.payload]);
  atomics.give_back(answer.payload);
}

/// In order, but for parts that lack words: those wait, and so does what comes behind them on the same words.
void Answers::perform_waiting(u32 number, ServedBy by) {
  Mshr& mshr = p_.misses[number];
  if (mshr.first == no_number) [[unlikely]]
    return prefetched(number);
  const u32 way = mshr.way;
  WordMask waited = 0, to_own = 0, to_change = 0, registering = 0;
  u32 last = no_number;
  for (u32 at = mshr.first, next; at != no_number; at = next) {
    const WaitingPart& part = p_.misses.part(at);
    const LineAccess& a = part.access;
    next = part.next;
    const bool is_load = a.kind == AccessKind::load;
    // A word that is owned and asked for again may still go to another, who came first.
    const WordMask lacking = a.words & (part.owns ? ~p_.lines[way].owned | mshr.to_come : mshr.outstanding);
    if (part.registers) {
      const WordMask missing = a.words & (p_.lines[way].written_unowned() | mshr.to_come);
      registering |= missing;
      if (missing)
        last = at;
      else
        registered(mshr, at, last);
      continue;
    }
    if (lacking || (a.words & waited)) {
      waited |= a.words;
      if (part.owns) to_own |= a.words;
      if (!is_load) to_change |= a.words;
      last = at;
      continue;
    }
    if (is_load)
      p_.around.agent.perform(a.access, a.part, p_.lines.bytes(way));
    else
      p_.lines.write(way, a, p_.around.agent), p_.buffer.written_by(way, a.warp);
    (last == no_number ? mshr.first : p_.misses.part(last).next) = next;
    p_.misses.free_part(at);
    --mshr.count;
    p_.around.agent.complete(a.access, a.part, part.merged ? ServedBy::merged : by);
    if (!is_load) p_.port.settle(part.generation);
  }
  mshr.last = last;
  mshr.waited = waited;
  mshr.to_own = to_own;
  mshr.to_change = to_change;
  mshr.registering = registering;
  // An atomic was performed on the copy.
  if (p_.atomics_on_copies && !p_.lines[way].listed && p_.to_leave(p_.lines[way])) p_.buffer.join(way);
  if (!mshr.outstanding) mshr.welcome = 0;
  mshr.poison &= mshr.outstanding | mshr.welcome | waited;
  if (mshr.owning && !mshr.to_come) owned(mshr);
  if (mshr.outstanding) return;
  if (mshr.first == no_number) return over(number);
  if (!(to_own | registering)) return;
  p_.counts.act_for(p_.misses.part(mshr.first).access.account);
  p_.misses.request_ownership(number);
}

/// Nobody waits any more. If a flush does, the line goes.
void Answers::over(u32 number) {
  const u32 way = p_.misses[number].way;
  const u8 mark = p_.misses[number].leave;
  const bool prefetch = p_.misses[number].prefetch;
  p_.misses.free(number);
  if (prefetch) prefetches_over();
  if (!mark) return;
  if (p_.lines.line_of(way) != no_line) {
    p_.buffer.write_back(way, mark);
    p_.lines.remove(way);
  }
  p_.flush.line_arrived(mark);
}

/// Words that were written here are owned: their stores are visible.
void Answers::registered(Mshr& mshr, u32 number, u32 before) {
  const WaitingPart part = p_.misses.part(number);
  (before == no_number ? mshr.first : p_.misses.part(before).next) = part.next;
  p_.misses.free_part(number);
  --mshr.count;
  p_.buffer.end_write();
  p_.port.settle(part.generation);
  p_.flush.line_arrived(part.registers);
}

/// Words of a line that nobody waits for have come.
void Answers::prefetched(u32 number) {
  if (p_.misses[number].outstanding) return;
  p_.misses.free(number);
  prefetches_over();
}

void Answers::prefetches_over() {
  if (p_.flush.waits() && !p_.misses.any_unwaited()) p_.flush.over(Flush::prefetches);
}

/// A request for ownership is over, and the parts that it was for are performed.
void Answers::owned(Mshr& mshr) {
  mshr.owning = 0;
  if (!mshr.registering)  // else when those words are owned, too
    if (const u8 mark = std::exchange(mshr.clean, 0); mark && !p_.buffer.clean_now(mshr.way, mark))
      p_.flush.line_arrived(mark);
  asked_.answer_waiting(mshr.line);
}

void Answers::written(const Request& answer) {
  if (answer.owned) p_.leaving.taken(answer.line);
  if (!answer.persist) p_.buffer.end_write();
  if (answer.payload != no_payload) found(answer);
  if (answer.access != no_access) p_.around.agent.complete(answer.access, answer.part, answer.served_by);
  p_.port.mmio_over(answer.access, answer.part);
  p_.port.settle(answer.ticket);
  if (answer.flush) p_.flush.line_arrived(answer.flush);
}

void Answers::durable(const Request& answer) {
  p_.persists_under_way.durable(answer.persist);
  ++p_.counts->persist.acknowledged;
  p_.persists.durable();
}

}  // namespace ew::memory
