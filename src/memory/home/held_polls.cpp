#include "memory/home/held_polls.hpp"

#include <algorithm>

namespace ew::memory {
namespace {

// So many polls that are held at one home are in each other's way.
constexpr u32 crowd = 8;
// Waits are alike if they differ by less than this part of a round.
constexpr u64 tolerance = 8;

}  // namespace

bool HeldPolls::hold(const Request& request) {
  HeldPoll& poll = p_.around.payloads.polls[request.payload];
  if (poll.rounds >= poll.most || request.displaced || p_.tracks || p_.queue.any_blocked()) return false;
  const u32 way = p_.lines.find(request.line, request.place);
  if (way == no_way || p_.lines[way].mshr != no_number || p_.sectors.of(request.words) & ~p_.lines[way].valid)
    return false;
  copy_from_image(bytes_.data(), request.line, request.words);
  if (!poll.finds_the_same(bytes_.data())) return false;
  ++p_.counts->read_hits;
  p_.lines.used(way);
  const Node agent = static_cast<Node>(request.origin), home = static_cast<Node>(p_.around.agents + p_.around.slice);
  const u64 waits =
      p_.departures.wait() + p_.around.network.charge(agent, home, request.account, 0, request.traffic) +
      p_.around.network.charge(home, agent, request.account, count_of(request.words) * word_bytes, request.traffic);
  if (poll.rounds++ == 0) poll.waits = waits;
  const u64 alike = poll.waits + poll.period / tolerance;
  const u64 next = poll.period + (under_way_ < crowd ? 0 : std::max(waits, alike) - alike);
  poll.held += next;
  u32 number = free_;
  if (number == no_number) {
    number = static_cast<u32>(held_.size());
    held_.emplace_back();
  } else {
    free_ = held_[number].next_free;
  }
  held_[number].request = request;
  ++under_way_;
  p_.around.wheel.at<&HeldPolls::next_round>(p_.now() + next, *this, number);
  return true;
}

void HeldPolls::next_round(u64 number, u64) {
  const Request request = held_[number].request;
  held_[number].next_free = free_;
  free_ = static_cast<u32>(number);
  --under_way_;
  home_.receive(request);
}

}  // namespace ew::memory
