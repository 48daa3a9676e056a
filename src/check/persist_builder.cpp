#include "check/persist_builder.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace ew::check {

PersistGraph build_persist_graph(const EventFile& events, PersistModel model) {
  PersistBuilder builder(events, model);
  events.each([&](const EventRecord& record, std::span<const u64> words) { builder.take(record, words); });
  return builder.finish();
}

void PersistBuilder::take(const EventRecord& record, std::span<const u64> words) {
  switch (record.kind) {
    case simt::EventKind::submitted:
      return submit(words);
    case simt::EventKind::waited:
      return wait(record, words[0]);
    case simt::EventKind::launch:
      return begin_launch(record, words);
    case simt::EventKind::launch_end:
      return end_launch(record);
    case simt::EventKind::pool_end:
    case simt::EventKind::host_persist:
      return host_persist(words[0], words.size() > 1 ? words[0] + words[1] : ~u64{0});
    case simt::EventKind::host_store:
      return host_store(words);
    case simt::EventKind::transfer:
      return transfer(words);
    case simt::EventKind::acknowledged:
      return acknowledged(words[0]);
    case simt::EventKind::load:
    case simt::EventKind::store:
    case simt::EventKind::atomic:
      return access(record, words);
    case simt::EventKind::order:
      return order(record);
    case simt::EventKind::arrive:
      return arrive(record, words);
    case simt::EventKind::pool:
      return pool_mapped(words[0]);
    case simt::EventKind::kernel:
    case simt::EventKind::end:
      return;
  }
}

PersistGraph PersistBuilder::finish() {
  graph_.complete();
  return std::move(graph_);
}

// --- Threads

PersistBuilder::Block& PersistBuilder::block_of(const EventRecord& record) {
  Launch& launch = *launches_[record.launch];
  auto& block = launch.blocks[record.block];
  if (!block) {
    block = std::make_unique<Block>();
    block->threads.resize((events_.launches()[record.launch].threads + warp_lanes - 1) / warp_lanes * warp_lanes);
    for (Thread& thread : block->threads) thread.in = launch.order, thread.durable = launch.durable;
  }
  return *block;
}

PersistBuilder::Thread& PersistBuilder::thread_of(Block& block, const EventRecord& record, u32 lane) {
  Thread& thread = block.threads[record.warp * warp_lanes + lane];
  if (thread.barrier) leave_barrier(block, thread);
  return thread;
}

/// The first event behind a barrier says that everyone has arrived.
void PersistBuilder::leave_barrier(Block& block, Thread& thread) {
  Barrier& barrier = block.barriers[thread.barrier - 1];
  if (!barrier.complete) {
    barrier.complete = true;
    barrier.order_node = graph_.join(barrier.order);
    barrier.durable_node = graph_.join(barrier.durable);
    std::erase_if(block.open_barriers, [&](const auto& open) { return open.second == thread.barrier - 1; });
    barrier.order = barrier.durable = {};
  }
  acquire(thread, barrier.order_node);
  thread.durable = graph_.join(thread.durable, barrier.durable_node);
  thread.barrier = 0;
}

/// `own` stands for all persists of the thread so far.
void PersistBuilder::close_own(Thread& thread) {
  if (thread.open.empty()) return;
  scratch_.assign(thread.open.begin(), thread.open.end());
  scratch_.push_back(thread.own);
  thread.own = graph_.join(scratch_);
  thread.open.clear();
}

/// What a release of the thread publishes now: its persists, and what it has acquired.
u32 PersistBuilder::out(Thread& thread) {
  const bool covers = thread.open_covers_in && !thread.open.empty();
  close_own(thread);
  if (covers) return thread.own;
  if (thread.in == 0 || thread.in == thread.own) return thread.own;
  return graph_.join(thread.in, thread.own);
}

/// Persists from here on follow those before.
void PersistBuilder::order_own(Thread& thread) {
  thread.in = out(thread);
  thread.open_covers_in = false;
}

