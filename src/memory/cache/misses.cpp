#include "memory/cache/misses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace ew::memory {

Misses::Misses(const PrivateCacheConfig& config, const AgentPolicy& policy, LineStore& lines, AgentPort& port,
               CacheCounts& counts)
    : sector_(config.sector),
      limit_(config.mshrs),
      policy_(policy),
      whole_line_(all_words(config.line)),
      lines_(lines),
      port_(port),
      counts_(counts),
      mshrs_(config.mshrs + (policy.owns_later() ? lines.size() : 0)) {
  for (u32 i = static_cast<u32>(mshrs_.size()); i-- > 0;) {
    u32& list = i < limit_ ? free_ : free_spares_;
    mshrs_[i].next_free = list;
    list = i;
  }
}

u32 Misses::begin(u32& list, u64 line, Place place, u32 way) {
  const u32 number = list;
  assert(number != no_number);
  Mshr& mshr = mshrs_[number];
  list = mshr.next_free;
  const u8 kind = way != no_way ? LineStore::kind(lines_[way]) : u8{0};
  mshr = {.line = line, .place = place, .way = way, .epoch = lines_.epoch(kind), .kind = kind, .active = true};
  if (way != no_way) lines_.begin_miss(way, number);
  core::prefetch_to_write(mshrs_.data() + list);  // the next
  core::prefetch_to_write(&mshrs_.data()[list].outstanding);
  ++active_;
  return number;
}

void Misses::free(u32 number) {
  Mshr& mshr = mshrs_[number];
  if (mshr.way != no_way) lines_.end_miss(mshr.way);
  active_spares_ -= mshr.spare;
  u32& list = mshr.spare ? free_spares_ : free_;
  mshr.active = false;
  mshr.next_free = list;
  list = number;
  --active_;
}

WaitingPart& Misses::append(Mshr& mshr, const LineAccess& a, bool merged) {
  u32 number = free_parts_;
  if (number == no_number) {
    number = static_cast<u32>(parts_.size());
    parts_.emplace_back();
  } else {
    free_parts_ = parts_[number].next;
    core::prefetch_to_write(parts_.data() + free_parts_);  // the next
  }
  parts_[number] = {.access = a, .merged = merged};
  if (a.kind != AccessKind::load) {
    parts_[number].generation = port_.open();
    mshr.to_change |= a.words;
  }
  if (mshr.first == no_number)
    mshr.first = number;
  else
    parts_[mshr.last].next = number;
  mshr.last = number;
  mshr.waited |= a.words;
  ++mshr.count;
  return parts_[number];
}

void Misses::append_owner(Mshr& mshr, const LineAccess& a, WordMask content, bool merged) {
  WaitingPart& part = append(mshr, a, merged);
  part.owns = true;
  part.content = content;
  mshr.to_own |= a.words;
}

/// Of an own, all words are waited for; of a read, those with content.
[[gnu::always_inline]] inline void Misses::send(RequestKind kind, u32 number, WordMask words, WordMask content,
                                                const LineAccess& a) {
  Mshr& mshr = mshrs_[number];
  const bool own = kind == RequestKind::own;
  u64& sectors = mshr.way != no_way ? counts_->sectors_fetched : counts_->sectors_past;
  sectors += count_of(first_words(own ? content : words, sector_));
  mshr.outstanding |= own ? words : content;
  mshr.keep = mshr.keep & ~bytes_of(words);
  Request ask{.line = mshr.line,
              .place = mshr.place,
              .words = words,
              .access = a.access,
              .ticket = number,
              .kind = kind,
              .part = a.part};
  ask.content = content;
  ask.payload = mshr.poll;
  ask.poll = mshr.poll != no_payload;
  port_.send_home(ask, 0, counts_.account());
}

void Misses::begin(RequestKind kind, const LineAccess& a, u32 way, WordMask wanted, PayloadId poll) {
  const u32 number = take(a.line, a.place, way);
  mshrs_[number].poll = poll;
  append(mshrs_[number], a, false);
  request(kind, number, wanted);
}

