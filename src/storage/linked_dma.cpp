#include "storage/linked_dma.hpp"

#include <algorithm>
#include <cstring>

#include "storage/nvme.hpp"

namespace ew::storage {

using memory::LinkDirection;

LinkedDma::LinkedDma(const Parts& parts)
    : parts_(parts),
      reach_(parts.space),
      entry_(parts.port, packets_, parts.overtaking == 0,
             {[](void* dma, u64 packet, u64) { static_cast<LinkedDma*>(dma)->performed(packet); }, this}),
      host_({.memory = parts.host_memory,
             .place = parts.in_host_memory,
             .packets = packets_,
             .turns = entry_,
             .ordered = parts.overtaking == 0,
             .done = {[](void* dma, u64 packet, u64) { static_cast<LinkedDma*>(dma)->performed(packet); }, this}}) {}

/// Packets end at multiples of their largest size, as real packets end at such addresses.
void LinkedDma::cut(u64 address, u64 bytes, const PacketHead& like, const u8* from) {
  u64 room = parts_.packet - address % parts_.packet;
  for (u64 done = 0; done < bytes; room = parts_.packet) {
    const u64 at = address + done, some = std::min(bytes - done, room);
    const u32 number = packets_.take();
    Packet& packet = packets_[number];
    static_cast<PacketHead&>(packet) = like;
    packet.content.resize(some);
    packet.address = at;
    packet.bytes = static_cast<u32>(some);
    packet.last = done + some == bytes;
    if (from) {
      std::memcpy(packet.content.data(), from + done, some);
      packet.turn = entry_.next_turn();
    } else {
      packet.to += done;
    }
    done += some;
    parts_.own.send<&LinkedDma::at_switch>(LinkDirection::to_host, from ? some : 0, *this, number);
  }
}

void LinkedDma::read(u64 address, std::span<u8> to, u32 tag) {
  bytes_read_ += to.size();
  u32 number = static_cast<u32>(packets_left_.size());
  if (free_reads_.empty()) {
    packets_left_.push_back(0);
  } else {
    number = free_reads_.back();
    free_reads_.pop_back();
  }
  packets_left_[number] = static_cast<u32>((address + to.size() - 1) / parts_.packet - address / parts_.packet + 1);
  cut(address, to.size(), {.tag = tag, .read = number, .to = to.data()}, nullptr);
}

void LinkedDma::write(u64 address, std::span<const u8> from, u32 tag) {
  bytes_written_ += from.size();
  const bool completion = from.size() == sizeof(Completion);
  cut(address, from.size(), {.tag = tag, .write = true, .completion = completion}, from.data());
}

void LinkedDma::at_switch(u64 number, u64) {
  Packet& packet = packets_[number];
  const bool left = packet.write && packet.last;
  const u32 tag = packet.tag;
  packet.host = parts_.port.map.place(packet.address / parts_.port.line * parts_.port.line).host;
  packet.hops = 0;
  go_on(number, 0);
  if (left) client_->moved(tag);
}

void LinkedDma::go_on(u64 number, u64) {
  Packet& packet = packets_[number];
  const std::vector<LinkTree::Hop>& all = route(packet);
  if (packet.hops == all.size()) return packet.host ? host_.enter(static_cast<u32>(number)) : at_gpu(number, 0);
  const LinkTree::Hop& next = all[packet.hops++];
  next.link->send<&LinkedDma::go_on>(next.direction, packet.write ? packet.bytes : 0, *this, number);
}

/// The answer of a read takes the same links, the other way.
void LinkedDma::go_back(u64 number, u64) {
  Packet& packet = packets_[number];
  if (packet.hops == 0)
    return static_cast<void>(
        parts_.own.send<&LinkedDma::answered>(LinkDirection::to_device, packet.bytes, *this, number));
  const LinkTree::Hop& next = route(packet)[--packet.hops];
  const bool up = next.direction == LinkDirection::to_host;
  next.link->send<&LinkedDma::go_back>(up ? LinkDirection::to_device : LinkDirection::to_host, packet.bytes, *this,
                                       number);
}

void LinkedDma::at_gpu(u64 number, u64) {
  const Packet& packet = packets_[number];
  const bool late = packet.write && !packet.completion;
  if (late && parts_.overtaking > 0)
    parts_.wheel.at<&LinkedDma::enter>(parts_.wheel.now() + parts_.overtaking, *this, number);
  else
    enter(number, 0);
}

void LinkedDma::performed(u64 number) {
  const Packet& packet = packets_[number];
  if (!packet.write) return go_back(number, 0);
  const u64 turn = packet.turn;
  packets_.give_back(static_cast<u32>(number));
  entry_.written(turn);
  host_.written();
}

void LinkedDma::answered(u64 number, u64) {
  const Packet& packet = packets_[number];
  std::memcpy(packet.to, packet.content.data(), packet.bytes);
  const u32 read = packet.read, tag = packet.tag;
  packets_.give_back(static_cast<u32>(number));
  if (--packets_left_[read] > 0) return;
  free_reads_.push_back(read);
  client_->moved(tag);
}

}  // namespace ew::storage
