#include "memory/cpu_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "memory/impossible.hpp"
#include "memory/masks.hpp"

namespace ew::memory {

CpuCore::CpuCore(const Parts& parts, std::function<void()> over)
    : parts_(parts), permission_(parts.protocol.permission()), over_(std::move(over)) {}

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
  Request ask{.line = line, .words = (~WordMask{0} >> (31 - (last - first))) << first, .origin = parts_.id};
  ask.slice = parts_.map.place(line).slice;
  if (!store_) {
    ask.kind = RequestKind::read_once;
  } else if (permission_.store_needs_owned && !parts_.map.host(line)) {
    ask.kind = RequestKind::own;
    ask.traffic = Traffic::own;
    if (permission_.whole_lines) ask.words = all_words(parts_.line);
  } else {  // the bytes come to the image without a message
    ask.kind = RequestKind::write;
    ask.traffic = Traffic::write;
    ask.words = 0;
    ask.payload = parts_.payloads.take();
  }
  outstanding_ = ask.words;
  parts_.network.send(parts_.id, static_cast<Node>(parts_.agents + ask.slice), ask, 0, ask.traffic);
}

void CpuCore::receive(const Request& message) {
  switch (message.kind) {
    case RequestKind::data:
      return data(message);
    case RequestKind::written:
      return line_is_over();
    case RequestKind::probe:
    case RequestKind::forward:
      if (std::ranges::find(owned_, message.line) == owned_.end()) return answer(message);
      return kept_.push_back(message);
    default:
      impossible("a message that is not for a core of the host", message, parts_.wheel.now());
  }
}

void CpuCore::data(const Request& message) {
  if (message.served_by == ServedBy::remote_cache) {  // the home holds the line until it knows
    Request receipt{.line = message.line, .origin = message.origin, .target = parts_.id};
    receipt.kind = RequestKind::probe_answer;
    receipt.traffic = Traffic::probe;
    parts_.network.send(parts_.id, static_cast<Node>(parts_.agents + message.slice), receipt, 0, receipt.traffic);
  }
  // What the old owner had not written back: the image is where this copy is.
  const Payload& payload = parts_.payloads[message.payload];
  if (message.owned) copy_to_image(message.line, payload.bytes.data(), payload.valid);
  parts_.payloads.give_back(message.payload);
  outstanding_ &= ~message.words;
  if (outstanding_) return;
  if (message.owned) owned_.push_back(message.line);
  line_is_over();
}

void CpuCore::line_is_over() {
  at_ = std::min(end_, line_of(at_) + parts_.line);
  if (busy()) return ask_for_line();
  statistics_.cycles += parts_.wheel.now() - begin_;
  over_();
}

void CpuCore::let_go() {
  owned_.clear();
  for (const Request& probe : kept_) answer(probe);
  kept_.clear();
}

/// As a cache answers that has dropped a clean copy: the home answers in its place, from the image.
void CpuCore::answer(const Request& probe) {
  Request answer{.line = probe.line, .origin = probe.origin, .target = parts_.id};
  answer.kind = RequestKind::probe_answer;
  answer.traffic = Traffic::probe;
  parts_.network.send(parts_.id, static_cast<Node>(parts_.agents + probe.slice), answer, 0, answer.traffic);
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