/// A line's request is for whole sectors, but for words that are here: a part that waits with them for others must not
/// see what is younger than a hit of its thread behind it, or than an atomic.
void Misses::request(RequestKind kind, u32 number, WordMask wanted) {
  Mshr& mshr = mshrs_[number];
  WordMask words = wanted;
  if (mshr.way != no_way) {
    if (policy_.whole_lines)
      words = whole_line_;
    else if (kind == RequestKind::read)
      words |= whole_sectors(words, sector_) & ~(lines_[mshr.way].valid | mshr.outstanding | mshr.waited);
    if (policy_.home == HomeKind::registry) {  // others may own what is not wanted
      mshr.welcome |= words & ~wanted;
    } else {
      wanted = words;
    }
  }
  send(kind, number, words, wanted, first_of(mshr));
}

void Misses::request_ownership(u32 number) {
  Mshr& mshr = mshrs_[number];
  // What was owned since then, and perhaps given on, is not asked for again: it would come without its bytes.
  WordMask words = mshr.to_own | (mshr.registering & lines_[mshr.way].written_unowned()), content = 0;
  for (u32 at = mshr.first; at != no_number; at = parts_[at].next) content |= parts_[at].content;
  if (policy_.whole_lines) words = content = whole_line_;
  mshr.owning = mshr.to_come = words;
  send(RequestKind::own, number, words, content, first_of(mshr));
}

bool Misses::register_words(u64 line, u32 way, WordMask words, u8 mark) {
  u32 number = lines_[way].mshr;
  if (number == no_number) {
    number = begin(free_spares_, line, lines_[way].place, way);
    mshrs_[number].spare = true;
    ++active_spares_;
  }
  Mshr& mshr = mshrs_[number];
  words &= ~mshr.registering;
  if (!words) return false;
  LineAccess nobody{.line = line, .place = lines_[way].place, .words = words, .access = no_access};
  nobody.kind = AccessKind::store;
  nobody.account = lines_[way].account;
  const WordMask waited = mshr.waited, to_change = mshr.to_change;
  WaitingPart& part = append(mshr, nobody, false);
  mshr.waited = waited, mshr.to_change = to_change;  // the bytes are here: nothing of this agent waits for them
  part.owns = true;
  part.registers = mark;
  mshr.registering |= words;
  if (!mshr.outstanding) request_ownership(number);  // else Answers does
  return true;
}

bool Misses::room_for_prefetch() {
  const u32 quarter = limit_ / 4;
  if (active_ - active_spares_ >= limit_ - quarter) return false;
  std::erase_if(prefetches_, [&](u32 number) { return !mshrs_[number].active || !mshrs_[number].prefetch; });
  return prefetches_.size() < quarter;
}

void Misses::prefetch(u64 line, Place place, u32 way) {
  static constexpr LineAccess nobody{.access = no_access};
  const u32 number = take(line, place, way);
  mshrs_[number].prefetch = true;
  prefetches_.push_back(number);
  // All words are waited for, as it were: an MSHR ends when the last of them has come.
  send(RequestKind::read, number, whole_line_, whole_line_, nobody);
}

bool Misses::any_unwaited() const {
  return std::ranges::any_of(prefetches_, [&](u32 number) {
    const Mshr& mshr = mshrs_[number];
    return mshr.active && mshr.prefetch && mshr.first == no_number;
  });
}

void Misses::refresh(Mshr& mshr) const {
  if (mshr.epoch == lines_.epoch(mshr.kind)) return;
  const WordMask stay = mshr.way == no_way ? 0 : lines_.read_only.words(mshr.way);
  mshr.poison |= (mshr.outstanding | mshr.welcome | mshr.waited) & ~stay;
  mshr.epoch = lines_.epoch(mshr.kind);
}

std::string Misses::what_is_under_way() const {
  std::string result;
  for (const Mshr& mshr : mshrs_) {
    if (!mshr.active) continue;
    result += fmt::format("agent {}: MSHR for line {:#x}, words {:#x} outstanding, {} parts wait", port_.id(),
                          mshr.line, mshr.outstanding, mshr.count);
    if (mshr.first != no_number) result += fmt::format(", the first of access {}", parts_[mshr.first].access.access);
    result += '\n';
  }
  return result;
}

}  // namespace ew::memory
