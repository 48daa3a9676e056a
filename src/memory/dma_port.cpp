#include "memory/dma_port.hpp"

#include <cstring>

#include "memory/impossible.hpp"
#include "memory/masks.hpp"

namespace ew::memory {
namespace {

/// A call, as most of the map's users have it. So tests/speed/check-storage counts it with the map and not with DMA,
/// whatever the compiler would choose.
[[gnu::noinline]] Place place_of(const AddressMap& map, u64 line) {
  return map.place(line);
}

}  // namespace

DmaPort::DmaPort(const Parts& parts, std::span<DmaPiece> pieces, DmaPieceDone done)
    : parts_(parts),
      port_({.network = parts.network,
             .map = parts.map,
             .agent = nullptr,
             .id = parts.id,
             .agents = parts.agents,
             .dma = true}),
      pieces_(pieces),
      done_(done) {
  parts.network.attach(static_cast<Node>(parts.id), *this);
}

void DmaPort::go_on(u64, u64) {
  asked_ = false;
  if (waiting_.empty()) return;
  if (free_ <= parts_.wheel.now()) {
    const u32 piece = waiting_.front();
    waiting_.pop_front();
    free_ = parts_.wheel.now() + 1;
    send(piece);
  }
  if (!waiting_.empty()) go_on_at(free_);
}

void DmaPort::go_on_at(core::Cycle when) {
  if (asked_) return;
  asked_ = true;
  parts_.wheel.at<&DmaPort::go_on>(when, *this);
}

void DmaPort::send(u32 number) {
  const DmaPiece& piece = pieces_[number];
  const u32 offset = static_cast<u32>(piece.address() % parts_.line);
  const u32 end = offset + piece.bytes;
  Request ask{.line = piece.address() - offset, .access = number};
  ask.place = place_of(parts_.map, ask.line);
  ask.words = all_words((end + word_bytes - 1) & ~(word_bytes - 1)) & ~all_words(offset & ~(word_bytes - 1));
  if (!piece.writing) {
    ask.kind = RequestKind::read_once;
    ask.content = ask.words;
    return port_.send_home(ask, 0, core::copies);
  }
  ask.kind = RequestKind::write;
  ask.persist = parts_.persists && ask.place.persistent;
  ask.payload = parts_.payloads.take();
  Payload& payload = parts_.payloads[ask.payload];
  std::memcpy(payload.bytes.data() + offset, piece.content.data(), piece.bytes);
  payload.valid = bytes_between(offset, end);
  port_.send_home(ask, piece.bytes, core::copies);
}

void DmaPort::receive(const Request& answer) {
  switch (answer.kind) {
    case RequestKind::data: {
      DmaPiece& piece = pieces_[answer.access];
      const Payload& payload = parts_.payloads[answer.payload];
      std::memcpy(piece.content.data(), payload.bytes.data() + piece.address() % parts_.line, piece.bytes);
      parts_.payloads.give_back(answer.payload);
      return finish(answer.access);
    }
    case RequestKind::written:
      if (!answer.persist) finish(answer.access);  // else it is over when it is durable
      return;
    case RequestKind::durable:
      return finish(answer.access);
    default:
      impossible("a message that is not for a copy engine", answer, parts_.wheel.now());
  }
}

}  // namespace ew::memory
