// What a timing machine tells of itself: figures, the timeline's counters, the digest.
#include <fmt/format.h>

#include "core/diagnostics.hpp"
#include "core/statistics.hpp"
#include "runtime/invariants.hpp"
#include "runtime/timing_machine.hpp"

namespace ew::runtime {

namespace {

constexpr u64 sampling_cycles = 1000;

double share(u64 part, u64 whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

TimingFigures TimingMachine::figures() const {
  TimingFigures figures;
  figures.sm = gpu_->statistics();
  HierarchyStatistics& hierarchy = figures.hierarchy;
  for (u32 sm = 0; sm < config_.sm.count; ++sm) hierarchy.add(caches_[sm]->statistics());
  for (const auto& home : homes_) hierarchy.add(home->statistics());
  if (host_core_) hierarchy.host_core = host_core_->statistics();
  for (const auto& engine : engines_) hierarchy.add(engine->statistics());
  hierarchy.network = network_->statistics();
  for (u32 i = 0; i < config_.address_map.channels; ++i)
    HierarchyStatistics::add(hierarchy.memory, devices_[i]->statistics());
  hierarchy.host_memory = devices_[config_.address_map.channels]->statistics();
  for (std::size_t i = config_.address_map.channels + 1; i < devices_.size(); ++i)
    HierarchyStatistics::add(hierarchy.nvm, devices_[i]->statistics());
  if (durable_) hierarchy.durable = durable_->statistics();
  hierarchy.host_link = host_link_->statistics();
  if (pages_) hierarchy.managed = pages_->statistics();
  figures.energy = energy_of(config_.energy, hierarchy, gpu_->so_far().thread_instructions, figures.sm.shared_passes);
  return figures;
}

void TimingMachine::observe(const Observation& observation) {
  if (!observation.trace_file.empty()) {
    if (!trace_.begin(observation.trace_file))
      throw core::UserError(fmt::format("the trace cannot be written to {}", observation.trace_file));
  } else if (observation.digest) {
    trace_.begin();
  }
  per_unit_ = observation.per_unit;
  if (observation.timeline_file.empty()) return;
  timeline_ = std::make_unique<Timeline>(observation.timeline_file);
  for (u32 i = 0; i < engines_.size(); ++i)
    timeline_->name_track(Timeline::Group::copies, i, fmt::format("copy engine {}", i));
  block_begins_.assign(u64{config_.sm.count} * Timeline::sm_tracks, 0);
  resident_warps_.assign(block_begins_.size(), {});
  for (u32 sm = 0; sm < config_.sm.count; ++sm)
    timeline_->name_track(Timeline::Group::sms, sm * Timeline::sm_tracks, fmt::format("SM {}", sm));
  trace_.listen([this](const core::TraceRecord& record) { show(record); });
}

void TimingMachine::bar(Timeline::Group group, u32 track, u64 begin, u64 end, std::string_view what,
                        std::string_view details) {
  bars_.add(static_cast<u32>(group), track, begin, end, what);
  if (timeline_) timeline_->span(group, track, what, begin, end, details);
}

void TimingMachine::show(const core::TraceRecord& record) {
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
void TimingMachine::show_block(const core::TraceRecord& record) {
  const u32 track = record.agent * Timeline::sm_tracks + record.part % Timeline::sm_tracks;
  const u64 now = gpu_->simulated_nanoseconds();
  if (record.kind != core::TraceKind::launched)
    bar(Timeline::Group::sms, track, block_begins_[track], now, fmt::format("block {}", record.access));
  block_begins_[track] = now;
}

/// A warp's span: a group for each SM, in it a track for each slot. They get their names when they are first used.
void TimingMachine::show_warp(const core::TraceRecord& record) {
  const u32 sm = record.agent * Timeline::sm_tracks, track = sm + record.warp;
  ResidentWarp& warp = resident_warps_[track];
  const u64 now = gpu_->simulated_nanoseconds();
  if (record.kind == core::TraceKind::begun) {
    if (record.warp == 0 && !warp.named) timeline_->name_warps(record.agent);  // an SM's first warp takes slot 0
    if (!warp.named) timeline_->name_track(Timeline::Group::warps, track, fmt::format("warp slot {}", record.warp));
    warp = {.begin = now, .named = true};
    return;
  }
  const auto launch = running_.find(record.address);
  const std::string_view kernel = launch == running_.end() ? std::string_view() : launch->second.name;
  bar(Timeline::Group::warps, track, warp.begin, now,
      fmt::format("{}, block {}, warp {}", kernel, record.access, record.part));
}

/// Goes on as long as something runs.
void TimingMachine::sample(u64, u64) {
  if (!timeline_) return;
  show_counters();
  sampling_ = !running_.empty() || !copying_.empty();
  if (sampling_) wheel_.at<&TimingMachine::sample>(wheel_.now() + sampling_cycles, *this);
}

/// The timeline's counters since the last time.
void TimingMachine::show_counters() {
  const TimingFigures now = figures();
  const u64 time = gpu_->simulated_nanoseconds();
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
  timeline_->counter(
      Timeline::Group::sms, "issue slots", time,
      {{"percent issued", share(now.sm.issued - sampled_.sm.issued, now.sm.slots() - sampled_.sm.slots())}});
  sampled_ = now;
}

void TimingMachine::begin_sampling() {
  if (!timeline_ || sampling_) return;
  sampling_ = true;
  wheel_.at<&TimingMachine::sample>(wheel_.now() + sampling_cycles, *this);
}

void TimingMachine::close() {
  if (timeline_ && sampling_) show_counters();  // of what ended before another sample was due
  sampling_ = true;                             // no more samples
  record_unfinished();
  if (const auto timeline = std::move(timeline_)) timeline->close();
  trace_.flush();
}

HierarchyStatistics TimingMachine::take_hierarchy(core::Account account) {
  HierarchyStatistics taken;
  for (u32 i = 0; i < caches_.size(); ++i)
    if (const memory::PrivateCacheStatistics cache = caches_[i]->take(account); i < config_.sm.count) taken.add(cache);
  for (const auto& home : homes_) taken.add(home->take(account));
  taken.network = network_->take(account);
  const u32 channels = config_.address_map.channels;
  for (u32 i = 0; i < channels; ++i) HierarchyStatistics::add(taken.memory, devices_[i]->take(account));
  taken.host_memory = devices_[channels]->take(account);
  for (std::size_t i = channels + 1; i < devices_.size(); ++i)
    HierarchyStatistics::add(taken.nvm, devices_[i]->take(account));
  return taken;
}

/// What no launch that has ended counts: copies, and what is nobody's.
void TimingMachine::hand_in_rest(RunResults& results) {
  const auto take = [&](core::Account account) {
    TimingFigures rest{.sm = gpu_->take_statistics_of(account).statistics, .hierarchy = take_hierarchy(account)};
    rest.energy = energy_of(config_.energy, rest.hierarchy, 0, 0);
    return values_of(rest);
  };
  FigureValues copies = take(core::copies), nobody = std::exchange(of_nobody_, {});
  add_values(nobody, take(core::nobody));
  add_values(results.copies, copies);
  add_values(results.nobody, nobody);
  add_values(of_copies_, copies);
  add_values(of_rest_, nobody);
}

void TimingMachine::hand_in_units(RunResults& results) const {
  results.units.clear();
  for (u32 sm = 0; sm < config_.sm.count; ++sm) {
    TimingFigures figures{.sm = gpu_->statistics_of_sm(sm)};
    figures.hierarchy.add(caches_[sm]->statistics());
    results.units.push_back({"sms", values_of(figures)});
  }
  for (const auto& home : homes_) {
    TimingFigures figures;
    figures.hierarchy.add(home->statistics());
    results.units.push_back({"l2_slices", values_of(figures)});
  }
}

void TimingMachine::check_invariants(const TimingFigures& all) const {
  const bool rests = running_.empty() && quiescent() && !faulted_;
  const FigureValues values = values_of(all);
  std::string broken = broken_invariant(config_, values, rests);
  if (broken.empty() && running_.empty()) broken = broken_sum(values, of_kernels_, of_copies_, of_rest_);
  if (broken.empty()) broken = bars_.mistake();
  if (!broken.empty()) contradiction(broken);
}

void TimingMachine::hand_in(RunResults& results) {
  const TimingFigures all = figures();
  count_time();
  hand_in_rest(results);
  if (per_unit_) hand_in_units(results);
  check_invariants(all);
  FigureValues now = values_of(all);
  FigureValues since = now;
  for (std::size_t i = 0; i < handed_in_.size(); ++i) since[i] -= handed_in_[i];
  results.add_totals(since);
  handed_in_ = std::move(now);
  trace_.flush();
  results.digested = trace_.on();
  results.digest = trace_.digest() ^ gpu_->digest();
  results.trace_records = trace_.records();
}

}  // namespace ew::runtime
