#include "check/persist_builder.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace ew::check {

using Across = PersistAxioms::Across;

namespace {

bool releases(EventAction action) {
  return action == EventAction::prel || action == EventAction::release || action == EventAction::acq_rel;
}

}  // namespace

PersistGraph build_persist_graph(const EventFile& events, const PersistAxioms& axioms) {
  PersistBuilder builder(events, axioms);
  events.each([&](const EventRecord& record, std::span<const u64> words) { builder.take(record, words); });
  return builder.finish();
}

void PersistBuilder::take(const EventRecord& record, std::span<const u64> words) {
  switch (record.kind) {
    case simt::EventKind::submitted:
      return host_.submit(words);
    case simt::EventKind::waited:
      return record.pc == 0 ? host_.wait(words[0]) : host_.wait_for_all(words[0]);
    case simt::EventKind::launch:
      return begin_launch(record, words);
    case simt::EventKind::launch_end:
      return end_launch(record);
    case simt::EventKind::pool_end:
    case simt::EventKind::host_persist:
      if (words.size() > 2) return host_.flush(words[2], words[0], words[0] + words[1]);
      return words.size() > 1 ? host_.persist(words[0], words[0] + words[1]) : host_.end_pool(words[0]);
    case simt::EventKind::host_store:
      return host_.store(words);
    case simt::EventKind::transfer:
      return host_.transfer(words, rests_in_cache(static_cast<simt::TransferPath>(record.pc)));
    case simt::EventKind::acknowledged:
      return host_.acknowledge(words[0]);
    case simt::EventKind::load:
    case simt::EventKind::store:
    case simt::EventKind::atomic:
      return access(record, words);
    case simt::EventKind::order:
      return order(record);
    case simt::EventKind::arrive:
      return arrive(record, words);
    case simt::EventKind::pool:
      return host_.map_pool(words[0]);
    case simt::EventKind::kernel:
    case simt::EventKind::end:
      return;
  }
}

bool PersistBuilder::rests_in_cache(simt::TransferPath path) const {
  return path == simt::TransferPath::caches || (path == simt::TransferPath::ddio && axioms_.host_regions);
}

PersistGraph PersistBuilder::finish() {
  graph_.complete();
  return std::move(graph_);
}

// --- Launches and threads

void PersistBuilder::begin_launch(const EventRecord& record, std::span<const u64> words) {
  const HostOrder::Nodes before = host_.begin(words[0]);
  auto launch = std::make_unique<RecordedLaunch>();
  launch->order = axioms_.unordered() ? 0 : before.order;
  launch->durable = before.durable;
  launch->cached = axioms_.host_regions && events_.launches()[record.launch].cached;
  launch->blocks.resize(words[2]);
  launches_.resize(record.launch + 1);
  launches_[record.launch] = std::move(launch);
}

void PersistBuilder::end_launch(const EventRecord& record) {
  RecordedLaunch& launch = *launches_[record.launch];
  reach_cache(launch);
  std::vector<u32> order{launch.order}, durable{launch.durable};
  for (auto& block : launch.blocks) {
    if (!block) continue;
    for (RecordedThread& thread : block->threads) {
      if (thread.meeting) leave_barrier(*block, thread);
      if (axioms_.durable_at_end) thread.order.wait_until_durable(graph_);
      if (const u32 all = thread.order.out(graph_); all && all != order.back()) order.push_back(all);
      if (const u32 known = thread.order.durable(); known && known != durable.back()) durable.push_back(known);
    }
  }
  host_.end(events_.launches()[record.launch].ticket, order, durable);
  launches_[record.launch].reset();
}

void PersistBuilder::reach_cache(RecordedLaunch& launch) {
  for (const u32 node : launch.on_its_way) host_.rests_in_cache(node);
  launch.on_its_way.clear();
}

bool PersistBuilder::synchronises(const EventRecord& record) const {
  return axioms_.synchronises() && !launches_[record.launch]->cached;
}