void PersistBuilder::acquire(Thread& thread, u32 node) {
  if (!node || node == thread.in) return;
  thread.in = graph_.join(thread.in, node);
  thread.open_covers_in = false;
}

void PersistBuilder::wait_until_durable(Thread& thread) {
  close_own(thread);
  thread.durable = graph_.join(thread.durable, thread.own);
}

void PersistBuilder::fence(Thread& thread, const EventRecord& record) {
  order_own(thread);
  if (!scoped()) return;
  const Scope scope = wide(record.scope);
  u32 pending = thread.pending_block;
  if (scope >= Scope::gpu) {
    u32 device = thread.pending_device;
    if (device && record.scope < Scope::gpu) {
      Widening widening{.release = thread.pending_writer, .acquire = side_of(record)};
      widening.acquire.narrow = true;
      device = graph_.widen(device, widening);
    }
    pending = graph_.join(pending, device);
    thread.pending_device = 0;
  }
  acquire(thread, pending);
  thread.pending_block = 0;
  const u32 all = out(thread);
  thread.fence_block = all;
  if (scope >= Scope::gpu) thread.fence_device = all;
  thread.fence_pc = record.pc;
  thread.fence_scope = record.scope;
}

void PersistBuilder::order(const EventRecord& record) {
  if (model_ == PersistModel::strict || model_ == PersistModel::gpm_ddio) return;
  Block& block = block_of(record);
  for (LaneMask left = record.lanes; left; left &= left - 1) {
    Thread& thread = thread_of(block, record, static_cast<u32>(std::countr_zero(left)));
    thread.spun_at = 0;
    const bool is_fence = record.action == EventAction::fence;
    if (gpm()) {
      if (!is_fence || record.scope == Scope::sys) wait_until_durable(thread);
      continue;
    }
    if (is_fence)
      fence(thread, record);
    else
      order_own(thread);
    if (record.action == EventAction::dfence) wait_until_durable(thread);
  }
}

void PersistBuilder::arrive(const EventRecord& record, std::span<const u64> words) {
  if (model_ == PersistModel::strict || model_ == PersistModel::gpm_ddio) return;
  Block& block = block_of(record);
  for (LaneMask left = record.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    Thread& thread = thread_of(block, record, lane);
    thread.spun_at = 0;
    const auto [found, fresh] = block.open_barriers.try_emplace(words[0], static_cast<u32>(block.barriers.size()));
    if (fresh) block.barriers.emplace_back();
    Barrier& barrier = block.barriers[found->second];
    if (!unordered()) {
      order_own(thread);
      barrier.order.push_back(out(thread));
    }
    barrier.durable.push_back(thread.durable);
    if (record.action == EventAction::sync_and_wait) thread.barrier = found->second + 1;
  }
}

// --- Accesses

void PersistBuilder::access(const EventRecord& record, std::span<const u64> words) {
  Block& block = block_of(record);
  const u64 block_id = u64{record.launch} << 32 | (record.block + 1);
  const u32 value_words = (std::max<u32>(record.bytes, 1) + 7) / 8;
  const bool is_atomic = record.kind == simt::EventKind::atomic;
  const bool volatile_matters = model_ != PersistModel::strict && model_ != PersistModel::gpm_ddio;
  std::size_t at = 0;
  for (LaneMask left = record.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    Thread& thread = thread_of(block, record, lane);
    const u64 threads = block.threads.size();
    const Lane one{&thread,   &block, block_id, record.block * threads + record.warp * warp_lanes + lane,
                   words[at], &record};
    const auto value = words.subspan(at + 1, is_atomic ? 2 : value_words);
    at += 1 + value.size();
    const bool writes = record.kind == simt::EventKind::store || is_atomic;
    if (record.kind != simt::EventKind::store && volatile_matters) read_flag(one, value[0], is_atomic);
    if (writes) {
      thread.spun_at = 0;
      store(one, is_atomic ? value.subspan(1) : value, is_atomic);
    }
  }
}

