#include "memory/home/home.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/machine_part.hpp"
#include "memory/impossible.hpp"

namespace ew::memory {

void Home::receive(const Request& message) {
  const core::InPart here(core::home_part, p_.around.slice);
  p_.counts.act_for(message.account);
  switch (message.kind) {
    case RequestKind::probe_answer:
      return answered(message);
    case RequestKind::write_back:
    case RequestKind::clean:
      take_turn(message);
      return written_back(message);
    case RequestKind::data:
    case RequestKind::written:
    case RequestKind::durable:
    case RequestKind::probe:
    case RequestKind::forward:
      impossible("an answer came to a home", message, p_.now());
    default:
      break;
  }
  take_turn(message);
  if (message.poll && polls_.hold(message)) return;
  if (!p_.queue.any_blocked() && dispatch(message, false)) return;
  ++p_.counts->waited;
  p_.queue.block(message);
}

void Home::expect(const Request& message, u32 step) {
  if (message.place.host) return;
  if (step == 1) return p_.lines.expect_found(message.line, message.place);
  p_.lines.expect(message.line, message.place);
  expect_image(message.line, message.words);
}

/// Counts the request and gives it its turn; an atomic takes as many as it has lanes.
void Home::take_turn(const Request& message) {
  HomeStatistics& counts = *p_.counts;
  u64 turns = 1;
  switch (message.kind) {
    case RequestKind::read:
    case RequestKind::read_once:
      ++counts.reads;
      break;
    case RequestKind::own:
      ++counts.owns;
      break;
    case RequestKind::write:
      ++counts.writes;
      break;
    case RequestKind::write_back:
    case RequestKind::clean:
      ++counts.write_backs;
      break;
    default: {
      ++counts.atomics;
      counts.atomic_lanes += message.lanes;
      turns = turns_of_atomic(message);
      counts.atomic_wait_cycles += p_.departures.wait();
      break;
    }
  }
  p_.departures.take(turns);
}

/// Lanes on different words share a cycle, those on one word take turns. Counted as if all words had as many lanes.
u64 Home::turns_of_atomic(const Request& message) const {
  const HomeConfig& c = p_.config;
  const AtomicForm form = p_.around.payloads.atomics[message.payload].form;
  const u32 wide = form.type == CellType::u64 || form.type == CellType::s64 || form.type == CellType::f64;
  const u32 cells = std::max(1u, count_of(message.words) >> wide);
  const u32 in_turn = (message.lanes + cells - 1) / cells;
  const u64 word = u64{in_turn} * (form.op == AtomicOp::cas ? c.swap_interval : c.atomic_interval);
  const u64 line = u64{message.lanes} * 100 / c.atomics_per_cycle;
  return std::max<u64>((std::max(word, line) * c.requests_per_cycle + 99) / 100, 1);
}

/// Sectors that must have come from the device before the request is decided. A write needs none, nor do words that are
/// owned without their content.
inline SectorMask Home::needed(const Request& request) const {
  if (request.kind == RequestKind::write) return 0;
  return p_.sectors.of(request.kind == RequestKind::own ? request.content : request.words);
}

/// False: nothing has happened, the request must wait until an MSHR is free. `again`: it has waited.
bool Home::dispatch(const Request& request, bool again) {
  p_.counts.act_for(request.account);
  if (request.place.host && (!p_.config.keep_host_lines || request.place.mmio)) return host_.begin(request);
  u32 way = p_.lines.find(request.line, request.place);
  if (way == no_way) {
    if (p_.queue.full() && (p_.tracks || needed(request))) return false;
    way = make_way(request.line, request.place);
    if (way == no_way) return false;
  }
  HomeLine& line = p_.lines[way];
  if (request.displaced && line.mshr == no_number) {
    line.valid &= p_.sectors.of(touched_words(line.dirty));
    line.written = line.written & line.dirty;
  }
  const SectorMask missing = needed(request) & ~line.valid;
  if (line.mshr == no_number && (missing || p_.tracks)) {
    if (p_.queue.full()) return false;
    p_.queue.take(way);
  }
  p_.lines.used(way);
  if (line.mshr == no_number) {
    decide(way, request, false);
    return true;
  }
  HomeMshr& mshr = p_.queue[line.mshr];
  // A line that is recalled goes: its requests will come anew.
  if (const SectorMask to_fetch = missing & ~line.fetching; to_fetch && !mshr.recall) sectors_.fetch(way, to_fetch);
  if (!again && (!mshr.waiting.empty() || mshr.held)) ++p_.counts->waited;
  p_.queue.wait(mshr, request, missing);
  run_waiting(line.mshr);
  return true;
}

/// An empty way of the line's set, with the line's tag. no_way: all are under way, or copies of the victim must be
/// recalled first, or its device has no room for what is dirty in it.
u32 Home::make_way(u64 line, Place place) {
  const u32 way = p_.lines.victim(place);
  if (way == no_way) return no_way;
  if (p_.lines.line_of(way) != no_line) {
    if (directory_.copies_exist(way)) {
      bool recalling = false;
      p_.lines.each_of_set(
          place, [&](u32 w) { recalling |= p_.lines[w].mshr != no_number && p_.queue[p_.lines[w].mshr].recall; });
      if (!recalling) directory_.recall(way);
      return no_way;
    }
    if (p_.lines[way].dirty.any() && p_.devices.full_of_writes(p_.around.map.in_device(p_.lines[way].place).device)) {
      p_.devices.tell_when_not_full(*this, room_token);
      return no_way;
    }
    evict(way);
  }
  p_.lines.install(way, line, place);
  return way;
}

/// The protocol's word on one request; no other of its line is decided until this one is carried out.
void Home::decide(u32 way, const Request& request, bool fetched) {
  p_.counts.act_for(request.account);
  count_hit(request, !fetched);
  Decision decision;
  p_.around.policy.at_home(request, directory_.record(way), decision);
  const bool forwards = decision.forwards();
  if (decision.probes.any() || decision.probes_owners() || (decision.hold && forwards))
    return directory_.hold(way, request, decision, fetched);
  if (forwards) directory_.send(request, decision);
  carry_out(way, request, decision, fetched ? ServedBy::device : ServedBy::home);
}

/// Whether the L2 had every sector, counted once a request: it may have come here several times.
void Home::count_hit(const Request& request, bool hit) {
  HomeStatistics& counts = *p_.counts;
  switch (request.kind) {
    case RequestKind::read:
    case RequestKind::read_once:
      ++(hit ? counts.read_hits : counts.read_misses);
      break;
    case RequestKind::own:
      counts.own_hits += hit;
      break;
    case RequestKind::write:
      break;
    default:
      counts.atomic_hits += hit;
      break;
  }
}

void Home::carry_out(u32 way, const Request& request, const Decision& decision, ServedBy by) {
  Performance result = p_.image.perform(request, decision);
  if (!result.answers) return;
  result.answer.served_by = by;
  HomeLine& line = p_.lines[way];
  line.dirty = line.dirty | result.written;
  line.written = line.written | result.written;
  if (result.written.any()) line.valid |= p_.sectors.complete(whole_words(line.written));
  const bool late = request.kind == RequestKind::atomic && !request.persist;  // `durable` follows a persist's answer
  p_.departures.depart(result.answer, static_cast<Node>(request.origin), result.data_bytes,
                       late ? p_.config.atomic_latency : 0);
  if (request.persist) persists_.begin(way, request, result.written);
}

/// Decides waiting requests in order, until one has to wait for its sectors or holds the line.
void Home::run_waiting(u32 number) {
  HomeMshr& mshr = p_.queue[number];
  const u32 way = mshr.way;
  while (!mshr.held && !mshr.waiting.empty()) {
    const auto [request, next, fetched] = p_.queue.first_of(mshr);
    const HomeLine& line = p_.lines[way];
    if (const SectorMask missing = needed(request) & ~line.valid) {
      p_.counts.act_for(request.account);
      if (missing & ~line.fetching) sectors_.fetch(way, missing & ~line.fetching);
      return;
    }
    p_.queue.pop(mshr);
    decide(way, request, fetched);
  }
  if (!mshr.held && !p_.lines[way].fetching) free_mshr(number);
}

void Home::free_mshr(u32 number) {
  p_.queue.free(number);
  pump();
}

/// An MSHR is free: those that waited for one go on, in order.
void Home::pump() {
  if (pumping_) return;
  pumping_ = true;
  while (p_.queue.any_blocked() && dispatch(p_.queue.first_blocked(), true)) p_.queue.pop_blocked();
  pumping_ = false;
}

void Home::answered(const Request& answer) {
  const u32 number = directory_.answered(answer);
  if (number == no_number) return;
  HomeMshr& mshr = p_.queue[number];
  if (mshr.recall) return recalled(number);
  mshr.held = false;
  const Request request = mshr.request;
  const Decision decision = mshr.decision;
  carry_out(mshr.way, request, decision, mshr.fetched ? ServedBy::device : ServedBy::home);
  run_waiting(number);
}

/// The line goes; requests that came for it meanwhile arrive anew, behind the one that wanted the way.
void Home::recalled(u32 number) {
  HomeMshr& mshr = p_.queue[number];
  const RequestList again = mshr.waiting;
  mshr.waiting = {};
  evict(mshr.way);
  p_.queue.block_again(again);
  free_mshr(number);
}

/// Never waits: a line that is held may be waiting for just these bytes. Bytes of words that another agent owns by now
/// are not taken: it has got them from the sender.
void Home::written_back(const Request& message) {
  Payload& payload = p_.around.payloads[message.payload];
  const u32 way = p_.lines.find(message.line, message.place);
  // At a registry others may own all its words by now, and their line may have gone. Nobody may own what persists yet.
  if (way == no_way && (p_.around.policy.kind() != HomeKind::registry || message.persist))
    impossible("a write-back of a line that the directory does not have", message, p_.now());
  p_.counts->written_back_bytes += payload.valid.count();
  payload.valid = payload.valid & bytes_of(way == no_way ? 0 : taken(way, message));
  copy_to_image(message.line, payload.bytes.data(), payload.valid);
  const ByteMask dirty = payload.valid;
  if (way != no_way) {
    HomeLine& line = p_.lines[way];
    line.dirty = line.dirty | dirty;
    line.written = line.written | dirty;
    if (dirty.any()) line.valid |= p_.sectors.complete(whole_words(line.written));
  }
  if (!message.persist) p_.around.payloads.give_back(message.payload);
  Request answer = message;
  answer.kind = RequestKind::written;
  answer.payload = no_payload;
  answer.served_by = ServedBy::home;
  p_.departures.depart(answer, static_cast<Node>(message.origin), 0);
  if (message.persist) persists_.begin(way, message, dirty);
}

/// Words of a write-back that the policy takes. A home that waits for the sender's answer has changed the record
/// already.
WordMask Home::taken(u32 way, const Request& message) {
  Decision decision;
  p_.around.policy.at_home(message, directory_.record(way), decision);
  const u32 number = p_.lines[way].mshr;
  if (number == no_number || !p_.queue[number].held) return decision.granted;
  return decision.granted | (message.words & p_.queue[number].decision.probed_of(message.origin));
}

void Home::served(u64 token) {
  const core::InPart here(core::home_part, p_.around.slice);
  if (token == room_token) return pump();
  if (token & host_token) {
    if (host_.served(static_cast<u32>(token ^ host_token))) pump();
    return;
  }
  if (token & persist_token) return persists_.served(static_cast<u32>(token ^ persist_token));
  run_waiting(p_.lines[sectors_.fetched(token)].mshr);
}

void Home::evict(u32 way) {
  ++p_.counts->lines_evicted;
  sectors_.write(way);
  p_.lines.remove(way);
  directory_.forget(way);
}

u32 Home::write_back_pools(DeviceClient& waits) {
  const core::InPart here(core::home_part, p_.around.slice);
  p_.counts.act_for(core::nobody);
  u32 requests = 0;
  for (u32 way = 0; way < p_.lines.size(); ++way)
    if (p_.lines[way].place.persistent) requests += sectors_.write(way, &waits);
  return requests;
}

void Home::write_back_all() {
  const core::InPart here(core::home_part, p_.around.slice);
  p_.counts.act_for(core::nobody);
  for (u32 way = 0; way < p_.lines.size(); ++way)
    if (p_.lines.line_of(way) != no_line) sectors_.write(way);
}

void Home::drop(u64 begin, u64 end, bool gone) {
  const core::InPart here(core::home_part, p_.around.slice);
  p_.counts.act_for(core::nobody);
  p_.devices.drop(p_.around.payloads, begin, end);
  const u64 first = begin & ~u64{p_.config.line - 1};
  if ((end - first) / p_.config.line < p_.lines.size()) {
    for (u64 line = first; line < end; line += p_.config.line)
      if (const u32 way = p_.lines.find(line, p_.around.map.place(line)); way != no_way)
        drop_line(way, begin, end, gone);
    return;
  }
  for (u32 way = 0; way < p_.lines.size(); ++way) {
    const u64 line = p_.lines.line_of(way);
    if (line != no_line && line < end && line + p_.config.line > begin) drop_line(way, begin, end, gone);
  }
}

void Home::drop_line(u32 way, u64 begin, u64 end, bool gone) {
  clear_range(p_.lines[way].dirty, p_.lines.line_of(way), begin, end);
  if (gone && p_.lines[way].mshr == no_number && !directory_.copies_exist(way)) evict(way);
}

bool Home::quiescent() const {
  return !p_.queue.active() && !p_.queue.any_blocked() && !host_.under_way() && !persists_.under_way() &&
         !polls_.under_way() && !p_.devices.queued() && !p_.departures.under_way();
}

std::string Home::what_is_under_way() const {
  const u32 slice = p_.around.slice;
  std::string result;
  p_.queue.each_active([&](const HomeMshr& mshr) {
    const HomeLine& line = p_.lines[mshr.way];
    result += fmt::format("home {}: line {:#x}", slice, p_.lines.line_of(mshr.way));
    if (line.fetching) result += fmt::format(", sectors {:#x} come from the device", line.fetching);
    if (mshr.held) result += fmt::format(", held for agent {}, {} answers to come", mshr.request.origin, mshr.answers);
    if (mshr.recall) result += ", its copies are recalled";
    result += fmt::format(", {} requests wait\n", p_.queue.count(mshr.waiting));
  });
  if (const u32 count = p_.queue.count(p_.queue.blocked()))
    result += fmt::format("home {}: {} requests wait for an MSHR\n", slice, count);
  if (const u32 count = host_.under_way())
    result += fmt::format("home {}: {} accesses under way to the host\n", slice, count);
  if (const u32 count = persists_.under_way())
    result += fmt::format("home {}: {} persists under way to the persistence domain\n", slice, count);
  if (const u32 count = polls_.under_way()) result += fmt::format("home {}: {} polls are held\n", slice, count);
  if (const u64 count = p_.devices.queued())
    result += fmt::format("home {}: {} requests wait for room at their devices\n", slice, count);
  return result;
}

LineRecord Home::directory(u64 line) const {
  const u32 way = p_.lines.find(line, p_.around.map.place(line));
  return way == no_way ? LineRecord{} : directory_.record(way);
}

}  // namespace ew::memory
