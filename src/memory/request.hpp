// What travels between agents' private caches, homes and each other: one small value. Bytes that travel with it lie in
// a pool (Payloads) and go by index, so that a message can be copied freely.
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <string_view>
#include <vector>

#include "core/accounts.hpp"
#include "core/host_caches.hpp"
#include "memory/atomics.hpp"

namespace ew::memory {

/// Who originates requests: an SM, a core of the host, a port of a copy engine. SMs come first.
using AgentId = u16;
inline constexpr AgentId no_agent = 0xffff;
inline constexpr u32 most_agents = 256;
inline constexpr u32 no_access = ~u32{0};  // an access that no agent waits for: a line of the store buffer

inline constexpr u32 word_bytes = 4, longest_line = 128;  // a line has 64 or 128 bytes: PrivateCacheConfig::line
/// One bit a word of a line.
using WordMask = u32;

/// Bits that are set.
inline u32 count_of(u64 bits) {
  return static_cast<u32>(std::popcount(bits));
}
inline u32 count_of(WordMask words) {
  return static_cast<u32>(std::popcount(words));
}

/// Where a line lives. An agent resolves it once (AddressMap::place), and it travels with the access and its messages.
struct Place {
  u64 physical : 55 = 0;   // simulated; of all memory
  u64 host : 1 = 0;        // behind the host link, and volatile: no private cache keeps it
  u64 persistent : 1 = 0;  // a pool's: a store to it is a persist
  u64 shared : 1 = 0;      // the host's own loads and stores reach it, past the machine
  u64 mmio : 1 = 0;        // registers of a device (Region::mmio): every access goes there, once each
  bool operator==(const Place&) const = default;
};
static_assert(sizeof(Place) == 8);

/// One bit a byte of a line.
struct ByteMask {
  std::array<u64, 2> bits{};
  bool any() const { return bits[0] | bits[1]; }
  bool operator==(const ByteMask&) const = default;
  ByteMask operator&(const ByteMask& o) const { return {{bits[0] & o.bits[0], bits[1] & o.bits[1]}}; }
  ByteMask operator|(const ByteMask& o) const { return {{bits[0] | o.bits[0], bits[1] | o.bits[1]}}; }
  ByteMask operator~() const { return {{~bits[0], ~bits[1]}}; }
  u32 count() const { return count_of(bits[0]) + count_of(bits[1]); }
};

/// Records that travel with messages, and go by number. Grows to the working size of a run and stays there.
template <class Record>
class RecordPool {
 public:
  u32 take() {
    if (free_.empty()) grow();
    const u32 id = free_.back();
    free_.pop_back();
    return id;
  }
  void give_back(u32 id) { free_.push_back(id); }
  Record& operator[](u32 id) { return (*chunks_[id / chunk])[id % chunk]; }
  /// It will be looked at soon: its first lines come into the host's caches.
  void expect(u32 id) const {
    if (id / chunk >= chunks_.size()) return;  // a number of another pool
    const char* const record = reinterpret_cast<const char*>(&(*chunks_[id / chunk])[id % chunk]);
    core::prefetch(record);
    core::prefetch(record + 64);
  }
  u64 in_use() const { return chunks_.size() * chunk - free_.size(); }

 private:
  void grow() {
    const u32 first = static_cast<u32>(chunks_.size() * chunk);
    chunks_.push_back(std::make_unique<std::array<Record, chunk>>());
    free_.reserve(chunks_.size() * chunk);
    for (u32 i = chunk; i-- > 0;) free_.push_back(first + i);
  }

  static constexpr u32 chunk = 64;
  std::vector<std::unique_ptr<std::array<Record, chunk>>> chunks_;  // a record stays where it is
  std::vector<u32> free_;
};

/// Bytes of one line on their way, and which of them mean something.
struct Payload {
  alignas(64) std::array<u8, longest_line> bytes;
  ByteMask valid;
};
using PayloadId = u32;
inline constexpr PayloadId no_payload = ~u32{0};

/// A poll that its home may hold: a load that has found the same bytes again and again, at a steady pace. The home
/// answers it in the round in which a poll would first find something else (docs/semantics/timing-sm.md).
struct HeldPoll {
  alignas(64) std::array<u8, longest_line> expected;  // bytes of the line, as the polls before have found them
  ByteMask bytes;                                     // those that are polled
  u64 period = 0;                                     // cycles from one round to the next
  u64 waits = 0;                                      // … of which it waits for its home and its ports
  u64 held = 0;                                       // cycles that it has been held
  u32 most = 0;                                       // rounds that it may be held
  u32 rounds = 0;                                     // … that it has been held

  /// Whether a poll would find what those before it have found.
  bool finds_the_same(const u8* line) const;
};

/// The pools: bytes of lines, and atomics and held polls for homes.
class Payloads {
 public:
  /// A payload with no valid byte.
  PayloadId take() {
    const PayloadId id = lines_.take();
    lines_[id].valid = {};
    return id;
  }
  /// A payload for words that its receiver does not own: nobody looks at Payload::valid, and it is left as it is.
  PayloadId take_for_reader() { return lines_.take(); }
  void give_back(PayloadId id) { lines_.give_back(id); }
  Payload& operator[](PayloadId id) { return lines_[id]; }
  /// It will be looked at soon. Any number: that of an atomic's record brings nothing of use.
  void expect(PayloadId id) const { lines_.expect(id); }
  u64 in_use() const { return lines_.in_use() + atomics.in_use() + polls.in_use(); }

