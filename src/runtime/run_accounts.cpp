#include "runtime/run_accounts.hpp"

#include <algorithm>
#include <utility>

#include "runtime/invariants.hpp"

namespace ew::runtime {

RunAccounts::RunAccounts(const MachineConfig& config, simt::TimingGpu& gpu, MemoryHierarchy& hierarchy,
                         const WorkUnderWay& under_way, RunResults& results, bool per_unit)
    : config_(config),
      of_launches_(config),
      gpu_(gpu),
      hierarchy_(hierarchy),
      under_way_(under_way),
      results_(results),
      per_unit_(per_unit) {}

void RunAccounts::count_time() {
  const u64 now = gpu_.simulated_nanoseconds(), passed = now - std::exchange(marked_, now);
  BusyTimes& times = results_.times;
  (under_way_.kernels() ? (under_way_.copies() ? times.both : times.kernels)
                        : (under_way_.copies() ? times.copies : times.neither)) += passed;
}

void RunAccounts::take_late(core::Account account) {
  const HierarchyStatistics late = hierarchy_.take(account);
  late_.add(late);
}

void RunAccounts::open(core::Account account) {
  if (account < closed_.size()) closed_[account] = false;
  take_late(account);
}

/// Of this kernel's time what no other kernel has been counted for: kernels that run beside each other share the GPU.
u64 RunAccounts::idle_time(const KernelRow& row) {
  const u64 begin = std::max(row.nanoseconds_begin, idle_until_), end = std::max(begin, row.nanoseconds_end);
  idle_until_ = end;
  idle_counted_ += end - begin;
  return end - begin;
}

void RunAccounts::close(RunningKernel kernel, const simt::Completion& completion, bool unfinished) {
  KernelRow& row = kernel.row;
  row.nanoseconds_begin = completion.nanoseconds_begin;
  row.nanoseconds_end = completion.nanoseconds_end;
  simt::EndedLaunch launch = gpu_.take_statistics(completion.id);
  TimingFigures counted{.sm = launch.statistics, .hierarchy = hierarchy_.take(kernel.account)};
  counted.energy = energy_of(config_.energy, counted.hierarchy, completion.counters.thread_instructions,
                             counted.sm.memory.shared_passes, idle_time(row));
  row.values = values_of(counted);
  if (kernel.account >= closed_.size()) closed_.resize(kernel.account + std::size_t{1});
  closed_[kernel.account] = true;
  row.latencies = std::move(launch.latencies);
  row.warp_instructions = completion.counters.warp_instructions;
  row.thread_instructions = completion.counters.thread_instructions;
  row.faulted = completion.fault.has_value();
  row.unfinished = unfinished;
  faulted_ |= row.faulted;
  if (!row.faulted && !unfinished)
    if (const std::string broken = of_launches_.broken(row); !broken.empty()) contradiction(broken);
  add_values(of_kernels_, row.values);
  results_.add(std::move(row));
}

TimingFigures RunAccounts::figures() const {
  TimingFigures figures{.sm = gpu_.statistics(), .hierarchy = hierarchy_.statistics()};
  figures.energy = energy_of(config_.energy, figures.hierarchy, gpu_.so_far().thread_instructions,
                             figures.sm.memory.shared_passes, idle_counted_);
  return figures;
}

/// What no launch that has ended counts: copies, and what is nobody's.
void RunAccounts::hand_in_rest(RunResults& results) {
  for (core::Account account = 0; account < closed_.size(); ++account)
    if (closed_[account]) take_late(account);
  const auto take = [&](core::Account account, const HierarchyStatistics& late) {
    TimingFigures rest{.sm = gpu_.take_statistics_of(account).statistics, .hierarchy = hierarchy_.take(account)};
    rest.hierarchy.add(late);
    rest.energy = energy_of(config_.energy, rest.hierarchy, 0, 0, 0);
    return values_of(rest);
  };
  const FigureValues copies = take(core::copies, {}), nobody = take(core::nobody, std::exchange(late_, {}));
  add_values(results.copies, copies);
  add_values(results.nobody, nobody);
  add_values(of_copies_, copies);
  add_values(of_rest_, nobody);
}

void RunAccounts::hand_in_units(RunResults& results) const {
  results.units.clear();
  for (u32 sm = 0; sm < config_.sm.count; ++sm) {
    TimingFigures figures{.sm = gpu_.statistics_of_sm(sm)};
    figures.hierarchy.l1.add(hierarchy_.cache(sm).statistics());
    results.units.push_back({"sms", values_of(figures)});
  }
  for (const auto& home : hierarchy_.homes()) {
    TimingFigures figures;
    figures.hierarchy.l2.add(home->statistics());
    results.units.push_back({"l2_slices", values_of(figures)});
  }
}

void RunAccounts::check_invariants(const FigureValues& all, const std::string& mistake_of_bars) const {
  const bool rests = !under_way_.kernels() && hierarchy_.quiescent() && !faulted_;
  std::string broken = broken_invariant(config_, all, rests);
  if (broken.empty() && !under_way_.kernels()) broken = broken_sum(all, of_kernels_, of_copies_, of_rest_);
  if (broken.empty()) broken = mistake_of_bars;
  if (!broken.empty()) contradiction(broken);
}

void RunAccounts::hand_in(RunResults& results, const std::string& mistake_of_bars) {
  FigureValues now = values_of(figures());
  count_time();
  hand_in_rest(results);
  if (per_unit_) hand_in_units(results);
  check_invariants(now, mistake_of_bars);
  FigureValues since = now;
  for (std::size_t i = 0; i < handed_in_.size(); ++i) since[i] -= handed_in_[i];
  results.add_totals(since);
  handed_in_ = std::move(now);
}

}  // namespace ew::runtime
