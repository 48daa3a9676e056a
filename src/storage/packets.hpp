// The packets of a drive's DMA that are on their way. Each has a number. Owned by LinkedDma.
#pragma once

#include <deque>
#include <vector>

#include "core/types.hpp"

namespace ew::storage {

struct Packet {
  u32 tag = 0;
  bool write = false, completion = false, last = false;  // last: the last packet of its read or write
  u64 address = 0;
  u32 bytes = 0;
  u64 turn = 0;             // for a write: its place in the order of calls
  u32 read = 0;             // for a read: its number
  u8* to = nullptr;         // for a read: the destination
  std::vector<u8> content;  // the packet's bytes
};

class Packets {
 public:
  u32 take() {
    if (free_.empty()) {
      all_.emplace_back();
      return static_cast<u32>(all_.size() - 1);
    }
    const u32 packet = free_.back();
    free_.pop_back();
    return packet;
  }
  void give_back(u32 packet) { free_.push_back(packet); }
  Packet& operator[](u64 packet) { return all_[packet]; }
  std::size_t under_way() const { return all_.size() - free_.size(); }

 private:
  std::deque<Packet> all_;  // a deque: references to packets stay valid
  std::vector<u32> free_;
};

}  // namespace ew::storage
