// The write buffer of a private cache, and what acquires, releases and flushes do.
#include <cassert>
#include <utility>

#include "memory/private_cache_state.hpp"

namespace ew::memory {

void PrivateCache::acquire(Scope scope, core::Account account) {
  State& s = *state_;
  s.act_for(account);
  if (scope == Scope::cta || !s.permission.invalidate_on_acquire) return;
  ++s.epoch[0];
  ++s.epoch[1];
  ++s.counts->acquires;
}

bool PrivateCache::release(Scope scope, u32 token, core::Account account) {
  State& s = *state_;
  s.act_for(account);
  if (scope == Scope::cta) return true;  // threads of a block share this cache
  ++s.counts->releases;
  if (s.permission.drain_on_release) s.drain_all();
  if (s.model && !s.traits.buffered) s.flush_persistent();
  return s.release(token);
}

bool PrivateCache::flush(u32 token, core::Account account) {
  State& s = *state_;
  s.act_for(account);
  assert(!s.flushing);
  s.flushing = true;
  s.flush_token = token;
  s.flush_account = account;
  if (s.model && !s.model->drain()) {
    s.persists.draining = true;
    s.persists.drain_since = s.now();
    ++s.counts->persist.drains;
  }
  s.flush_waits = s.persists.draining;
  if (!s.flush_waits) s.flush_lines();
  return !s.flushing;
}

/// Room for one more line with bytes that are not in the image. Without it half of the buffer, at least, is on its way.
bool PrivateCache::State::room() const {
  return write_buffer.count + writes_under_way < config.write_buffer;
}

/// Half of the buffer is for lines on their way, so that a stream of stores does not stop for each.
void PrivateCache::State::join(u32 way) {
  append(write_buffer, way);
  lines[way].joined = now();
  if (write_buffer.count > config.write_buffer / 2) drain(write_buffer.oldest, no_access, 0);
  arm_drain();
}

void PrivateCache::State::append(DirtyList& list, u32 way) {
  Line& line = lines[way];
  line.buffered = true;
  line.older = list.youngest;
  line.younger = none;
  (list.youngest == none ? list.oldest : lines[list.youngest].younger) = way;
  list.youngest = way;
  ++list.count;
}

void PrivateCache::State::leave(u32 way) {
  Line& line = lines[way];
  DirtyList& list = line.persistent ? dirty_persistent : write_buffer;
  (line.older == none ? list.oldest : lines[line.older].younger) = line.younger;
  (line.younger == none ? list.youngest : lines[line.younger].older) = line.older;
  line.older = line.younger = none;
  line.buffered = false;
  --list.count;
}

void PrivateCache::State::arm_drain() {
  if (!config.drain_after || drain_armed || write_buffer.oldest == none) return;
  drain_armed = true;
  parts.wheel.at<&State::drain_aged>(lines[write_buffer.oldest].joined + config.drain_after, *this);
}

void PrivateCache::State::drain_aged(u64, u64) {
  drain_armed = false;
  while (write_buffer.oldest != none && lines[write_buffer.oldest].joined + config.drain_after <= now())
    drain(write_buffer.oldest, no_access, 0);
  arm_drain();
}

void PrivateCache::State::drain_all() {
  while (write_buffer.oldest != none) {
    ++counts->lines_drained;
    drain(write_buffer.oldest, no_access, 0);
  }
}

/// The line's dirty bytes leave for the image, on the account of who wrote them; its words stay valid. Owned words
/// return with them: the line goes then.
void PrivateCache::State::drain(u32 way, u32 access, u32 part) {
  Line& line = lines[way];
  const core::Account before = account;
  act_for(line.account);
  if (line.buffered) leave(way);
  Request write{.line = tags.line_of(way), .access = access, .kind = RequestKind::write, .part = static_cast<u8>(part)};
  write.flush = static_cast<u8>(1 + flushes % 2);
  ++lines_leaving[flushes % 2];
  if (line.owned) write.kind = RequestKind::write_back;
  write.words = line.owned ? line.owned : touched_words(line.dirty);
  write.payload = parts.payloads.take();
  std::memcpy(parts.payloads[write.payload].bytes.data(), bytes(way), config.line);
  parts.payloads[write.payload].valid = line.dirty;
  write.ticket = open();
  ++counts->lines_written;
  counts->bytes_written += line.dirty.count();
  if (line.persistent) {
    write.persist = open_persist();
    ++counts->persist.lines;
    counts->persist.bytes += line.dirty.count();
    counts->persist.flushed_at_ends += flushing;
  } else {
    ++writes_under_way;
  }
  if (line.mshr != none)
    mshrs[line.mshr].keep = mshrs[line.mshr].keep | (line.dirty & bytes_of(mshrs[line.mshr].outstanding));
  const u32 data_bytes = line.dirty.count();
  line.dirty = {};
  send_home(write, data_bytes);
  act_for(before);
}

u32 PrivateCache::State::open() {
  ++open_stores[generation % generations];
  ++open_total;
  return generation;
}

void PrivateCache::State::settle(u32 of) {
  --open_stores[of % generations];
  --open_total;
  fire_releases();
}

void PrivateCache::State::fire_releases() {
  while (!releases.empty()) {
    while (oldest_generation != generation && !open_stores[oldest_generation % generations]) ++oldest_generation;
    if (releases.front().generation == generation) {  // the array of generations was full when it came
      if (oldest_generation == generation - (generations - 1)) return;
      ++generation;
      continue;
    }
    if (static_cast<i32>(releases.front().generation - oldest_generation) >= 0) return;
    const Release done = releases.front();
    releases.pop_front();
    parts.agent.released(done.token);
  }
}

bool PrivateCache::State::release(u32 token) {
  if (!open_total) return true;
  releases.push_back({token, generation});
  if (generation - oldest_generation < generations - 1) ++generation;
  return false;
}

/// A line that others' accesses wait for stays theirs: it gives up what is dirty, no more.
void PrivateCache::State::flush_lines() {
  const bool waited = std::exchange(flush_waits, false);
  for (u32 way = 0; way < tags.lines(); ++way) {
    if (tags.line_of(way) == no_line) continue;
    if (lines[way].dirty.any()) drain(way, no_access, 0);
    if (lines[way].mshr != none) continue;
    lines[way] = {};
    tags.remove(way);
  }
  ++flushes;
  if (lines_leaving[(flushes - 1) % 2]) return;
  flushing = false;
  if (waited) parts.agent.released(flush_token);
}

void PrivateCache::State::line_left(u32 flush) {
  if (--lines_leaving[flush] || !flushing || flush_waits || flush == flushes % 2) return;
  flushing = false;
  parts.agent.released(flush_token);
}

}  // namespace ew::memory
