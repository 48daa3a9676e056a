#include "check/persist_synchronisation.hpp"

#include <algorithm>

namespace ew::check {
namespace {

using Across = PersistAxioms::Across;

/// An access or a fence, as one side of a synchronisation.
Widening::Side side_of(const EventRecord& record) {
  return {.launch = record.launch, .pc = record.pc, .scope = record.scope, .action = record.action};
}

bool is_release(EventAction action) {
  return action == EventAction::release || action == EventAction::acq_rel;
}
bool is_acquire(EventAction action) {
  return action == EventAction::acquire || action == EventAction::acq_rel;
}

/// Adds to what the write publishes to a block, or (0) to the device.
void add(FlagWrite& write, u64 block, u32 for_pacq, u32 for_acquire, PersistGraph& graph) {
  if (!for_pacq && !for_acquire) return;
  for (FlagWrite::Published& other : write.published) {
    if (other.block != block) continue;
    other.for_pacq = graph.join(other.for_pacq, for_pacq);
    other.for_acquire = graph.join(other.for_acquire, for_acquire);
    return;
  }
  write.published.push_back({block, for_pacq, for_acquire});
}

}  // namespace

// --- Fences

void PersistSynchronisation::fence(RecordedThread& thread, const EventRecord& record) {
  thread.order.order_own(graph_);
  if (axioms_.across != Across::releases) return;
  ThreadFences& fences = thread.fences;
  const Scope scope = axioms_.wide(record.scope);
  u32 read = fences.read_block;
  if (scope >= Scope::gpu) {
    u32 device = fences.read_device;
    if (device && record.scope < Scope::gpu) {
      Widening widening{.release = fences.writer, .acquire = side_of(record)};
      widening.acquire.narrow = true;
      device = graph_.widen(device, widening);
    }
    read = graph_.join(read, device);
    fences.read_device = 0;
  }
  thread.order.acquire(graph_, read);
  fences.read_block = 0;
  const u32 all = thread.order.out(graph_);
  fences.published_block = all;
  if (scope >= Scope::gpu) fences.published_device = all;
  fences.pc = record.pc;
  fences.scope = record.scope;
}

/// A store behind a fence. If nothing was persisted in between, the fence is the release, and limits its scope.
void PersistSynchronisation::release_by_fence(RecordedThread& thread, Widening::Side& writer) {
  const ThreadFences& fences = thread.fences;
  if (fences.scope < Scope::gpu) writer.pc = fences.pc;
  writer.scope = std::min(writer.scope, fences.scope);
  if (fences.published_block == thread.order.out(graph_)) writer.action = EventAction::fence;
}

// --- Flags

Flag& PersistSynchronisation::flag_of(const LaneAccess& lane) {
  return lane.address & simt::shared_address ? lane.block.shared[lane.address] : flags_[lane.address];
}

Flag* PersistSynchronisation::known_flag(const LaneAccess& lane) {
  if (flags_.empty()) return nullptr;
  const auto found = flags_.find(lane.address);
  return found == flags_.end() ? nullptr : &found->second;
}

u32 PersistSynchronisation::touch(const LaneAccess& lane, Flag& flag, bool writes) {
  std::vector<u32> before{lane.thread.order.in(), flag.last.node};
  if (writes) before.insert(before.end(), flag.reads.begin(), flag.reads.end());
  const u32 node = graph_.join(before);
  if (writes)
    flag.reads.clear();
  else if (node)
    flag.reads.push_back(node);
  if (node) lane.thread.order.performed(node);
  return node;
}

u32 PersistSynchronisation::join_reads(const LaneAccess& lane) {
  const Flag* const flag = known_flag(lane);
  return flag ? graph_.join(flag->reads) : 0;
}

// --- Reads

const FlagWrite& PersistSynchronisation::write_of(const Flag& flag, u64 value, bool part_of_atomic) const {
  if (part_of_atomic || flag.last.value == value) return flag.last;
  const auto found = std::find_if(flag.before.rbegin(), flag.before.rend(),
                                  [&](const FlagWrite& write) { return write.value == value; });
  return found == flag.before.rend() ? flag.last : *found;
}

void PersistSynchronisation::read(const LaneAccess& lane, u64 value, bool part_of_atomic) {
  RecordedThread& thread = lane.thread;
  Flag& flag = flag_of(lane);
  if (!part_of_atomic) {
    const bool same = thread.spun.address == lane.address && thread.spun.writes == flag.writes;
    thread.spun = {lane.address, flag.writes};
    if (same) return;
  }
  const FlagWrite& from = write_of(flag, value, part_of_atomic);
  thread.order.learn_durable(graph_, from.durable);
  if (axioms_.across == Across::conflicts) {
    if (!part_of_atomic) touch(lane, flag, false);
    if (lane.record.action == EventAction::pacq && axioms_.orders.has(memory::PersistOrder::p_acquire))
      thread.order.order_own(graph_);
    return;
  }
  if (axioms_.across != Across::releases) return;
  if (axioms_.releases.synced) acquire_anyway(lane, from);
  acquire_published(lane, from);
}

void PersistSynchronisation::acquire_published(const LaneAccess& lane, const FlagWrite& from) {
  const EventAction action = lane.record.action;
  const Scope scope = axioms_.wide(lane.record.scope);
  u32 for_pacq = 0, in_block = 0, in_device = 0;
  for (const FlagWrite::Published& published : from.published) {
    if (published.block != 0 ? published.block != lane.block_id || scope < Scope::cta : scope < Scope::gpu) continue;
    for_pacq = graph_.join(for_pacq, published.for_pacq);
    u32& reached = published.block ? in_block : in_device;
    reached = graph_.join(reached, published.for_acquire);
  }
  ThreadOrder& order = lane.thread.order;
  if (action == EventAction::pacq) order.acquire(graph_, mark_widened(for_pacq, lane, from));
  if (is_acquire(action)) {
    order.acquire(graph_, in_block);
    order.acquire(graph_, mark_widened(in_device, lane, from));
  } else {
    ThreadFences& fences = lane.thread.fences;
    fences.read_block = graph_.join(fences.read_block, in_block);
    fences.read_device = graph_.join(fences.read_device, mark_widened(in_device, lane, from));
    if (in_device) fences.writer = from.writer;
  }
}

/// Records which sides of a synchronisation have too narrow a scope in the program.
u32 PersistSynchronisation::mark_widened(u32 node, const LaneAccess& lane, const FlagWrite& write) {
  if (!axioms_.releases.widened || !node || write.block == lane.block_id) return node;
  Widening widening{.release = write.writer, .acquire = side_of(lane.record)};
  widening.release.narrow = write.writer.scope < Scope::gpu;
  widening.acquire.narrow = lane.record.scope < Scope::gpu;
  return widening.changes() ? graph_.widen(node, widening) : node;
}

/// Under synced axioms: the read acquires everything that the writer has done, as if they were an acquire and a
/// release.
void PersistSynchronisation::acquire_anyway(const LaneAccess& lane, const FlagWrite& write) {
  if (!write.everything) return;
  Widening widening{.release = write.writer, .acquire = side_of(lane.record)};
  const EventAction writes = write.writer.action, reads = lane.record.action;
  const bool for_pacq = writes == EventAction::prel, for_acquire = is_release(writes) || writes == EventAction::fence;
  const bool is_pacq = reads == EventAction::pacq;
  widening.one_block = write.block == lane.block_id;
  widening.release.loose = (!for_pacq && !for_acquire) || (is_pacq && !for_pacq);
  widening.acquire.loose = (!is_pacq && !is_acquire(reads)) || (for_pacq && !is_pacq);
  if (!widening.one_block) {
    widening.release.narrow = write.writer.scope < Scope::gpu;
    widening.acquire.narrow = lane.record.scope < Scope::gpu;
  }
  lane.thread.order.acquire(graph_, graph_.widen(write.everything, widening));
}

// --- Writes

void PersistSynchronisation::write(const LaneAccess& lane, Flag& flag, u64 value, bool part_of_atomic, u32 node) {
  RecordedThread& thread = lane.thread;
  FlagWrite write;
  write.value = value;
  write.node = node;
  write.block = lane.block_id;
  write.writer = side_of(lane.record);
  write.durable = thread.order.durable();
  if (part_of_atomic) {  // the write also publishes what the atomic has read
    write.published = flag.last.published;
    write.durable = graph_.join(write.durable, flag.last.durable);
  }
  if (axioms_.across == Across::releases && lane.record.action != EventAction::weak) publish(lane, write);
  if (axioms_.releases.synced)
    write.everything = graph_.join(part_of_atomic ? flag.last.everything : 0, thread.order.out(graph_));
  constexpr std::size_t remembered = 16;
  if (flag.before.size() == remembered) flag.before.erase(flag.before.begin());
  ++flag.writes;
  flag.before.push_back(std::move(flag.last));
  flag.last = std::move(write);
}

/// What a strong write publishes to the threads that its scope reaches. A release publishes everything. Another write
/// publishes what the thread's last fence has published.
void PersistSynchronisation::publish(const LaneAccess& lane, FlagWrite& write) {
  RecordedThread& thread = lane.thread;
  const Scope scope = axioms_.wide(lane.record.scope);
  const bool releases = is_release(lane.record.action), prel = lane.record.action == EventAction::prel;
  const u32 all = releases || prel ? thread.order.out(graph_) : 0, for_pacq = prel ? all : 0;
  if (axioms_.releases.widened && !releases && !prel && thread.fences.scope != Scope::none)
    release_by_fence(thread, write.writer);
  if (scope >= Scope::cta) add(write, lane.block_id, for_pacq, releases ? all : thread.fences.published_block, graph_);
  if (scope >= Scope::gpu) add(write, 0, for_pacq, releases ? all : thread.fences.published_device, graph_);
}

}  // namespace ew::check
