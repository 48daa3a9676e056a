#include "memory/cpu_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "memory/impossible.hpp"
#include "memory/masks.hpp"

namespace ew::memory {

CpuCore::CpuCore(const Parts& parts, std::function<void()> over)
    : parts_(parts),
      port_({.network = parts.network, .map = parts.map, .agent = nullptr, .id = parts.id, .agents = parts.agents}),
      over_(std::move(over)) {}

void CpuCore::start(u64 address, u64 bytes, bool store) {
  assert(!busy() && bytes > 0);
  assert(!store || line_of(address + bytes - 1) <= line_of(address) + parts_.line);
  let_go();
  at_ = address;
  end_ = address + bytes;
  store_ = store;
  begin_ = parts_.wheel.now();
  ++(store ? statistics_.stores : statistics_.loads);
  ask_for_line();
}

void CpuCore::ask_for_line() {
  const u64 line = line_of(at_), stop = std::min(end_, line + parts_.line);
  const u32 first = static_cast<u32>(at_ - line) / word_bytes, last = static_cast<u32>(stop - 1 - line) / word_bytes;
  Request ask{.line = line, .place = parts_.map.place(line), .words = (~WordMask{0} >> (31 - (last - first))) << first};
  if (!store_) {
    ask.kind = RequestKind::read_once;
  } else if (parts_.policy.owns() && !ask.place.host) {
    ask.kind = RequestKind::own;
    if (parts_.policy.whole_lines) ask.words = all_words(parts_.line);
  } else {  // the bytes come to the image without a message
    ask.kind = RequestKind::write;
    ask.words = 0;
    ask.payload = parts_.payloads.take();
  }
  outstanding_ = ask.content = ask.words;
  asked_ = ask.kind == RequestKind::own ? ask.words : 0;
  port_.send_home(ask, 0, core::nobody);
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
  // What the old owner had not written back: the image is where this copy is.
  const Payload& payload = parts_.payloads[message.payload];
  if (message.owned) copy_to_image(message.line, payload.bytes.data(), payload.valid);
  parts_.payloads.give_back(message.payload);
  outstanding_ &= ~message.words;
  if (outstanding_) return;
  if (asked_) owned_.push_back({message.line, asked_});
  line_is_over();
}

/// The bytes of a store, or words that were given back.
void CpuCore::written(const Request& message) {
  if (!message.owned) return line_is_over();
  leaving_.erase(std::ranges::find(leaving_, message.line, &Words::line));
}

void CpuCore::line_is_over() {
  asked_ = 0;
  at_ = std::min(end_, line_of(at_) + parts_.line);
  if (busy()) return ask_for_line();
  statistics_.cycles += parts_.wheel.now() - begin_;
  over_();
}

void CpuCore::let_go() {
  if (registry())
    for (const auto& [line, words] : owned_) {
      Request give_back{.line = line, .place = parts_.map.place(line), .words = words};
      give_back.kind = RequestKind::write_back;
      give_back.payload = parts_.payloads.take();
      give_back.owned = true;  // comes back with `written`
      leaving_.push_back({line, words});
      port_.send_home(give_back, 0, core::nobody);
    }
  owned_.clear();
  for (const Request& one : kept_) answer(one);
  kept_.clear();
}

/// Words of this line that the host's instruction will write. Those that were given back before, and asked for again,
/// are wanted by the other because of the old ownership: the home has not seen the new request yet.
WordMask CpuCore::wanted_here(u64 line) const {
  WordMask words = busy() && line_of(at_) == line ? asked_ : 0;
  for (const Words& one : owned_)
    if (one.line == line) words |= one.words;
  for (const Words& one : leaving_)
    if (one.line == line) words &= ~one.words;
  return words;
}

/// Kept until the host's instruction has been executed, as far as it is about words that this writes. A probe has one
/// answer; a forward's words may come in parts. A home with a directory asks only for what it has granted.
void CpuCore::asked(const Request& message) {
  if (!registry()) {
    if (std::ranges::find(owned_, message.line, &Words::line) != owned_.end()) return kept_.push_back(message);
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

/// As a cache answers that has dropped a clean copy: the home answers in its place, from the image. Of a home with a
/// registry the requester gets the words from here.
void CpuCore::answer(const Request& one) {
  if (one.kind == RequestKind::forward && registry()) {
    Request data = one;
    data.kind = RequestKind::data;
    data.content = one.words & one.content;
    data.served_by = ServedBy::remote_cache;
    data.payload = parts_.payloads.take();
    copy_from_image(parts_.payloads[data.payload].bytes.data(), one.line, data.content);
    return port_.answer_agent(data, one.origin, count_of(data.content) * word_bytes, core::nobody);
  }
  port_.answer_home({.line = one.line, .place = one.place, .origin = one.origin}, one.slice, 0, core::nobody);
}

std::string CpuCore::what_is_under_way() const {
  std::string result;
  if (busy())
    result += fmt::format("agent {}: the host's {} of {} bytes from {:#x} on waits for line {:#x}\n", parts_.id,
                          store_ ? "store" : "load", end_ - at_, at_, line_of(at_));
  for (const Request& probe : kept_)
    result += fmt::format("agent {}: line {:#x} is the host's until it has written it; agent {} asks for it\n",
                          parts_.id, probe.line, probe.origin);
  return result;
}

}  // namespace ew::memory
