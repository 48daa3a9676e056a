// What strong accesses of one location bring from thread to thread: psw, csw with chains of atomics, and what epoch
// persistency makes of conflicts.
#include <algorithm>
#include <array>

#include "check/persist_builder.hpp"

namespace ew::check {
namespace {

bool is_release(EventAction action) {
  return action == EventAction::release || action == EventAction::acq_rel;
}
bool is_acquire(EventAction action) {
  return action == EventAction::acquire || action == EventAction::acq_rel;
}

}  // namespace

Scope PersistBuilder::wide(Scope scope) const {
  return widened() ? Scope::sys : scope;
}

PersistBuilder::Flag& PersistBuilder::flag_of(const Lane& lane) {
  return lane.address & simt::shared_address ? lane.block->shared[lane.address] : flags_[lane.address];
}

PersistBuilder::Flag* PersistBuilder::known_flag(const Lane& lane) {
  if (flags_.empty()) return nullptr;
  const auto found = flags_.find(lane.address);
  return found == flags_.end() ? nullptr : &found->second;
}

/// Epoch: the access as an event that conflicts with others of its location. Returns its node.
u32 PersistBuilder::flag_event(const Lane& lane, Flag& flag, bool writes) {
  std::vector<u32> before{lane.thread->in, flag.last.node};
  if (writes) before.insert(before.end(), flag.reads.begin(), flag.reads.end());
  const u32 node = graph_.join(before);
  if (writes)
    flag.reads.clear();
  else if (node)
    flag.reads.push_back(node);
  if (node) lane.thread->open.push_back(node);
  return node;
}

/// Says which sides of a synchronisation are too narrow as written.
u32 PersistBuilder::mark_widened(u32 node, const Write& write, const Lane& lane) {
  if (!widened() || !node || write.block == lane.block_id) return node;
  Widening widening{.release = write.writer, .acquire = side_of(*lane.record)};
  widening.release.narrow = write.writer.scope < Scope::gpu;
  widening.acquire.narrow = lane.record->scope < Scope::gpu;
  return widening.changes() ? graph_.widen(node, widening) : node;
}

/// The read takes everything that the writer had done: as if both were a release and an acquire, which they may be.
void PersistBuilder::acquire_anyway(const Write& write, const Lane& lane) {
  if (!write.everything) return;
  Widening widening{.release = write.writer, .acquire = side_of(*lane.record)};
  const EventAction writes = write.writer.action, reads = lane.record->action;
  const bool for_pacq = writes == EventAction::prel, for_acquire = is_release(writes) || writes == EventAction::fence;
  const bool is_pacq = reads == EventAction::pacq;
  widening.one_block = write.block == lane.block_id;
  widening.release.loose = (!for_pacq && !for_acquire) || (is_pacq && !for_pacq);
  widening.acquire.loose = (!is_pacq && !is_acquire(reads)) || (for_pacq && !is_pacq);
  if (!widening.one_block) {
    widening.release.narrow = write.writer.scope < Scope::gpu;
    widening.acquire.narrow = lane.record->scope < Scope::gpu;
  }
  acquire(*lane.thread, graph_.widen(write.everything, widening));
}

void PersistBuilder::read_flag(const Lane& lane, u64 value, bool part_of_atomic) {
  Thread& thread = *lane.thread;
  const EventRecord& record = *lane.record;
  Flag& flag = flag_of(lane);
  if (!part_of_atomic) {  // a loop that finds the same again says nothing new
    const bool same = thread.spun_at == lane.address && thread.spun_writes == flag.writes;
    thread.spun_at = lane.address;
    thread.spun_writes = flag.writes;
    if (same) return;
  }
  const Write* from = &flag.last;
  if (!part_of_atomic && from->value != value) {
    const auto found = std::find_if(flag.before.rbegin(), flag.before.rend(),
                                    [&](const Write& write) { return write.value == value; });
    if (found != flag.before.rend()) from = &*found;
  }
  thread.durable = graph_.join(thread.durable, from->durable);
  if (epoch()) {
    if (!part_of_atomic) flag_event(lane, flag, false);
    if (record.action == EventAction::pacq) order_own(thread);
    return;
  }
  if (!scoped()) return;
  if (synced()) acquire_anyway(*from, lane);
  const Scope scope = wide(record.scope);
  u32 psw = 0, csw_block = 0, csw_device = 0;
  for (const Published& published : from->published) {
    if (published.block != 0 ? published.block != lane.block_id || scope < Scope::cta : scope < Scope::gpu) continue;
    psw = graph_.join(psw, published.psw);
    (published.block ? csw_block : csw_device) = graph_.join(published.block ? csw_block : csw_device, published.csw);
  }
  if (record.action == EventAction::pacq) acquire(thread, mark_widened(psw, *from, lane));
  if (is_acquire(record.action)) {
    acquire(thread, csw_block);
    acquire(thread, mark_widened(csw_device, *from, lane));
  } else {
    thread.pending_block = graph_.join(thread.pending_block, csw_block);
    thread.pending_device = graph_.join(thread.pending_device, mark_widened(csw_device, *from, lane));
    if (csw_device) thread.pending_writer = from->writer;
  }
}

/// A store behind a fence: the fence is the release when nothing was persisted in between, and limits its scope.
void PersistBuilder::release_by_fence(Thread& thread, Widening::Side& writer) {
  if (thread.fence_scope < Scope::gpu) writer.pc = thread.fence_pc;
  writer.scope = std::min(writer.scope, thread.fence_scope);
  if (thread.fence_block == out(thread)) writer.action = EventAction::fence;
}

void PersistBuilder::write_flag(const Lane& lane, u64 value, bool part_of_atomic, u32 node) {
  Thread& thread = *lane.thread;
  const EventRecord& record = *lane.record;
  Flag& flag = flag_of(lane);
  Write write;
  write.value = value;
  write.node = node;
  write.block = lane.block_id;
  write.writer = side_of(record);
  write.durable = thread.durable;
  if (part_of_atomic) {  // it carries on what it has read
    write.published = flag.last.published;
    write.durable = graph_.join(write.durable, flag.last.durable);
  }
  const bool strong = record.action != EventAction::weak;
  if (scoped() && strong) {
    const Scope scope = wide(record.scope);
    const bool releases = is_release(record.action), prel = record.action == EventAction::prel;
    const u32 all = releases || prel ? out(thread) : 0;
    if (widened() && !releases && !prel && thread.fence_scope != Scope::none) release_by_fence(thread, write.writer);
    const auto publish = [&](u64 block, u32 psw, u32 csw) {
      if (!psw && !csw) return;
      for (Published& other : write.published) {
        if (other.block != block) continue;
        other.psw = graph_.join(other.psw, psw);
        other.csw = graph_.join(other.csw, csw);
        return;
      }
      write.published.push_back({block, psw, csw});
    };
    if (scope >= Scope::cta) publish(lane.block_id, prel ? all : 0, releases ? all : thread.fence_block);
    if (scope >= Scope::gpu) publish(0, prel ? all : 0, releases ? all : thread.fence_device);
  }
  if (synced()) write.everything = graph_.join(part_of_atomic ? flag.last.everything : 0, out(thread));
  constexpr std::size_t remembered = 16;
  if (flag.before.size() == remembered) flag.before.erase(flag.before.begin());
  ++flag.writes;
  flag.before.push_back(std::move(flag.last));
  flag.last = std::move(write);
}

}  // namespace ew::check
