// The packets of a drive's DMA that are on their way. Each has a number. Owned by LinkedDma.
#pragma once

#include <vector>

#include "memory/request.hpp"

namespace ew::storage {

/// What is known of a packet when it leaves, apart from its bytes.
struct PacketHead {
  u32 tag = 0;
  bool write = false, completion = false, last = false;  // last: the last packet of its read or write
  bool host = false;                                     // to the host's memory; known from the switch on
  u64 address = 0;
  u32 bytes = 0;
  u32 hops = 0;        // links of its route that it has taken, or still has to take on the way back
  u32 lines_left = 0;  // on their way to homes
  u64 turn = 0;        // for a write: its place in the order of calls
  u32 read = 0;        // for a read: its number
  u8* to = nullptr;    // for a read: the destination
};
struct Packet : PacketHead {
  std::vector<u8> content;  // the packet's bytes
};

class Packets {
 public:
  u32 take() { return all_.take(); }
  void give_back(u32 packet) { all_.give_back(packet); }
  Packet& operator[](u64 packet) { return all_[static_cast<u32>(packet)]; }
  std::size_t under_way() const { return all_.in_use(); }

 private:
  memory::RecordPool<Packet> all_;  // references to packets stay valid
};

}  // namespace ew::storage
