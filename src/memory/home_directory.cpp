// What a home does about private copies: probes and forwards that hold a line, recalls, write-backs.
#include <bit>
#include <cassert>

#include "memory/home_state.hpp"

namespace ew::memory {
namespace {

template <class Visitor>
void each_agent(const std::array<u64, most_agents / 64>& agents, Visitor&& visit) {
  for (u32 i = 0; i < agents.size(); ++i)
    for (u64 bits = agents[i]; bits; bits &= bits - 1)
      visit(static_cast<AgentId>(i * 64 + static_cast<u32>(std::countr_zero(bits))));
}

}  // namespace

/// REQUIRES: the line has an MSHR.
void Home::State::hold(u32 way, const Request& request, const Decision& decision, bool fetched) {
  Mshr& mshr = mshrs[lines[way].mshr];
  mshr.held = true;
  mshr.request = request;
  mshr.fetched = fetched;
  mshr.decision = decision;
  mshr.since = now();
  each_agent(decision.probes, [&](AgentId agent) {
    ++mshr.answers;
    send_probe(request.line, agent, request.origin, decision.probe);
  });
  if (decision.forward_to == no_agent) return;
  ++counts->forwards;
  ++mshr.answers;  // of the owner; and the requester's receipt
  if (decision.forward_holds) ++mshr.answers;
  Request forward = request;
  forward.kind = RequestKind::forward;
  forward.words = decision.forwarded;
  forward.target = decision.forward_to;
  forward.probe = decision.owned ? ProbeKind::invalidate : ProbeKind::downgrade;
  forward.owned = decision.owned;
  depart(forward, static_cast<Node>(decision.forward_to), 0);
}

void Home::State::send_probe(u64 line, AgentId to, AgentId origin, ProbeKind kind) {
  ++counts->probes;
  Request probe{.line = line, .words = all_words(config.line), .origin = origin, .target = to};
  probe.kind = RequestKind::probe;
  probe.probe = kind;
  probe.slice = static_cast<u16>(parts.slice);
  probe.traffic = Traffic::probe;
  probe.account = account;
  depart(probe, static_cast<Node>(to), 0);
}

void Home::State::probe_answered(const Request& answer) {
  const u32 way = find(answer.line);
  if (way == no_way || lines[way].mshr == none || !mshrs[lines[way].mshr].held || !mshrs[lines[way].mshr].answers)
    impossible("an answer to no probe", answer, now());
  const u32 number = lines[way].mshr;
  Mshr& mshr = mshrs[number];
  if (answer.payload != no_payload) {
    const Payload& payload = parts.payloads[answer.payload];
    copy_to_image(answer.line, payload.bytes.data(), payload.valid);
    lines[way].dirty = lines[way].dirty | payload.valid;
    parts.payloads.give_back(answer.payload);
  }
  --mshr.answers;
  if (!mshr.recall && answer.target == mshr.decision.forward_to) {
    // What the owner has no more, it has written back: the home answers in its place, and no receipt comes.
    mshr.decision.granted |= mshr.decision.forwarded & ~answer.words;
    if (mshr.decision.forward_holds && !answer.words) --mshr.answers;
  }
  if (mshr.answers) return;
  act_for(mshr.request.account);
  counts->held_cycles += now() - mshr.since;
  if (mshr.recall) return recalled(number);
  mshr.held = false;
  const Request request = mshr.request;
  const Decision decision = mshr.decision;
  carry_out(way, request, decision, mshr.fetched ? ServedBy::device : ServedBy::home);
  run_waiting(number);
}

/// Never waits: a line that is held may be waiting for just these bytes.
void Home::State::written_back(const Request& message) {
  const Payload& payload = parts.payloads[message.payload];
  copy_to_image(message.line, payload.bytes.data(), payload.valid);
  const u32 way = find(message.line);
  if (way == no_way) impossible("a write-back of a line that the directory does not have", message, now());
  const ByteMask dirty = payload.valid;
  counts->written_back_bytes += dirty.count();
  lines[way].dirty = lines[way].dirty | dirty;
  if (!message.persist) parts.payloads.give_back(message.payload);
  Decision decision;
  parts.protocol.at_home(message, record(way), decision);
  Request answer = message;
  answer.kind = RequestKind::written;
  answer.payload = no_payload;
  answer.served_by = ServedBy::home;
  depart(answer, static_cast<Node>(message.origin), 0);
  if (message.persist) persist(way, message, dirty);
}

bool Home::State::copies_exist(u32 way) const {
  if (!permission.tracked) return false;
  const DirectoryLine& record = directory[way];
  for (const u64 some : record.sharers)
    if (some) return true;
  for (u32 word = 0; word < config.line / word_bytes; ++word)
    if (record.owner[word] != no_agent) return true;
  return false;
}

/// The line is to be evicted: its copies must go first. REQUIRES: an MSHR is free.
void Home::State::recall(u32 way) {
  ++counts->recalls;
  const u32 number = take_mshr(way);
  Mshr& mshr = mshrs[number];
  mshr.held = mshr.recall = true;
  mshr.request.account = account;
  mshr.since = now();
  DirectoryLine& record = directory[way];
  std::array<u64, most_agents / 64> copies = record.sharers;
  for (u32 word = 0; word < config.line / word_bytes; ++word) {
    const AgentId owner = record.owner[word];
    if (owner != no_agent) copies[owner / 64] |= u64{1} << (owner % 64);
  }
  record = {};
  each_agent(copies, [&](AgentId agent) {
    ++mshr.answers;
    send_probe(tags.line_of(way), agent, no_agent, ProbeKind::invalidate);
  });
}

/// The line goes; requests that came for it meanwhile arrive anew, behind the one that wanted the way.
void Home::State::recalled(u32 number) {
  Mshr& mshr = mshrs[number];
  const List again = mshr.waiting;
  mshr.waiting = {};
  evict(mshr.way);
  if (again.first != none) {
    if (blocked.first == none) {
      blocked = again;
    } else {
      waiting[again.last].next = waiting[blocked.first].next;
      waiting[blocked.first].next = again.first;
      if (blocked.last == blocked.first) blocked.last = again.last;
    }
  }
  free_mshr(number);
}

}  // namespace ew::memory
