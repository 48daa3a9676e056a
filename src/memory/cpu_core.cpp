#include "memory/cpu_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "memory/impossible.hpp"

namespace ew::memory {
namespace {

/// Words of the line in which a byte of [begin, end) lies.
WordMask words_of(u64 line, u64 begin, u64 end) {
  const u32 first = static_cast<u32>(begin - line) / word_bytes, last = static_cast<u32>(end - 1 - line) / word_bytes;
  return (~WordMask{0} >> (31 - (last - first))) << first;
}

/// Bytes of these words that do not lie in [begin, end).
ByteMask bytes_outside(u64 line, WordMask words, u64 begin, u64 end) {
  ByteMask bytes = bytes_of(words);
  clear_range(bytes, line, begin, end);
  return bytes;
}

bool owns(Otherwise otherwise) {
  return otherwise == Otherwise::own || otherwise == Otherwise::own_written || otherwise == Otherwise::own_later;
}

}  // namespace

CpuCore::CpuCore(const Parts& parts, std::function<void()> over)
    : parts_(parts),
      port_({.network = parts.network, .map = parts.map, .agent = nullptr, .id = parts.id, .agents = parts.agents}),
      over_(std::move(over)),
      cache_(parts.config) {}

void CpuCore::start(const CpuAccess& access) {
  assert(!busy() && access.bytes > 0);
  assert(!access.store || line_of(access.address + access.bytes - 1) <= line_of(access.address) + parts_.config.line);
  let_go();
  access_ = access;
  at_ = access.address;
  end_ = access.address + access.bytes;
  begin_ = parts_.wheel.now();
  ++(access.store ? statistics_.stores : statistics_.loads);
  take_line();
}

Reaction CpuCore::reaction() const {
  const Use use =
      access_.store ? (access_.alone ? Use::store : Use::fresh_store) : (access_.alone ? Use::load : Use::fresh_load);
  return parts_.policy.on(use, DataKind::ordinary);
}

/// The line of `at_`: a hit takes the cache's time, a miss asks the home.
void CpuCore::take_line() {
  const u64 line = line_of(at_), stop = std::min(end_, line + parts_.config.line);
  const Reaction here = reaction();
  Request ask{.line = line, .place = parts_.map.place(line), .words = words_of(line, at_, stop)};
  keeps_ = !ask.place.host && (owns(here.otherwise) || here.otherwise == Otherwise::fetch);
  if (keeps_ && owns(here.otherwise)) pinned_.add(line, ask.words);
  const WordMask have = cache_.use(line, ask.place, here);
  if (!(ask.words & ~have)) {
    ++statistics_.hits;
    return parts_.wheel.at<&CpuCore::line_is_over>(parts_.wheel.now() + parts_.config.latency, *this);
  }
  ++statistics_.misses;
  // All words that are to be owned are asked for together, those that are owned among them: the home brings the
  // requests for them into an order, and nobody keeps some while it waits for others.
  if (!(keeps_ && owns(here.otherwise))) ask.words &= ~have;
  send(ask, keeps_ && owns(here.otherwise));
}

void CpuCore::send(Request request, bool owning) {
  if (owning) {
    request.kind = RequestKind::own;
  } else if (!access_.store) {
    // A directory must know of the copy; a registry cleans the owners' words, so that the image has them.
    request.kind = keeps_ && parts_.home == HomeKind::directory ? RequestKind::read : RequestKind::read_once;
  } else {  // the bytes come to the image without a message
    request.kind = RequestKind::write;
    request.words = 0;
    request.payload = parts_.payloads.take();
  }
  if (parts_.policy.whole_lines && keeps_) request.words = all_words(parts_.config.line);
  request.content = request.words;
  // Words that the host writes whole are owned without their content.
  if (owning && access_.store && !parts_.policy.whole_lines)
    request.content = touched_words(bytes_outside(request.line, request.words, access_.address, end_));
  outstanding_ = request.words;
  port_.send_home(request, 0, core::nobody);
}

void CpuCore::receive(const Request& message) {
  switch (message.kind) {
    case RequestKind::data:
      return data(message);
    case RequestKind::written:
      return written(message);
    case RequestKind::probe:
    case RequestKind::forward:
      return asked(message);
    default:
      impossible("a message that is not for a core of the host", message, parts_.wheel.now());
  }
}

void CpuCore::data(const Request& message) {
  if (message.held)  // the home waits for this receipt
    port_.answer_home({.line = message.line, .place = message.place, .origin = message.origin}, message.slice, 0,
                      core::nobody);
  // The image is where this copy is. A new owner brings to it what the old one had not written back. Who only reads
  // brings what the old owner sent: its home lets nobody write until it has the receipt.
  const Payload& payload = parts_.payloads[message.payload];
  if (message.owned || message.held)
    copy_to_image(message.line, payload.bytes.data(), message.owned ? payload.valid : bytes_of(message.content));
  if (keeps_) keep(message);
  parts_.payloads.give_back(message.payload);
  outstanding_ &= ~message.words;
  if (!outstanding_) line_is_over();
}

void CpuCore::keep(const Request& message) {
  HostCache::Copy words{.line = message.line, .valid = message.words};
  if (message.owned) {
    words.owned = message.words;
    words.dirty = parts_.payloads[message.payload].valid;
  }
  const HostCache::Copy gone = cache_.add(words, message.place, [&](u64 line) { return pinned_.of(line) != 0; });
  if (gone.line != no_line) give_back(gone);
}

/// The bytes of a store, or words that were given back.
void CpuCore::written(const Request& message) {
  if (!message.owned) return line_is_over();
  leaving_.remove_first(message.line);
}

void CpuCore::line_is_over(u64, u64) {
  const u64 line = line_of(at_), next = std::min(end_, line + parts_.config.line);
  if (!access_.store) {  // what the load sees is in the image, whoever writes from now on
    pinned_.remove_all(line);
    answer_kept();
  } else {
    cache_.write(line, parts_.map.place(line), at_, next);
  }
  at_ = next;
  if (busy()) return take_line();
  statistics_.cycles += parts_.wheel.now() - begin_;
  over_();
}

/// A line has made room. A home with a registry must know that words are owned no more. One with a directory finds out
/// when it asks.
void CpuCore::give_back(const HostCache::Copy& copy) {
  if (!(registry() ? copy.owned != 0 : copy.dirty.any())) return;
  ++statistics_.write_backs;
  Request back{.line = copy.line, .place = parts_.map.place(copy.line), .words = copy.owned};
  back.kind = RequestKind::write_back;
  back.payload = parts_.payloads.take();
  Payload& payload = parts_.payloads[back.payload];
  copy_from_image(payload.bytes.data(), copy.line, copy.owned);
  payload.valid = copy.dirty;
  statistics_.bytes_written_back += payload.valid.count();
  back.owned = true;  // comes back with `written`
  leaving_.add(copy.line, copy.owned);
  port_.send_home(back, payload.valid.count(), core::nobody);
}

void CpuCore::let_go() {
  pinned_.clear();
  answer_kept();
}

/// Requests for what is pinned no more, in the order in which they came.
void CpuCore::answer_kept() {
  if (kept_.empty()) return;
  for (const Request& one : std::exchange(kept_, {})) asked(one);
}

void CpuCore::acquire() {
  if (parts_.policy.drops_at_acquire) cache_.acquire();
}

/// Words of this line that the host's instruction will touch. Those that are owned, or were given back, and are asked
/// for again, are wanted by the other because of the old ownership: the home has not seen the new request yet.
WordMask CpuCore::wanted_here(u64 line) const {
  const WordMask again = busy() && line_of(at_) == line ? outstanding_ & copy(line).owned : 0;
  return pinned_.of(line) & ~again & ~leaving_.of(line);
}

/// Kept until the host's instruction has been executed, as far as it is about words that this touches. A probe has one
/// answer; a forward's words may come in parts. A home with a directory asks only for what it has granted.
void CpuCore::asked(const Request& message) {
  if (!registry()) {
    const bool granted = copy(message.line).valid && !(busy() && line_of(at_) == message.line && outstanding_);
    if (granted && wanted_here(message.line)) return kept_.push_back(message);
    return answer(message);
  }
  const WordMask later = message.words & wanted_here(message.line);
  Request now = message, rest = message;
  if (later) {
    if (message.kind == RequestKind::forward) rest.words = later;
    kept_.push_back(rest);
    now.words &= ~rest.words;
  }
  if (now.words) answer(now);
}

/// The image is current, so a home answers in the place of this core. Of a home with a registry the requester gets the
/// words from here.
void CpuCore::answer(const Request& one) {
  if (one.kind == RequestKind::forward && registry()) {
    Request data = one;
    data.kind = RequestKind::data;
    data.content = one.words & one.content;
    data.served_by = ServedBy::remote_cache;
    data.payload = give_up(one);
    if (data.payload == no_payload) data.payload = parts_.payloads.take();
    Payload& payload = parts_.payloads[data.payload];
    payload.valid = one.owned ? payload.valid & bytes_of(data.content) : ByteMask{};
    copy_from_image(payload.bytes.data(), one.line, data.content);
    return port_.answer_agent(data, one.origin, count_of(data.content) * word_bytes, core::nobody);
  }
  Request none{.line = one.line, .place = one.place, .origin = one.origin};
  none.payload = give_up(one);
  const u32 bytes = none.payload == no_payload ? 0 : parts_.payloads[none.payload].valid.count();
  port_.answer_home(none, one.slice, bytes, core::nobody);
}

/// The copy becomes what is asked for. The bytes that have changed, of words that are owned no more.
PayloadId CpuCore::give_up(const Request& one) {
  const ByteMask dirty = cache_.give_up(one.line, one.place, one.words & ~leaving_.of(one.line), one.probe);
  if (!dirty.any()) return no_payload;
  const PayloadId id = parts_.payloads.take();
  copy_from_image(parts_.payloads[id].bytes.data(), one.line, touched_words(dirty));
  parts_.payloads[id].valid = dirty;
  return id;
}

std::string CpuCore::what_is_under_way() const {
  std::string result;
  if (busy())
    result += fmt::format("agent {}: the host's {} of {} bytes from {:#x} on waits for line {:#x}\n", parts_.id,
                          access_.store ? "store" : "load", end_ - at_, at_, line_of(at_));
  for (const Request& probe : kept_)
    result += fmt::format("agent {}: line {:#x} is the host's until it has written it; agent {} asks for it\n",
                          parts_.id, probe.line, probe.origin);
  return result;
}

}  // namespace ew::memory
