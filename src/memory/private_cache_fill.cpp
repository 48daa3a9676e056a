// MSHRs and answers of a private cache.
#include <bit>
#include <cassert>

#include "memory/private_cache_state.hpp"

namespace ew::memory {

/// Copies that an acquire gave up since the line was last looked at.
void PrivateCache::State::give_up_stale(Line& line) {
  const WordMask kept = line.valid & (line.owned | whole_words(line.dirty));
  const u64 gone = static_cast<u64>(std::popcount(line.valid & ~kept));
  counts->words_invalidated += gone;
  if (line.persistent) counts->persist.words_invalidated += gone;
  line.valid = kept;
  line.epoch = epoch[line.persistent];
}

void PrivateCache::State::refresh(Mshr& mshr) {
  if (mshr.epoch == epoch[mshr.persistent]) return;
  mshr.poison |= mshr.outstanding | mshr.waited;
  mshr.epoch = epoch[mshr.persistent];
}

u32 PrivateCache::State::take_mshr(u64 line, u32 way) {
  const u32 number = free_mshrs;
  assert(number != none);
  Mshr& mshr = mshrs[number];
  free_mshrs = mshr.next_free;
  const bool persistent = way != no_way && lines[way].persistent;
  mshr = {.line = line, .way = way, .epoch = epoch[persistent], .persistent = persistent, .active = true};
  if (way != no_way) lines[way].mshr = number;
  ++active_mshrs;
  return number;
}

void PrivateCache::State::free_mshr(u32 number) {
  Mshr& mshr = mshrs[number];
  if (mshr.way != no_way) {
    lines[mshr.way].mshr = none;
    drop_if_empty(mshr.way);
  }
  mshr.active = false;
  mshr.next_free = free_mshrs;
  free_mshrs = number;
  --active_mshrs;
}

void PrivateCache::State::append(Mshr& mshr, const LineAccess& a, bool merged) {
  u32 number = free_part;
  if (number == none) {
    number = static_cast<u32>(waiting.size());
    waiting.emplace_back();
  } else {
    free_part = waiting[number].next;
  }
  waiting[number] = {.access = a, .merged = merged};
  if (a.kind != AccessKind::load) {
    waiting[number].generation = open();
    mshr.waiting_stores |= a.words;
  }
  if (mshr.first == none)
    mshr.first = number;
  else
    waiting[mshr.last].next = number;
  mshr.last = number;
  mshr.waited |= a.words;
  ++mshr.count;
}

/// A line's request is for whole sectors, but for words that are here: a part that waits with them for others must not
/// see what is younger than a hit of its thread behind it, or than an atomic.
void PrivateCache::State::request(RequestKind kind, u32 number, WordMask words) {
  Mshr& mshr = mshrs[number];
  if (mshr.way != no_way) {
    if (permission.whole_lines)
      words = whole_line;
    else if (kind == RequestKind::read)
      words |= whole_sectors(words, config.sector) & ~(lines[mshr.way].valid | mshr.outstanding | mshr.waited);
    counts->sectors_fetched += static_cast<u64>(std::popcount(first_words(words, config.sector)));
  }
  mshr.outstanding |= words;
  mshr.keep = mshr.keep & ~bytes_of(words);
  const LineAccess& a = waiting[mshr.first].access;
  send_home({.line = mshr.line, .words = words, .access = a.access, .ticket = number, .kind = kind, .part = a.part}, 0);
}

void PrivateCache::receive(const Request& message) {
  State& s = *state_;
  s.act_for(message.account);
  switch (message.kind) {
    case RequestKind::data:
      if (message.ticket >= s.mshrs.size() || !s.mshrs[message.ticket].active)
        impossible("an answer to no request", message, s.now());
      if (s.mshrs[message.ticket].way == no_way)
        s.data_without_line(message);
      else
        s.data(message);
      break;
    case RequestKind::written:
      s.written(message);
      break;
    case RequestKind::durable:
      s.durable(message);
      break;
    case RequestKind::probe:
    case RequestKind::forward:
      s.probe(message);
      break;
    default:
      impossible("a request for a home came to a private cache", message, s.now());
  }
  if (!s.stalled) return;
  s.stalled = false;
  s.parts.agent.wake();
}

void PrivateCache::State::wake(u64, u64) {
  wake_armed = false;
  if (!stalled) return;
  stalled = false;
  parts.agent.wake();
}

void PrivateCache::State::data(const Request& answer) {
  if (answer.served_by == ServedBy::remote_cache) {  // the home holds the line until it knows
    Request receipt{.line = answer.line, .origin = answer.origin, .target = parts.id};
    receipt.kind = RequestKind::probe_answer;
    receipt.traffic = parts.dma ? Traffic::dma : Traffic::probe;
    send(receipt, static_cast<Node>(parts.agents + answer.slice), 0);
  }
  install(mshrs[answer.ticket], answer);
  perform_waiting(answer.ticket, answer.served_by);
}

void PrivateCache::State::install(Mshr& mshr, const Request& answer) {
  Line& line = lines[mshr.way];
  refresh(line);
  refresh(mshr);
  const Payload& payload = parts.payloads[answer.payload];
  copy_bytes(bytes(mshr.way), payload.bytes.data(), bytes_of(answer.words) & ~(line.dirty | mshr.keep));
  if (answer.owned) line.dirty = line.dirty | payload.valid;  // what the old owner had not written back
  parts.payloads.give_back(answer.payload);
  line.valid |= answer.words & ~mshr.poison;
  if (answer.owned) line.owned |= answer.words;
  mshr.outstanding &= ~answer.words;
  const u32 moved = static_cast<u32>(std::popcount(answer.words)) * word_bytes;
  Cycle& bank = bank_of(mshr.line);
  bank = std::max(bank, now()) + (moved + config.fill_bytes - 1) / config.fill_bytes;
}

/// One part that the home performed, or whose value it read.
void PrivateCache::State::data_without_line(const Request& answer) {
  Mshr& mshr = mshrs[answer.ticket];
  const u32 number = mshr.first;
  const Part part = waiting[number];
  waiting[number].next = free_part;
  free_part = number;
  if (part.access.kind == AccessKind::load)
    parts.agent.perform(part.access.access, part.access.part, parts.payloads[answer.payload].bytes.data());
  if (answer.payload != no_payload) parts.payloads.give_back(answer.payload);
  parts.agent.complete(part.access.access, part.access.part, answer.served_by);
  free_mshr(answer.ticket);
  if (mmio.warps) mmio_over(part.access.access, part.access.part);
  if (part.access.kind != AccessKind::load) settle(part.generation);
}

/// In order, but for parts that lack words: those wait, and so does what comes behind them on the same words.
void PrivateCache::State::perform_waiting(u32 number, ServedBy by) {
  Mshr& mshr = mshrs[number];
  const u32 way = mshr.way;
  WordMask waited = 0, waiting_stores = 0;
  u32 last = none;
  for (u32 at = mshr.first, next; at != none; at = next) {
    const Part part = waiting[at];
    const LineAccess& a = part.access;
    next = part.next;
    const bool is_load = a.kind == AccessKind::load;
    const WordMask lacking = a.words & (is_load ? mshr.outstanding : ~lines[way].owned);
    if (lacking || (a.words & waited)) {
      waited |= a.words;
      if (!is_load) waiting_stores |= a.words;
      last = at;
      continue;
    }
    if (is_load)
      parts.agent.perform(a.access, a.part, bytes(way));
    else
      perform_store(way, a);
    (last == none ? mshr.first : waiting[last].next) = next;
    waiting[at].next = free_part;
    free_part = at;
    --mshr.count;
    parts.agent.complete(a.access, a.part, part.merged ? ServedBy::merged : by);
    if (!is_load) settle(part.generation);
  }
  mshr.last = last;
  mshr.waited = waited;
  mshr.waiting_stores = waiting_stores;
  mshr.poison &= mshr.outstanding | waited;
  if (mshr.outstanding) return;
  if (mshr.first == none) return free_mshr(number);
  if (!waiting_stores) return;
  act_for(waiting[mshr.first].access.account);
  request(RequestKind::own, number, waiting_stores);
}

void PrivateCache::State::written(const Request& answer) {
  if (answer.persist && !model) return;  // over when it is durable
  writes_under_way -= !answer.persist;
  if (answer.access != no_access) parts.agent.complete(answer.access, answer.part, answer.served_by);
  if (mmio.warps) mmio_over(answer.access, answer.part);
  settle(answer.ticket);
  if (answer.flush) line_left(answer.flush - 1u);
}

void PrivateCache::State::send(Request message, Node to, u32 data_bytes) {
  message.account = account;
  parts.network.send(static_cast<Node>(parts.id), to, message, data_bytes, message.traffic);
}

void PrivateCache::State::send_home(const Request& asked, u32 data_bytes) {
  constexpr auto traffic_of = [](RequestKind kind) {
    switch (kind) {
      case RequestKind::own:
        return Traffic::own;
      case RequestKind::write:
        return Traffic::write;
      case RequestKind::write_back:
        return Traffic::write_back;
      case RequestKind::atomic:
      case RequestKind::reduction:
        return Traffic::atomic;
      default:
        return Traffic::read;
    }
  };
  Request message = asked;
  message.origin = parts.id;
  message.slice = parts.map.place(message.line).slice;
  message.traffic = parts.dma ? Traffic::dma : message.persist ? Traffic::persist : traffic_of(message.kind);
  send(message, static_cast<Node>(parts.agents + message.slice), data_bytes);
}

}  // namespace ew::memory
