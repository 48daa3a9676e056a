#include "check/host_order.hpp"

#include <algorithm>
#include <array>

namespace ew::check {

// --- Commands

void HostOrder::submit(std::span<const u64> words) {
  Command& command = commands_[words[0]];
  command.nodes = host_;
  command.after.assign(words.begin() + 1, words.end());
}

HostOrder::Command& HostOrder::resolve(u64 ticket) {
  std::vector<u64> open{ticket};
  while (!open.empty()) {
    Command& command = commands_[open.back()];
    const std::size_t before = open.size();
    if (!command.resolved)
      for (const u64 other : command.after)
        if (!commands_[other].resolved) open.push_back(other);
    if (open.size() > before) continue;
    open.pop_back();
    if (command.resolved) continue;
    command.resolved = true;
    for (const u64 other : command.after) {
      command.nodes.order = graph_.join(command.nodes.order, commands_[other].nodes.order);
      command.nodes.durable = graph_.join(command.nodes.durable, commands_[other].nodes.durable);
    }
    command.after = {};
  }
  return commands_[ticket];
}

HostOrder::Nodes HostOrder::begin(u64 ticket) {
  return resolve(ticket).nodes;
}

void HostOrder::end(u64 ticket, std::span<const u32> order, std::span<const u32> durable) {
  Nodes& nodes = commands_[ticket].nodes;
  nodes.order = graph_.join(nodes.order, graph_.join(order));
  nodes.durable = graph_.join(nodes.durable, graph_.join(durable));
  ended_.push_back(ticket);
}

void HostOrder::transfer(std::span<const u64> words, bool cached) {
  const u64 ticket = words[0];
  const Nodes before = begin(ticket);
  std::vector<u32> made{before.order};
  for (std::size_t i = 1; i + 2 < words.size(); i += 3) {
    made.push_back(persists_.add({.address = words[i], .value = words[i + 2], .bytes = static_cast<u8>(words[i + 1])},
                                 std::array{axioms_.unordered() || cached ? 0 : before.order, before.durable}));
    if (cached) rests_in_cache(made.back());
  }
  Nodes& nodes = commands_[ticket].nodes;
  if (!cached) {
    nodes.order = graph_.join(made);
    if (axioms_.durable_at_end) nodes.durable = graph_.join(nodes.durable, nodes.order);
  }
  ended_.push_back(ticket);
}

void HostOrder::flush(u64 ticket, u64 begin_byte, u64 end_byte) {
  begin(ticket);
  std::vector<u32> now = cover(begin_byte, end_byte);
  Nodes& nodes = commands_[ticket].nodes;
  now.push_back(nodes.durable);
  nodes.durable = graph_.join(now);
  if (!axioms_.unordered()) nodes.order = graph_.join(nodes.order, nodes.durable);
  ended_.push_back(ticket);
}

// --- The host

void HostOrder::wait(u64 ticket) {
  const Nodes nodes = resolve(ticket).nodes;
  host_.order = graph_.join(host_.order, nodes.order);
  host_.durable = graph_.join(host_.durable, nodes.durable);
}

void HostOrder::wait_for_all(u64 last) {
  for (const u64 ticket : ended_)
    if (ticket <= last) wait(ticket);
  std::erase_if(ended_, [&](u64 ticket) { return ticket <= last; });
}

void HostOrder::store(std::span<const u64> words) {
  for (std::size_t i = 0; i + 2 < words.size(); i += 3) {
    const Persist persist{.address = words[i], .value = words[i + 2], .bytes = static_cast<u8>(words[i + 1])};
    rests_in_cache(persists_.add(persist, std::array{axioms_.unordered() ? 0 : host_.order, host_.durable}));
  }
}

void HostOrder::rests_in_cache(u32 node) {
  open_.emplace(graph_.persist(graph_.persist_at(node)).address, node);
}

std::vector<u32> HostOrder::cover(u64 begin, u64 end) {
  constexpr u64 longest = 8;  // of a persist, in bytes
  std::vector<u32> covered;
  for (auto next = open_.lower_bound(begin - std::min(begin, longest - 1)); next != open_.end() && next->first < end;) {
    const auto [address, node] = *next;
    const bool inside = address + graph_.persist(graph_.persist_at(node)).bytes > begin;
    if (inside) covered.push_back(node);
    next = inside ? open_.erase(next) : std::next(next);
  }
  std::ranges::sort(covered);
  return covered;
}

void HostOrder::persist(u64 begin, u64 end) {
  std::vector<u32> now = cover(begin, end);
  now.push_back(host_.durable);
  host_.durable = graph_.join(now);
  if (!axioms_.unordered()) host_.order = graph_.join(host_.order, host_.durable);
}

void HostOrder::end_pool(u64 address) {
  u64 end = ~u64{0};
  for (const EventFile::Pool& pool : events_.pools())
    if (pool.address == address) end = pool.end();
  wait_for_all(~u64{0});
  host_.durable = graph_.join(host_.durable, host_.order);
  persist(address, end);
}

void HostOrder::acknowledge(u64 progress) {
  graph_.acknowledge(promised(), progress);
}

/// The pools' files are made in the order of EventFile::pools(). When a file is made, all that the model has promised
/// to the host is durable.
void HostOrder::map_pool(u64 address) {
  const std::size_t mapped = graph_.mappings().size();
  if (mapped < events_.pools().size() && events_.pools()[mapped].address == address) graph_.map(promised(), mapped + 1);
}

}  // namespace ew::check