  RecordPool<LineAtomic> atomics;
  RecordPool<HeldPoll> polls;

 private:
  RecordPool<Payload> lines_;
};

enum class RequestKind : u8 {
  // agent to home
  read,        // words of a line; the copy may be kept in the private cache
  read_once,   // the same for lanes alone: nothing is kept (ld.cg, volatile, strong loads where the protocol says so)
  own,         // the right to write words, with the content of those that Request::content names
  write,       // bytes into the coherent image (write-through); answered by `written`
  atomic,      // lanes read and change cells of the image, at the home; answered by `data`
  reduction,   // the same without a value to return; answered by `written`
  write_back,  // owned bytes return to the image and the ownership with them; answered by `written`
  clean,       // owned bytes come to the image, and the ownership stays; answered by `written`
  // home to agent, or, forwarded, agent to agent
  data,     // words (payload; its mask: what a new owner must write back) and how they may be used: answers read,
            // read_once, own, atomic
  written,  // the bytes are in the image: visible to every agent
  durable,  // the bytes of a request with `persist` are in the persistence domain: follows its `written` or `data`
  probe,    // Request::probe says what the private cache does with its copy; answered by probe_answer
  forward,  // answer the request of `origin` directly, with what you own; answered by `data` there
  // agent to home
  probe_answer  // words that were answered for, and the bytes that were dirty; also the receipt for forwarded data
};
std::string_view name_of(RequestKind);

/// What becomes of an agent's copy. Bytes that were dirty come with the answer.
enum class ProbeKind : u8 {
  none,       // it stays as it is, dirty bytes included
  clean,      // it stays as it is, and is dirty no more
  downgrade,  // owned words become valid
  invalidate  // the words become invalid
};

/// Where a value came from: what the stall breakdown and the latency tables tell apart (thesis, section 1.2).
enum class ServedBy : u8 { none, private_cache, merged, home, remote_cache, device, host };

/// What a message weighs on the network and in the traffic figures (thesis, section 2.6: read, write, atomic, …).
/// persist: requests with Request::persist and their answers.
enum class Traffic : u8 { read, own, write, write_back, atomic, probe, dma, persist };
inline constexpr u32 traffic_classes = 8;

/// A message. Copied freely.
struct Request {
  u64 line = 0;                    // address of its first byte: a host virtual address
  Place place;                     // of the line
  WordMask words = 0;              // asked for, granted, probed
  PayloadId payload = no_payload;  // owned by whoever holds the message. Of an atomic, a reduction and their answers:
                                   // in Payloads::atomics; of a poll that may be held: in Payloads::polls
  u32 access = 0;  // the agent's number of what waits for the answer (no_access: nothing); comes back with it
  u32 ticket = 0;  // the private cache's own number (MSHR, generation of writes); comes back with the answer
  AgentId origin = no_agent;             // who asked
  AgentId target = no_agent;             // of a forward or probe: whose copy
  core::Account account = core::nobody;  // who caused it; its answers and what they cause have the same
  u16 slice = 0;                         // the home's
  RequestKind kind = RequestKind::read;
  ProbeKind probe = ProbeKind::none;
  u8 part = 0;                          // of the access
  bool owned = false;                   // of data: with the right to write
  ServedBy served_by = ServedBy::none;  // of an answer
  u8 lanes = 1;                         // of an atomic or reduction: what the home's throughput counts
  Traffic traffic = Traffic::read;      // of the request; its answers have the same
  /// Of write, write_back, atomic and reduction, to a persistent line: written through to the NVM at once; answered as
  /// ever (visible), then by `durable` with the same access and ticket.
  /// Its value is the private cache's own number and comes back with it; 0: none of this.
  u8 persist = 0;
  u8 flush = 0;  // of a line's dirty bytes: the private cache's own number, as well; 0: of one access alone
  /// Of a forward and its data: the home holds the line until it has heard from both agents.
  bool held : 1 = false;
  /// Of a request to a home: copies of other lines took the line's place, so clean sectors come anew.
  bool displaced : 1 = false;
  /// Of a persist: a fence has sent it (nvm.fence_bandwidth).
  bool fence : 1 = false;
  /// Of a read_once: the home may hold it.
  bool poll : 1 = false;
  /// Of an own: whatever the agent wants to know when another asks for the words. The home keeps it with the owner.
  u16 tag = 0;
  /// Of a read: the words that are waited for; the others come as well if the home has them. Of an own: the words that
  /// must come with their content. Of data: the words whose bytes are here; `words` are those that were waited for.
  WordMask content = 0;
};
static_assert(sizeof(Request) <= 56);

}  // namespace ew::memory
