// Order between kernels, copies and the host: a kernel's end is a synchronisation at device scope with what its stream,
// or a host that has waited for it, begins later.
#include <algorithm>
#include <array>

#include "check/persist_builder.hpp"

namespace ew::check {

void PersistBuilder::submit(std::span<const u64> words) {
  Command& command = commands_[words[0]];
  command.order = host_.order;
  command.durable = host_.durable;
  command.after.assign(words.begin() + 1, words.end());
}

/// REQUIRES: the commands that it waits for are over.
PersistBuilder::Command& PersistBuilder::resolve(u64 ticket) {
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
      command.order = graph_.join(command.order, commands_[other].order);
      command.durable = graph_.join(command.durable, commands_[other].durable);
    }
    command.after = {};
  }
  return commands_[ticket];
}

void PersistBuilder::wait(const EventRecord& record, u64 ticket) {
  const auto see = [&](u64 one) {
    const Command& command = resolve(one);
    host_.order = graph_.join(host_.order, command.order);
    host_.durable = graph_.join(host_.durable, command.durable);
  };
  if (record.pc == 0) return see(ticket);
  for (const u64 one : ended_)
    if (one <= ticket) see(one);
  std::erase_if(ended_, [&](u64 one) { return one <= ticket; });
}

void PersistBuilder::begin_launch(const EventRecord& record, std::span<const u64> words) {
  const Command& command = resolve(words[0]);
  auto launch = std::make_unique<Launch>();
  launch->order = unordered() ? 0 : command.order;
  launch->durable = command.durable;
  launch->blocks.resize(words[2]);
  launches_.resize(record.launch + 1);
  launches_[record.launch] = std::move(launch);
}

void PersistBuilder::end_launch(const EventRecord& record) {
  Launch& launch = *launches_[record.launch];
  const u64 ticket = events_.launches()[record.launch].ticket;
  std::vector<u32> order{launch.order}, durable{launch.durable};
  for (auto& block : launch.blocks) {
    if (!block) continue;
    for (Thread& thread : block->threads) {
      if (thread.barrier) leave_barrier(*block, thread);
      if (gpm()) wait_until_durable(thread);
      if (const u32 all = out(thread); all && all != order.back()) order.push_back(all);
      if (thread.durable && thread.durable != durable.back()) durable.push_back(thread.durable);
    }
  }
  Command& command = commands_[ticket];
  command.order = graph_.join(command.order, graph_.join(order));
  command.durable = graph_.join(command.durable, graph_.join(durable));
  ended_.push_back(ticket);
  launches_[record.launch].reset();
}

void PersistBuilder::host_store(std::span<const u64> words) {
  for (std::size_t i = 0; i + 2 < words.size(); i += 3) {
    const Persist persist{.address = words[i], .value = words[i + 2], .bytes = static_cast<u8>(words[i + 1])};
    host_.open.push_back(add_persist(persist, std::array{unordered() ? 0 : host_.order, host_.durable}));
  }
}

/// A persist call of the host, or the end of a pool.
void PersistBuilder::host_persist(u64 begin, u64 end) {
  if (end == ~u64{0}) {
    for (const EventFile::Pool& pool : events_.pools())
      if (pool.address == begin) end = pool.end();
    wait(EventRecord{.pc = 1}, ~u64{0});
    host_.durable = graph_.join(host_.durable, host_.order);
  }
  std::vector<u32> now{host_.durable};
  std::erase_if(host_.open, [&](u32 node) {
    const Persist& store = graph_.persist(graph_.persist_at(node));
    if (store.address + store.bytes <= begin || store.address >= end) return false;
    now.push_back(node);
    return true;
  });
  host_.durable = graph_.join(now);
  if (!unordered()) host_.order = graph_.join(host_.order, host_.durable);
}

void PersistBuilder::transfer(std::span<const u64> words) {
  const u64 ticket = words[0];
  const Command before = resolve(ticket);
  std::vector<u32> made{before.order};
  for (std::size_t i = 1; i + 2 < words.size(); i += 3)
    made.push_back(add_persist({.address = words[i], .value = words[i + 2], .bytes = static_cast<u8>(words[i + 1])},
                               std::array{unordered() ? 0 : before.order, before.durable}));
  Command& command = commands_[ticket];
  command.order = graph_.join(made);
  if (gpm()) command.durable = graph_.join(command.durable, command.order);
  ended_.push_back(ticket);
}

/// Promised to be durable: what the host knows to be; where what is performed is durable, all that has been performed.
void PersistBuilder::acknowledged(u64 progress) {
  graph_.acknowledge(model_ == PersistModel::strict ? last_persist_ : host_.durable, progress);
}

/// The files of pools are made in the order of EventFile::pools(), each behind what the host knows to be durable.
void PersistBuilder::pool_mapped(u64 address) {
  const std::size_t mapped = graph_.mappings().size();
  if (mapped < events_.pools().size() && events_.pools()[mapped].address == address)
    graph_.map(model_ == PersistModel::strict ? last_persist_ : host_.durable, mapped + 1);
}

}  // namespace ew::check