/// Threads of a block of the launch, with those that the last warp lacks.
u32 PersistBuilder::whole_warps(const EventRecord& record) const {
  return (events_.launches()[record.launch].threads + warp_lanes - 1) / warp_lanes * warp_lanes;
}

RecordedBlock& PersistBuilder::block_of(const EventRecord& record) {
  RecordedLaunch& launch = *launches_[record.launch];
  auto& block = launch.blocks[record.block];
  if (!block) {
    block = std::make_unique<RecordedBlock>();
    const u32 threads = whole_warps(record);
    block->threads.reserve(threads + warp_lanes);
    block->threads.resize(threads);
    for (RecordedThread& thread : block->threads) thread.order = ThreadOrder(launch.order, launch.durable);
  }
  while (block->threads.size() < (record.warp + 1) * warp_lanes)  // an assist warp comes behind the block's own
    block->threads.emplace_back().order = ThreadOrder(launch.order, launch.durable);
  return *block;
}

RecordedThread& PersistBuilder::thread_of(RecordedBlock& block, const EventRecord& record, u32 lane) {
  RecordedThread& thread = block.threads[record.warp * warp_lanes + lane];
  if (thread.meeting) leave_barrier(block, thread);
  return thread;
}

/// The thread's first event behind a barrier. It shows that every thread has arrived.
void PersistBuilder::leave_barrier(RecordedBlock& block, RecordedThread& thread) {
  const BlockBarriers::Outcome outcome = block.barriers.leave(thread.meeting - 1, graph_);
  thread.order.acquire(graph_, outcome.order);
  thread.order.learn_durable(graph_, outcome.durable);
  thread.meeting = 0;
}

// --- Order operations

void PersistBuilder::order(const EventRecord& record) {
  if (axioms_.makes_durable(operation_of(record.action), record.scope)) reach_cache(*launches_[record.launch]);
  if (!synchronises(record)) return;
  RecordedBlock& block = block_of(record);
  const memory::PersistOrder operation = operation_of(record.action);
  const bool orders = axioms_.orders.has(operation), waits = axioms_.makes_durable(operation, record.scope);
  for (LaneMask left = record.lanes; left; left &= left - 1) {
    RecordedThread& thread = thread_of(block, record, static_cast<u32>(std::countr_zero(left)));
    thread.spun.address = 0;
    if (orders && operation == memory::PersistOrder::fence)
      synchronisation_.fence(thread, record);
    else if (orders)
      thread.order.order_own(graph_);
    if (waits) thread.order.wait_until_durable(graph_);
  }
}

void PersistBuilder::arrive(const EventRecord& record, std::span<const u64> words) {
  if (!synchronises(record)) return;
  RecordedBlock& block = block_of(record);
  for (LaneMask left = record.lanes; left; left &= left - 1) {
    RecordedThread& thread = thread_of(block, record, static_cast<u32>(std::countr_zero(left)));
    thread.spun.address = 0;
    u32 released = 0;
    // Lanes that meet learn what each has waited for. No model takes their meeting for an order of persists.
    if (record.action != EventAction::sync_warp && axioms_.orders.has(memory::PersistOrder::barrier)) {
      thread.order.order_own(graph_);
      released = thread.order.out(graph_);
    }
    const u32 meeting = block.barriers.arrive(words[0], released, thread.order.durable());
    if (record.action != EventAction::sync_only) thread.meeting = meeting + 1;
  }
}

// --- Accesses

