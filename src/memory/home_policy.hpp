// The shared half of a coherence protocol: what a home does for a request. A home policy has no clock, no I/O and no
// statistics. It sees one request at a time, and the record of the request's line. It answers with a short list: words
// that the home grants, words that their owners are asked for (forwards), agents that must give up copies (probes).
// The home carries the list out. The other half is memory/agent_policy.hpp; coherence/ has the protocols.
#pragma once

#include <array>
#include <bit>
#include <span>

#include "memory/agent_policy.hpp"

namespace ew::memory {

inline constexpr u32 most_words = longest_line / word_bytes;

struct AgentSet {
  std::array<u64, most_agents / 64> bits{};
  void add(AgentId agent) { bits[agent / 64] |= u64{1} << (agent % 64); }
  void remove(AgentId agent) { bits[agent / 64] &= ~(u64{1} << (agent % 64)); }
  bool has(AgentId agent) const { return bits[agent / 64] >> (agent % 64) & 1; }
  bool any() const {
    u64 some = 0;
    for (const u64 part : bits) some |= part;
    return some;
  }
  template <class Visitor>
  void each(Visitor&& visit) const {
    for (u32 i = 0; i < bits.size(); ++i)
      for (u64 left = bits[i]; left; left &= left - 1)
        visit(static_cast<AgentId>(i * 64 + static_cast<u32>(std::countr_zero(left))));
  }
};

/// What a home knows of the private copies of a line. A home policy keeps in it what it needs.
struct LineRecord {
  AgentSet sharers;
  std::array<AgentId, most_words> owner;  // of each word (no_agent: the image is current)
  std::array<u16, most_words> tag{};      // Request::tag of the request that made it the owner

  LineRecord() { owner.fill(no_agent); }
};

/// Words of one owner, with one tag.
struct OwnedWords {
  AgentId owner;
  u16 tag;
  WordMask words;
};

/// What a home does for a request. Filled by at_home().
class Decision {
 public:
  /// Words that the home answers itself, from the image. Of a write-back: words that are taken.
  WordMask granted = 0;
  WordMask kept = 0;   // of these, words that the requester owns already: their content is not sent
  bool owned = false;  // granted and forwarded words come with the right to write
  /// Agents that are probed about the whole line before anything is granted. The home holds the line until all have
  /// answered.
  AgentSet probes;
  ProbeKind probe = ProbeKind::none;

  /// What happens to words that others own. forward: their owners answer the requester. probe: they answer the home
  /// (`probe` says how), which holds the line until then and grants what is to be granted.
  enum class Owners : u8 { forward, probe };
  Owners owners_are = Owners::forward;
  /// What becomes of the copy of an owner that a request is forwarded to. Without `hold`: none, or invalidate with
  /// `owned`, so that dirty bytes stay with an owner.
  ProbeKind forwarded = ProbeKind::none;
  /// The home holds the line until the owners have answered and the requester has what they sent. What an owner has no
  /// more, the home grants in its place. Else the request is over for the home: an owner answers for its words until
  /// the home has taken their write-back.
  bool hold = false;

  /// This word is another agent's.
  void ask_owner(AgentId owner, u16 tag, u32 word) {
    for (u32 i = 0; i < count_; ++i)
      if (owners_[i].owner == owner && owners_[i].tag == tag) {
        owners_[i].words |= WordMask{1} << word;
        return;
      }
    owners_[count_++] = {owner, tag, WordMask{1} << word};
  }
  /// All these words are.
  void ask_owner(const OwnedWords& some) { owners_[count_++] = some; }
  std::span<const OwnedWords> owners() const { return {owners_.data(), count_}; }

  bool probes_owners() const { return count_ && owners_are == Owners::probe; }
  bool forwards() const { return count_ && owners_are == Owners::forward; }
  /// Words about which this agent is probed.
  WordMask probed_of(AgentId agent) const {
    WordMask words = probes.has(agent) ? ~WordMask{0} : 0;
    if (owners_are == Owners::probe)
      for (const OwnedWords& some : owners()) words |= some.owner == agent ? some.words : 0;
    return words;
  }

 private:
  u32 count_ = 0;
  std::array<OwnedWords, most_words> owners_;  // a word has one owner
};

class HomePolicy {
 public:
  explicit HomePolicy(HomeKind kind) : kind_(kind) {}
  virtual ~HomePolicy() = default;

  HomeKind kind() const { return kind_; }
  /// The home keeps a record of each of its lines, and recalls the copies of a line before it evicts it.
  bool tracks() const { return kind_ != HomeKind::none; }
  /// One request at the home of its line. `record` is changed to what holds once the decision is carried out.
  virtual void at_home(const Request&, LineRecord& record, Decision&) const = 0;

 private:
  HomeKind kind_;
};

}  // namespace ew::memory