void PersistBuilder::store(const Lane& lane, std::span<const u64> value, bool reads_too) {
  Thread& thread = *lane.thread;
  const EventAction action = lane.record->action;
  const bool strong = action != EventAction::weak;
  const bool ordering = model_ != PersistModel::strict && model_ != PersistModel::gpm_ddio;
  if (ordering && action == EventAction::prel) {  // before the store, in models that know no one-way release
    if (epoch()) order_own(thread);
    if (gpm()) wait_until_durable(thread);
  }
  bool in_pool = false;
  for (const EventFile::Pool& pool : events_.pools())
    in_pool |= lane.address >= pool.begin() && lane.address < pool.end();
  u32 flag_node = 0;
  Flag* const flag = !ordering ? nullptr : strong ? &flag_of(lane) : in_pool ? known_flag(lane) : nullptr;
  if (flag && epoch()) flag_node = in_pool ? 0 : flag_event(lane, *flag, true);
  if (in_pool) store_pieces(lane, value, flag ? flag->last.node : 0);
  if (flag && epoch() && in_pool) {
    flag_node = thread.open.back();
    flag->reads.clear();
  }
  if (flag) write_flag(lane, value[0], reads_too, flag_node);
}

u32 PersistBuilder::add_persist(const Persist& persist, std::span<const u32> before) {
  Words& word = words_.at(persist.address);
  const u32 first = persist.address % 8, last = std::min(first + persist.bytes, 8u);
  std::array<u32, 16> all{};
  std::size_t count = std::min<std::size_t>(before.size(), 8);
  std::copy_n(before.begin(), count, all.begin());
  if (model_ == PersistModel::strict) {
    all[count++] = last_persist_;
  } else {
    for (u32 i = first, seen = 0; i < last; ++i) {  // [Coh]
      const u32 node = word.node[i];
      if (node == seen || node == 0) continue;
      seen = node;
      // A host may hand over a part of what a kernel wrote at once.
      if (persist.launch || graph_.persist(graph_.persist_at(node)).bytes <= persist.bytes) all[count++] = node;
    }
  }
  const u32 node = graph_.add(persist, std::span(all.data(), count));
  for (u32 i = first; i < last; ++i) word.node[i] = node;
  last_persist_ = node;
  return node;
}

void PersistBuilder::store_pieces(const Lane& lane, std::span<const u64> value, u32 flag_node) {
  Thread& thread = *lane.thread;
  const EventRecord& record = *lane.record;
  // [RelSelf]: a flag persists after all that it publishes.
  const bool releases = record.action == EventAction::prel || record.action == EventAction::release ||
                        record.action == EventAction::acq_rel;
  const bool ordered = !unordered() && model_ != PersistModel::strict;
  u32 in = ordered ? thread.in : 0;
  if (ordered && scoped() && releases) in = out(thread);
  std::array<u32, 4> conflicts{in, thread.durable};  // 0: none
  if (epoch() && flag_node) {
    conflicts[2] = flag_node;
    const auto found = flags_.find(lane.address);
    if (found != flags_.end()) conflicts[3] = graph_.join(found->second.reads);
  }
  for (u32 at = 0; at < record.bytes; at += 8) {
    const Persist persist{.address = lane.address + at,
                          .value = value[at / 8],
                          .thread = lane.number,
                          .launch = record.launch,
                          .pc = record.pc,
                          .kernel = events_.launches()[record.launch].kernel,
                          .bytes = static_cast<u8>(std::min(record.bytes - at, 8u))};
    thread.open.push_back(add_persist(persist, conflicts));
  }
  thread.open_covers_in = true;
  // [AcqSelf]: what follows an acquiring atomic follows its persist.
  if (ordered && scoped() && record.kind == simt::EventKind::atomic &&
      (record.action == EventAction::acquire || record.action == EventAction::acq_rel))
    acquire(thread, thread.open.back());
}

}  // namespace ew::check
