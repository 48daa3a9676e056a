#include "runtime/machine_timeline.hpp"

#include <fmt/format.h>

namespace ew::runtime {

namespace {

double share(u64 part, u64 whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

MachineTimeline::MachineTimeline(const simt::TimingGpu& gpu, const WorkUnderWay& under_way,
                                 std::function<TimingFigures()> figures)
    : gpu_(gpu), under_way_(under_way), figures_(std::move(figures)) {}

void MachineTimeline::open(const std::string& file, u32 sms, u32 copy_engines, core::Trace& trace) {
  timeline_ = std::make_unique<Timeline>(file);
  for (u32 i = 0; i < copy_engines; ++i)
    timeline_->name_track(Timeline::Group::copies, i, fmt::format("copy engine {}", i));
  block_begins_.assign(u64{sms} * Timeline::sm_tracks, 0);
  resident_warps_.assign(block_begins_.size(), {});
  for (u32 sm = 0; sm < sms; ++sm)
    timeline_->name_track(Timeline::Group::sms, sm * Timeline::sm_tracks, fmt::format("SM {}", sm));
  trace.listen([this](const core::TraceRecord& record) { show(record); });
}

void MachineTimeline::bar(Timeline::Group group, u32 track, u64 begin, u64 end, std::string_view what,
                          std::string_view details) {
  bars_.add(static_cast<u32>(group), track, begin, end, what);
  if (timeline_) timeline_->span(group, track, what, begin, end, details);
}

void MachineTimeline::kernel_ended(const RunningKernel& kernel, u64 begin, u64 end, bool unfinished) {
  const KernelRow& row = kernel.row;
  bar(Timeline::Group::kernels, kernel.track, begin, end, timeline_ ? kernel.name : row.name,
      timeline_ ? fmt::format("grid {}x{}x{}, block {}x{}x{}{}", row.grid.x, row.grid.y, row.grid.z, row.block.x,
                              row.block.y, row.block.z, unfinished ? ", not ended" : "")
                : std::string());
}

void MachineTimeline::copy_ended(const RunningCopy& copy, u64 now) {
  bar(Timeline::Group::copies, copy.track, copy.begin, now, copy.what,
      timeline_ ? fmt::format("{} bytes", copy.bytes) : std::string());
}

void MachineTimeline::show(const core::TraceRecord& record) {
  if (!timeline_) return;
  switch (record.kind) {
    case core::TraceKind::launched:
    case core::TraceKind::completed:
    case core::TraceKind::abandoned:
      return show_block(record);
    case core::TraceKind::begun:
    case core::TraceKind::ended:
      return show_warp(record);
    default:
      return;
  }
}

/// A block's span: a track for each of an SM's places for blocks.
void MachineTimeline::show_block(const core::TraceRecord& record) {
  const u32 track = record.agent * Timeline::sm_tracks + record.part % Timeline::sm_tracks;
  const u64 now = gpu_.simulated_nanoseconds();
  if (record.kind != core::TraceKind::launched)
    bar(Timeline::Group::sms, track, block_begins_[track], now, fmt::format("block {}", record.access));
  block_begins_[track] = now;
}

/// A warp's span: a group for each SM, in it a track for each slot. They get their names when they are first used.
void MachineTimeline::show_warp(const core::TraceRecord& record) {
  const u32 sm = record.agent * Timeline::sm_tracks, track = sm + record.warp;
  ResidentWarp& warp = resident_warps_[track];
  const u64 now = gpu_.simulated_nanoseconds();
  if (record.kind == core::TraceKind::begun) {
    if (record.warp == 0 && !warp.named) timeline_->name_warps(record.agent);  // an SM's first warp takes slot 0
    if (!warp.named) timeline_->name_track(Timeline::Group::warps, track, fmt::format("warp slot {}", record.warp));
    warp = {.begin = now, .named = true};
    return;
  }
  const RunningKernel* const launch = under_way_.kernel(record.address);
  const std::string_view kernel = launch ? std::string_view(launch->name) : std::string_view();
  bar(Timeline::Group::warps, track, warp.begin, now,
      fmt::format("{}, block {}, warp {}", kernel, record.access, record.part));
}

void MachineTimeline::sample() {
  if (!timeline_) return;
  const TimingFigures now = figures_();
  const u64 time = gpu_.simulated_nanoseconds();
  const auto& l1 = now.hierarchy.l1;
  const auto& l1_before = sampled_.hierarchy.l1;
  const u64 loads = l1.loads - l1_before.loads;
  timeline_->counter(Timeline::Group::caches, "L1 loads", time, {{"lines", static_cast<double>(loads)}});
  timeline_->counter(Timeline::Group::caches, "L1 hit rate", time,
                     {{"percent", share(l1.load_hits - l1_before.load_hits, loads)}});
  const auto& l2 = now.hierarchy.l2;
  const auto& l2_before = sampled_.hierarchy.l2;
  const u64 hits = l2.read_hits - l2_before.read_hits, misses = l2.read_misses - l2_before.read_misses;
  timeline_->counter(Timeline::Group::caches, "L2 requests", time,
                     {{"reads", static_cast<double>(l2.reads - l2_before.reads)},
                      {"writes", static_cast<double>(l2.writes - l2_before.writes)},
                      {"atomics", static_cast<double>(l2.atomics - l2_before.atomics)}});
  timeline_->counter(Timeline::Group::caches, "L2 hit rate", time, {{"percent", share(hits, hits + misses)}});
  u64 flits = 0;
  for (u32 i = 0; i < memory::traffic_classes; ++i)
    flits += now.hierarchy.network.flit_crossings[i] - sampled_.hierarchy.network.flit_crossings[i];
  timeline_->counter(Timeline::Group::links, "network", time, {{"flit crossings", static_cast<double>(flits)}});
  const auto& link = now.hierarchy.host_link.direction;
  const auto& link_before = sampled_.hierarchy.host_link.direction;
  timeline_->counter(Timeline::Group::links, "host link", time,
                     {{"bytes to host", static_cast<double>(link[0].wire_bytes - link_before[0].wire_bytes)},
                      {"bytes to device", static_cast<double>(link[1].wire_bytes - link_before[1].wire_bytes)}});
  const auto& memory = now.hierarchy.memory;
  const auto& memory_before = sampled_.hierarchy.memory;
  timeline_->counter(Timeline::Group::memory, "GPU memory", time,
                     {{"bytes read", static_cast<double>(memory.read_bytes - memory_before.read_bytes)},
                      {"bytes written", static_cast<double>(memory.written_bytes - memory_before.written_bytes)}});
  timeline_->counter(Timeline::Group::sms, "issue slots", time,
                     {{"percent issued", share(now.sm.slots.issued - sampled_.sm.slots.issued,
                                               now.sm.all_slots() - sampled_.sm.all_slots())}});
  sampled_ = now;
}

void MachineTimeline::close() {
  if (const auto timeline = std::move(timeline_)) timeline->close();
}

}  // namespace ew::runtime
