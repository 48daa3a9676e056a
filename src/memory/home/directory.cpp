#include "memory/home/directory.hpp"

#include <algorithm>

#include "memory/impossible.hpp"

namespace ew::memory {
namespace {

template <class Visitor>
void each_agent(const std::array<u64, most_agents / 64>& agents, Visitor&& visit) {
  for (u32 i = 0; i < agents.size(); ++i)
    for (u64 bits = agents[i]; bits; bits &= bits - 1)
      visit(static_cast<AgentId>(i * 64 + static_cast<u32>(std::countr_zero(bits))));
}

}  // namespace

bool Directory::copies_exist(u32 way) const {
  if (!p_.permission.tracked) return false;
  const DirectoryLine& record = records_[way];
  for (const u64 some : record.sharers)
    if (some) return true;
  for (u32 word = 0; word < p_.config.line / word_bytes; ++word)
    if (record.owner[word] != no_agent) return true;
  return false;
}

void Directory::hold(u32 way, const Request& request, const Decision& decision, bool fetched) {
  HomeMshr& mshr = p_.queue[p_.lines[way].mshr];
  mshr.held = true;
  mshr.request = request;
  mshr.fetched = fetched;
  mshr.decision = decision;
  mshr.since = p_.now();
  each_agent(decision.probes, [&](AgentId agent) {
    ++mshr.answers;
    send_probe(request.line, agent, request.origin, decision.probe);
  });
  if (decision.forward_to == no_agent) return;
  ++p_.counts->forwards;
  ++mshr.answers;  // of the owner; and the requester's receipt
  if (decision.forward_holds) ++mshr.answers;
  Request forward = request;
  forward.kind = RequestKind::forward;
  forward.words = decision.forwarded;
  forward.target = decision.forward_to;
  forward.probe = decision.owned ? ProbeKind::invalidate : ProbeKind::downgrade;
  forward.owned = decision.owned;
  p_.departures.depart(forward, static_cast<Node>(decision.forward_to), 0);
}

void Directory::send_probe(u64 line, AgentId to, AgentId origin, ProbeKind kind) {
  ++p_.counts->probes;
  Request probe{.line = line, .words = all_words(p_.config.line), .origin = origin, .target = to};
  probe.kind = RequestKind::probe;
  probe.probe = kind;
  probe.slice = static_cast<u16>(p_.around.slice);
  probe.traffic = Traffic::probe;
  probe.account = p_.counts.account();
  p_.departures.depart(probe, static_cast<Node>(to), 0);
}

void Directory::recall(u32 way) {
  ++p_.counts->recalls;
  HomeMshr& mshr = p_.queue[p_.queue.take(way)];
  mshr.held = mshr.recall = true;
  mshr.request.account = p_.counts.account();
  mshr.since = p_.now();
  DirectoryLine& record = records_[way];
  std::array<u64, most_agents / 64> copies = record.sharers;
  for (u32 word = 0; word < p_.config.line / word_bytes; ++word) {
    const AgentId owner = record.owner[word];
    if (owner != no_agent) copies[owner / 64] |= u64{1} << (owner % 64);
  }
  record = {};
  each_agent(copies, [&](AgentId agent) {
    ++mshr.answers;
    send_probe(p_.lines.line_of(way), agent, no_agent, ProbeKind::invalidate);
  });
}

u32 Directory::answered(const Request& answer) {
  const u32 way = p_.lines.find(answer.line), number = way == no_way ? no_number : p_.lines[way].mshr;
  if (number == no_number || !p_.queue[number].held || !p_.queue[number].answers)
    impossible("an answer to no probe", answer, p_.now());
  HomeMshr& mshr = p_.queue[number];
  if (answer.payload != no_payload) {
    const Payload& payload = p_.around.payloads[answer.payload];
    copy_to_image(answer.line, payload.bytes.data(), payload.valid);
    p_.lines[way].dirty = p_.lines[way].dirty | payload.valid;
    p_.around.payloads.give_back(answer.payload);
  }
  --mshr.answers;
  if (!mshr.recall && answer.target == mshr.decision.forward_to) {
    // What the owner has no more, it has written back: the home answers in its place, and no receipt comes.
    mshr.decision.granted |= mshr.decision.forwarded & ~answer.words;
    if (mshr.decision.forward_holds && !answer.words) --mshr.answers;
  }
  if (mshr.answers) return no_number;
  p_.counts.act_for(mshr.request.account);
  p_.counts->held_cycles += p_.now() - mshr.since;
  return number;
}

}  // namespace ew::memory