void PersistBuilder::access(const EventRecord& record, std::span<const u64> words) {
  RecordedBlock& block = block_of(record);
  const u64 block_id = u64{record.launch} << 32 | (record.block + 1);
  const u32 value_words = (std::max<u32>(record.bytes, 1) + 7) / 8;
  const bool is_atomic = record.kind == simt::EventKind::atomic;
  std::size_t at = 0;
  for (LaneMask left = record.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    RecordedThread& thread = thread_of(block, record, lane);
    const u64 threads = whole_warps(record), in_block = u64{record.warp} * warp_lanes + lane;
    const u64 number =
        in_block < threads ? record.block * threads + in_block : first_assist_thread + record.block * warp_lanes + lane;
    const LaneAccess one{thread, block, block_id, number, words[at], record};
    const auto value = words.subspan(at + 1, is_atomic ? 2 : value_words);
    at += 1 + value.size();
    const bool writes = record.kind == simt::EventKind::store || is_atomic;
    if (record.kind != simt::EventKind::store && synchronises(record)) synchronisation_.read(one, value[0], is_atomic);
    if (writes) {
      thread.spun.address = 0;
      store(one, is_atomic ? value.subspan(1) : value, is_atomic);
    }
  }
}

bool PersistBuilder::in_pool(u64 address) const {
  return std::ranges::any_of(
      events_.pools(), [&](const EventFile::Pool& pool) { return address >= pool.begin() && address < pool.end(); });
}

void PersistBuilder::store(const LaneAccess& lane, std::span<const u64> value, bool reads_too) {
  ThreadOrder& order = lane.thread.order;
  const bool persists = in_pool(lane.address);
  if (!synchronises(lane.record)) {
    if (lane.record.scope == Scope::sys && releases(lane.record.action)) reach_cache(*launches_[lane.record.launch]);
    if (persists) add_persists(lane, value, 0);
    return;
  }
  const EventAction action = lane.record.action;
  if (action == EventAction::prel) {  // before the store
    if (axioms_.orders.has(memory::PersistOrder::p_release)) order.order_own(graph_);
    if (axioms_.durable.has(memory::PersistOrder::p_release)) order.wait_until_durable(graph_);
  }
  const bool strong = action != EventAction::weak;
  Flag* const flag = strong ? &synchronisation_.flag_of(lane) : persists ? synchronisation_.known_flag(lane) : nullptr;
  u32 node = 0;
  const bool conflicts = axioms_.across == Across::conflicts;
  if (flag && conflicts && !persists) node = synchronisation_.touch(lane, *flag, true);
  if (persists) add_persists(lane, value, flag ? flag->last.node : 0);
  if (flag && conflicts && persists) {
    node = order.last();
    flag->reads.clear();
  }
  if (flag) synchronisation_.write(lane, *flag, value[0], reads_too, node);
}

void PersistBuilder::add_persists(const LaneAccess& lane, std::span<const u64> value, u32 flag_node) {
  ThreadOrder& order = lane.thread.order;
  const EventRecord& record = lane.record;
  // [RelSelf]: a flag becomes durable after everything that it publishes.
  const bool cached = launches_[record.launch]->cached;
  const bool ordered = !cached && !axioms_.unordered() && axioms_.across != Across::performance;
  const bool by_releases = !cached && axioms_.across == Across::releases;
  u32 in = ordered ? order.in() : 0;
  if (by_releases && releases(record.action)) in = order.out(graph_);
  std::array<u32, 4> before{in, order.durable()};  // 0: none
  if (axioms_.across == Across::conflicts && flag_node) {
    before[2] = flag_node;
    before[3] = synchronisation_.join_reads(lane);
  }
  for (u32 at = 0; at < record.bytes; at += 8) {
    const Persist persist{.address = lane.address + at,
                          .value = value[at / 8],
                          .thread = lane.number,
                          .launch = record.launch,
                          .pc = record.pc,
                          .kernel = events_.launches()[record.launch].kernel,
                          .bytes = static_cast<u8>(std::min(record.bytes - at, 8u))};
    const u32 node = words_.add(persist, before);
    if (cached)
      launches_[record.launch]->on_its_way.push_back(node);
    else
      order.persisted(node);
  }
  // [AcqSelf]: the persists behind an acquiring atomic follow the atomic's own persist.
  if (by_releases && record.kind == simt::EventKind::atomic &&
      (record.action == EventAction::acquire || record.action == EventAction::acq_rel))
    order.acquire(graph_, order.last());
}

}  // namespace ew::check
