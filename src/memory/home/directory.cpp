#include "memory/home/directory.hpp"

#include "memory/impossible.hpp"

namespace ew::memory {
bool Directory::copies_exist(u32 way) const {
  if (!p_.tracks) return false;
  const LineRecord& record = records_[way];
  if (record.sharers.any()) return true;
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
  decision.probes.each([&](AgentId) { ++mshr.answers; });
  // Of each owner; and, if it sends the words to the requester, that one's receipt.
  mshr.answers += static_cast<u32>(decision.owners().size()) << decision.forwards();
  send(request, decision);
}

void Directory::send(const Request& request, const Decision& decision) {
  const WordMask whole_line = all_words(p_.config.line);
  decision.probes.each([&](AgentId agent) { send_probe(request, whole_line, agent, decision.probe); });
  for (const OwnedWords& some : decision.owners()) {
    if (decision.probes_owners()) {
      send_probe(request, some.words, some.owner, decision.probe);
      continue;
    }
    ++p_.counts->forwards;
    Request forward = request;
    forward.kind = RequestKind::forward;
    forward.words = some.words;
    if (request.kind != RequestKind::own) forward.content = some.words;
    forward.target = some.owner;
    forward.tag = some.tag;
    forward.probe = decision.forwarded;
    forward.owned = decision.owned;
    forward.held = decision.hold;
    p_.departures.depart(forward, static_cast<Node>(some.owner), 0);
  }
}

void Directory::send_probe(const Request& because_of, WordMask words, AgentId to, ProbeKind kind) {
  ++p_.counts->probes;
  Request probe{.line = because_of.line, .place = because_of.place, .words = words};
  probe.origin = because_of.origin;
  probe.target = to;
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
  mshr.recall = true;
  const LineRecord record = records_[way];
  records_[way] = {};
  Decision& decision = mshr.decision;
  decision = {};
  decision.probe = ProbeKind::invalidate;
  decision.probes = record.sharers;
  decision.owners_are = Decision::Owners::probe;
  for (u32 word = 0; word < p_.config.line / word_bytes; ++word)
    if (const AgentId owner = record.owner[word]; owner != no_agent && !record.sharers.has(owner))
      decision.ask_owner(owner, record.tag[word], word);
  hold(way, {.line = p_.lines.line_of(way), .place = p_.lines[way].place, .account = p_.counts.account()}, decision,
       false);
}

u32 Directory::answered(const Request& answer) {
  const u32 way = p_.lines.find(answer.line, answer.place), number = way == no_way ? no_number : p_.lines[way].mshr;
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
  if (mshr.decision.forwards())
    for (const OwnedWords& some : mshr.decision.owners())
      if (answer.target == some.owner) {
        // What the owner has no more, it has written back: the home answers in its place, and no receipt comes.
        mshr.decision.granted |= some.words & ~answer.words;
        if (!answer.words) --mshr.answers;
      }
  if (mshr.answers) return no_number;
  p_.counts.act_for(mshr.request.account);
  p_.counts->held_cycles += p_.now() - mshr.since;
  return number;
}

}  // namespace ew::memory
