#include "memory/home.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>

#include "core/observation.hpp"
#include "memory/home_state.hpp"

namespace ew::memory {

Home::Home(const HomeConfig& config, const Parts& parts) : state_(std::make_unique<State>(config, parts, *this)) {}
Home::~Home() = default;

void Home::receive(const Request& message) {
  state_->arrive(message);
}
void Home::served(u64 token) {
  state_->served(token);
}
const HomeStatistics& Home::statistics() const {
  return state_->statistics = state_->accounts.total();
}
HomeStatistics Home::take(core::Account account) {
  state_->act_for(core::nobody);
  return state_->accounts.take(account);
}

Home::State::State(const HomeConfig& c, const Parts& p, Home& h)
    : config(c),
      parts(p),
      home(h),
      permission(p.protocol.permission()),
      agents(static_cast<u32>(p.agents.size())),
      tags(c.bytes, c.line, c.ways, true),
      lines(tags.lines()),
      directory(permission.tracked ? tags.lines() : 0),
      mshrs(c.mshrs),
      queued(2 * p.devices.size()) {
  for (u32 i = c.mshrs; i-- > 0;) {
    mshrs[i].next_free = free_mshrs;
    free_mshrs = i;
  }
}

void Home::State::arrive(const Request& message) {
  act_for(message.account);
  switch (message.kind) {
    case RequestKind::probe_answer:
      return probe_answered(message);
    case RequestKind::write_back:
      take_turn(message);
      return written_back(message);
    case RequestKind::data:
    case RequestKind::written:
    case RequestKind::durable:
    case RequestKind::probe:
    case RequestKind::forward:
      impossible("an answer came to a home", message, now());
    default:
      break;
  }
  take_turn(message);
  if (blocked.first == none && dispatch(message)) return;
  ++counts->waited;
  append(blocked, take_waiting(message));
}

/// Counts the request and gives it its turn; an atomic takes as many as it has lanes.
void Home::State::take_turn(const Request& message) {
  u64 turns = 1;
  switch (message.kind) {
    case RequestKind::read:
    case RequestKind::read_once:
      ++counts->reads;
      break;
    case RequestKind::own:
      ++counts->owns;
      break;
    case RequestKind::write:
      ++counts->writes;
      break;
    case RequestKind::write_back:
      ++counts->write_backs;
      break;
    default:
      ++counts->atomics;
      counts->atomic_lanes += message.lanes;
      turns =
          (u64{message.lanes} * config.requests_per_cycle + config.atomics_per_cycle - 1) / config.atomics_per_cycle;
      turns = std::max<u64>(turns, 1);
      counts->atomic_wait_cycles += std::max(turn / config.requests_per_cycle, now()) - now();
      break;
  }
  turn = std::max(turn, now() * config.requests_per_cycle);
  last_start = turn / config.requests_per_cycle;
  turn += turns;
}

Home::State::SectorMask Home::State::sectors_of(WordMask words) const {
  if (config.sector == 32) return (first_words(words, 32) * 0x0102'0408u) >> 24;
  SectorMask sectors = 0;
  const u32 width = config.sector / word_bytes;
  for (u32 at = 0, sector = 0; at < config.line / word_bytes; at += width, ++sector)
    if (words >> at & all_words(config.sector)) sectors |= SectorMask{1} << sector;
  return sectors;
}

/// Sectors of which every word is in the mask.
Home::State::SectorMask Home::State::complete_sectors(WordMask words) const {
  return sectors_of(all_words(config.line)) & ~sectors_of(all_words(config.line) & ~words);
}

/// Sectors that must have come from the device before the request is decided. A write needs none.
Home::State::SectorMask Home::State::needed(const Request& request) const {
  return request.kind == RequestKind::write ? 0 : sectors_of(request.words);
}

/// False: nothing has happened, the request must wait until an MSHR is free. `again`: it has waited.
bool Home::State::dispatch(const Request& request, bool again) {
  act_for(request.account);
  if (const AddressMap::Kind kind = parts.map.kind(request.line); kind.host && (!config.keep_host_lines || kind.mmio))
    return dispatch_to_host(request, kind.mmio);
  u32 way = find(request.line);
  if (way == no_way) {
    if (free_mshrs == none && (permission.tracked || needed(request))) return false;
    way = make_way(request.line);
    if (way == no_way) return false;
  }
  Line& line = lines[way];
  const SectorMask missing = needed(request) & ~line.valid;
  if (line.mshr == none && (missing || needs_mshr_to_decide(way))) {
    if (free_mshrs == none) return false;
    take_mshr(way);
  }
  tags.used(way);
  if (line.mshr == none) {
    decide(way, request, false);
    return true;
  }
  const SectorMask to_fetch = missing & ~line.fetching;
  if (to_fetch) fetch(way, to_fetch);
  const u32 node = take_waiting(request);
  waiting[node].fetched = missing;
  Mshr& mshr = mshrs[line.mshr];
  if (!again && (mshr.waiting.first != none || mshr.held)) ++counts->waited;
  append(mshr.waiting, node);
  run_waiting(line.mshr);
  return true;
}

/// An empty way of the line's set, with the line's tag. no_way: all are under way, or copies of the victim must be
/// recalled first.
u32 Home::State::make_way(u64 line) {
  const u64 physical = parts.map.physical(line);
  const u32 way = tags.victim(physical, [&](u32 w) { return lines[w].mshr != none; });
  if (way == no_way) return no_way;
  if (tags.line_of(way) != no_line) {
    if (copies_exist(way)) {
      bool recalling = false;
      tags.each_of_set(physical, [&](u32 w) { recalling |= lines[w].mshr != none && mshrs[lines[w].mshr].recall; });
      if (!recalling) recall(way);
      return no_way;
    }
    evict(way);
  }
  tags.install(way, line);
  return way;
}

/// The protocol's word on one request; no other of its line is decided until this one is carried out.
void Home::State::decide(u32 way, const Request& request, bool fetched) {
  act_for(request.account);
  count_hit(request, !fetched);
  Decision decision;
  parts.protocol.at_home(request, record(way), decision);
  const bool probes = std::any_of(decision.probes.begin(), decision.probes.end(), [](u64 some) { return some; });
  if (probes || decision.forward_to != no_agent) return hold(way, request, decision, fetched);
  carry_out(way, request, decision, fetched ? ServedBy::device : ServedBy::home);
}

/// Whether the L2 had every sector, counted once a request: it may have come here several times.
void Home::State::count_hit(const Request& request, bool hit) {
  switch (request.kind) {
    case RequestKind::read:
    case RequestKind::read_once:
      ++(hit ? counts->read_hits : counts->read_misses);
      break;
    case RequestKind::own:
      counts->own_hits += hit;
      break;
    case RequestKind::write:
      break;
    default:
      counts->atomic_hits += hit;
      break;
  }
}

void Home::State::carry_out(u32 way, const Request& request, const Decision& decision, ServedBy by) {
  Request answer = request;
  answer.served_by = by;
  u32 data_bytes = 0;
  ByteMask dirty;
  if (!perform(request, decision, answer, data_bytes, dirty)) return;
  Line& line = lines[way];
  line.dirty = line.dirty | dirty;
  line.written = line.written | dirty;
  if (dirty.any()) line.valid |= complete_sectors(whole_words(line.written));
  depart(answer, static_cast<Node>(request.origin), data_bytes);
  if (request.persist) persist(way, request, dirty);
}

/// Reads or changes the image: the moment at which the request is performed. False: there is nothing to answer, others
/// do.
bool Home::State::perform(const Request& request, const Decision& decision, Request& answer, u32& data_bytes,
                          ByteMask& dirty) {
  const bool answers = perform_in_image(request, decision, answer, data_bytes, dirty);
  if (core::observation && answers && parts.observer) parts.observer->performed(request);
  return answers;
}

bool Home::State::perform_in_image(const Request& request, const Decision& decision, Request& answer, u32& data_bytes,
                                   ByteMask& dirty) {
  answer.payload = no_payload;
  switch (request.kind) {
    case RequestKind::read:
    case RequestKind::read_once:
    case RequestKind::own:
      if (!decision.granted) return false;
      answer.kind = RequestKind::data;
      answer.words = decision.granted;
      answer.owned = decision.owned;
      answer.payload = parts.payloads.take();
      copy_from_image(parts.payloads[answer.payload].bytes.data(), request.line, decision.granted);
      data_bytes = static_cast<u32>(std::popcount(decision.granted)) * word_bytes;
      return true;
    case RequestKind::write: {
      const Payload& payload = parts.payloads[request.payload];
      copy_to_image(request.line, payload.bytes.data(), payload.valid);
      dirty = payload.valid;
      counts->written_bytes += dirty.count();
      if (!request.persist) parts.payloads.give_back(request.payload);
      answer.kind = RequestKind::written;
      return true;
    }
    default:
      parts.agents[request.origin]->perform(request.access, request.part, image_of(request.line));
      dirty = bytes_of(request.words);
      answer.kind = request.kind == RequestKind::atomic ? RequestKind::data : RequestKind::written;
      if (request.kind == RequestKind::atomic) data_bytes = static_cast<u32>(std::popcount(request.words)) * word_bytes;
      return true;
  }
}

/// Decides waiting requests in order, until one has to wait for its sectors or holds the line.
void Home::State::run_waiting(u32 number) {
  while (!mshrs[number].held && mshrs[number].waiting.first != none) {
    Mshr& mshr = mshrs[number];
    const u32 way = mshr.way, node = mshr.waiting.first;
    const Request request = waiting[node].request;
    const SectorMask missing = needed(request) & ~lines[way].valid;
    if (missing) {
      act_for(request.account);
      if (missing & ~lines[way].fetching) fetch(way, missing & ~lines[way].fetching);
      return;
    }
    const bool fetched = waiting[node].fetched;
    mshr.waiting.first = waiting[node].next;
    if (mshr.waiting.first == none) mshr.waiting.last = none;
    waiting[node].next = free_waiting;
    free_waiting = node;
    decide(way, request, fetched);
  }
  const Mshr& mshr = mshrs[number];
  if (!mshr.held && !lines[mshr.way].fetching) free_mshr(number);
}

/// An MSHR is free: those that waited for one go on, in order.
void Home::State::pump() {
  if (pumping) return;
  pumping = true;
  while (blocked.first != none) {
    const u32 node = blocked.first;
    const Request request = waiting[node].request;
    if (!dispatch(request, true)) break;
    // It is the first still: dispatch() puts lines' waiting requests behind it only.
    assert(blocked.first == node);
    blocked.first = waiting[node].next;
    if (blocked.first == none) blocked.last = none;
    waiting[node].next = free_waiting;
    free_waiting = node;
  }
  pumping = false;
}

u32 Home::State::take_mshr(u32 way) {
  const u32 number = free_mshrs;
  assert(number != none);
  free_mshrs = mshrs[number].next_free;
  mshrs[number] = {.way = way, .active = true};
  lines[way].mshr = number;
  ++active_mshrs;
  return number;
}

void Home::State::free_mshr(u32 number) {
  Mshr& mshr = mshrs[number];
  lines[mshr.way].mshr = none;
  mshr.active = false;
  mshr.next_free = free_mshrs;
  free_mshrs = number;
  --active_mshrs;
  pump();
}

u32 Home::State::take_waiting(const Request& request) {
  u32 node = free_waiting;
  if (node == none) {
    node = static_cast<u32>(waiting.size());
    waiting.emplace_back();
  } else {
    free_waiting = waiting[node].next;
  }
  waiting[node] = {.request = request};
  return node;
}

void Home::State::append(List& list, u32 node) {
  (list.first == none ? list.first : waiting[list.last].next) = node;
  list.last = node;
}

bool Home::quiescent() const {
  return !state_->active_mshrs && state_->blocked.first == State::none && !state_->host_accesses_under_way &&
         !state_->persists_under_way && !state_->queued_total && !state_->departing;
}

std::string Home::what_is_under_way() const {
  const State& s = *state_;
  std::string result;
  for (const State::Mshr& mshr : s.mshrs) {
    if (!mshr.active) continue;
    const State::Line& line = s.lines[mshr.way];
    result += fmt::format("home {}: line {:#x}", s.parts.slice, s.tags.line_of(mshr.way));
    if (line.fetching) result += fmt::format(", sectors {:#x} come from the device", line.fetching);
    if (mshr.held) result += fmt::format(", held for agent {}, {} answers to come", mshr.request.origin, mshr.answers);
    if (mshr.recall) result += ", its copies are recalled";
    u32 count = 0;
    for (u32 node = mshr.waiting.first; node != State::none; node = s.waiting[node].next) ++count;
    result += fmt::format(", {} requests wait\n", count);
  }
  u32 count = 0;
  for (u32 node = s.blocked.first; node != State::none; node = s.waiting[node].next) ++count;
  if (count) result += fmt::format("home {}: {} requests wait for an MSHR\n", s.parts.slice, count);
  if (s.host_accesses_under_way)
    result += fmt::format("home {}: {} accesses under way to the host\n", s.parts.slice, s.host_accesses_under_way);
  if (s.persists_under_way)
    result +=
        fmt::format("home {}: {} persists under way to the persistence domain\n", s.parts.slice, s.persists_under_way);
  if (s.queued_total)
    result += fmt::format("home {}: {} requests wait for room at their devices\n", s.parts.slice, s.queued_total);
  return result;
}

DirectoryLine Home::directory(u64 line) const {
  const u32 way = state_->find(line);
  return way == no_way ? DirectoryLine{} : state_->record(way);
}

}  // namespace ew::memory
