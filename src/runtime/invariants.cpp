#include "runtime/invariants.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace ew::runtime {

namespace {

using enum Invariant::When;

constexpr Invariant table[] = {
    // SMs
    {always, "slots.* == cycles * machine.sms * machine.schedulers", "Every issue slot has one cause."},
    {always, "slots.issued <= issued.*", "A slot in which an instruction issued has one."},
    {always, "issued.* <= slots.issued * machine.issue_width + polls.without_slot",
     "A slot issues as many as the scheduler may."},
    {always, "active_cycles <= cycles * machine.sms", "An SM is active at most all the time."},
    {always, "lines <= sectors", "A line that is accessed has a sector that is."},
    {always, "shared_requests <= shared_passes", "An access of shared memory takes a pass at least."},
    {at_rest, "warp_cycles <= active_cycles * machine.warps", "An SM has at most so many warps."},
    {always, "assist.runs <= assist.events", "An assist warp runs because of an event."},
    {always, "assist.issued <= issued.*", "Instructions of assist warps are among all."},
    {always, "helper.slots.issued <= slots.issued", "Helper warps are some of the warps."},
    {always, "helper.slots.* + slots.idle <= slots.*", "Their slots are slots of warps."},
    {at_rest, "assist.issued <= helper.slots.issued * machine.issue_width",
     "Assist warps are some of the helper warps."},
    {of_launch, "issued.* == kernel.warp_instructions",
     "A launch's instructions are those that the executor has counted for it, whoever runs beside it."},
    {of_launch, "slots.issued <= issued.*", "The same as of the machine."},
    {of_launch, "helper.slots.* + slots.idle <= slots.*", "The same as of the machine."},
    {of_launch, "active_cycles <= cycles * machine.sms", "The same as of the machine."},
    {of_launch, "warp_cycles <= active_cycles * machine.warps", "The same as of the machine."},
    // Private caches
    {always, "l1.load_hits + l1.load_merges + l1.load_misses == l1.loads", "A load hits, joins another or misses."},
    {always, "l1.prefetches_late <= l1.prefetches_useful", "A late prefetch is one that a load waits for."},
    {always, "l1.prefetches_useful <= l1.prefetches", "A prefetched line is counted as used once."},
    {always, "l1.store_hits <= l1.stores", "No more hits than accesses."},
    {always, "l1.atomic_hits <= l1.atomics", "No more hits than accesses."},
    {always, "l1.mmio <= l1.loads + l1.stores + l1.atomics", "They are some of the accesses."},
    {at_rest, "l1.loads + l1.stores + l1.atomics == parts", "What SMs ask for is what private caches are asked."},
    {of_launch, "l1.loads + l1.stores + l1.atomics == parts", "The same of each launch."},
    {of_launch, "l1.load_hits + l1.load_merges + l1.load_misses == l1.loads", "The same as of the machine."},
    {at_rest,
     "l1.loads <= latency.private.count + latency.merged.count + latency.home.count + latency.remote.count + "
     "latency.device.count + latency.host.count",
     "Every load has a latency."},
    {always,
     "latency.private.count + latency.merged.count + latency.home.count + latency.remote.count + latency.device.count "
     "+ latency.host.count <= l1.loads + l1.atomics",
     "Only loads and atomics have one."},
    // The L2
    {always, "l2.read_hits + l2.read_misses + l2.reads_past <= l2.reads", "No more hits than accesses."},
    {at_rest, "l2.read_hits + l2.read_misses + l2.reads_past == l2.reads", "A read hits, misses or goes past."},
    {of_launch, "l2.read_hits + l2.read_misses + l2.reads_past == l2.reads", "The same of each launch."},
    {always, "l2.own_hits <= l2.owns", "No more hits than accesses."},
    {always, "l2.atomic_hits <= l2.atomics", "No more hits than accesses."},
    {always, "l2.atomics <= l2.atomic_lanes", "An atomic has a lane at least."},
    {always, "l2.waited <= l2.reads + l2.owns + l2.writes + l2.write_backs + l2.atomics", "A request waits once."},
    {always, "l1.probes <= l2.probes", "Private caches answer only what homes ask."},
    {always, "l1.forwards <= l2.forwards", "Private caches answer only what homes send on."},
    {at_rest,
     "l2.written_bytes + l2.written_back_bytes == l1.bytes_written + l1.bytes_through + copies.bytes_to_homes + "
     "storage.bytes_to_homes + host_core.bytes_written_back",
     "The bytes that homes take are those that private caches, the host's caches, copy engines and drives send."},
    {always, "host_core.loads + host_core.stores <= host_core.hits + host_core.misses",
     "An access of the host is of a line or more, and each line is a hit or a miss."},
    // The network
    {at_rest, "network.messages.* == network.delivered", "Every message arrives, once."},
    // Memories
    {at_rest,
     "(l2.sectors_fetched + l2.host_sectors_read) * machine.l2_sector + copies.host_bytes_read + host.bytes_read + "
     "storage.bytes_from_host == "
     "memory.read_bytes + "
     "host_memory.read_bytes + nvm.read_bytes",
     "What memories give is what homes, copy engines, drives and the host's cores ask for."},
    {at_rest,
     "(l2.sectors_written + l2.host_sectors_written + l2.sectors_persisted) * machine.l2_sector + "
     "copies.host_bytes_written + host.bytes_written + storage.bytes_to_host == memory.written_bytes + "
     "host_memory.written_bytes + "
     "nvm.written_bytes",
     "What memories take is what homes, copy engines, drives and the host's cores send."},
    {always, "memory.row_hits + memory.row_misses + memory.row_conflicts <= memory.reads + memory.writes",
     "A request finds its row in one way."},
    {at_rest,
     "host_link.to_host.data_bytes + host.bytes_written + storage.bytes_to_host == host_memory.written_bytes + "
     "nvm.written_bytes * "
     "machine.nvm_is_far + managed.pages_to_host * machine.page + storage.bytes_from_homes",
     "What is written there has come over the link, from a core of the host, or from a drive; a drive's reads of the "
     "GPU's memory "
     "come as far as the switch."},
    {at_rest,
     "host_link.to_device.data_bytes + host.bytes_read + storage.bytes_from_host == host_memory.read_bytes + "
     "nvm.read_bytes * machine.nvm_is_far "
     "+ managed.pages_to_device * machine.page + storage.bytes_to_homes",
     "What is read there goes over the link, to a core of the host, or to a drive; a drive's writes come from the "
     "switch."},
    {at_rest, "copies.bytes_read <= copies.bytes_written", "A copy writes what it reads; a fill only writes."},
    // Persistency
    {always, "persist.acknowledged <= persist.sent", "Only what was sent is acknowledged."},
    {at_rest, "persist.acknowledged == persist.sent", "Everything that was sent is."},
    {always, "persist.joined <= persist.stores", "They are some of the stores."},
};

std::string broken(const Invariant& one, const core::Condition& condition) {
  if (condition.holds) return {};
  return fmt::format("{}  ({})\n  left side {:.0f}, right side {:.0f}", one.condition, one.sentence, *condition.left,
                     *condition.right);
}

}  // namespace

std::span<const Invariant> invariants() {
  return table;
}

std::string broken_invariant(const MachineConfig& config, const FigureValues& whole, bool rests) {
  const NamedFigures figures(machine_constants(config), whole);
  for (const Invariant& one : table) {
    if (one.when == of_launch || (one.when == at_rest && !rests)) continue;
    if (std::string text = broken(one, core::hold(one.condition, figures)); !text.empty()) return text;
  }
  return {};
}

LaunchInvariants::LaunchInvariants(const MachineConfig& config) : constants_(machine_constants(config)) {
  const u32 figures = static_cast<u32>(figure_names().size());
  const auto numbers = [&](std::string_view name) {
    const bool prefix = name.ends_with('*');
    if (prefix) name.remove_suffix(1);
    const auto matches = [&](std::string_view one) { return prefix ? one.starts_with(name) : one == name; };
    std::vector<u32> found;
    for (u32 i = 0; i < figures; ++i)
      if (matches(figure_names()[i].name)) found.push_back(i);
    for (u32 i = 0; i < constants_.size() && !prefix; ++i)
      if (matches(constants_[i].first)) found.push_back(figures + i);
    return found;
  };
  for (u32 i = 0; i < constants_.size(); ++i)
    if (constants_[i].first == "kernel.warp_instructions") warp_instructions_ = figures + i;
  for (const Invariant& one : table)
    if (one.when == of_launch) all_.push_back({&one, core::ReadCondition(one.condition, numbers)});
}

std::string LaunchInvariants::broken(const KernelRow& row) const {
  // The numbers of constants, of which a text names one at a time, follow those of figures.
  const auto sum_of = [&](u32 first, u32 count) {
    if (first < row.values.size()) {
      u64 sum = 0;
      for (u32 number = first; number < first + count; ++number) sum += row.values[number];
      return static_cast<long double>(sum);
    }
    if (first == warp_instructions_) return static_cast<long double>(row.warp_instructions);
    return constants_[first - row.values.size()].second.value_or(core::ReadCondition::no_value);
  };
  for (const auto& [invariant, condition] : all_)
    if (std::string text = runtime::broken(*invariant, condition.hold(sum_of)); !text.empty())
      return fmt::format("of the launch of {}: {}", row.name, text);
  return {};
}

void contradiction(const std::string& what) {
  std::fprintf(stderr, "everwarp: internal error: statistics contradict each other: %s\n", what.c_str());
  std::abort();
}

std::string broken_sum(const FigureValues& whole, const FigureValues& kernels, const FigureValues& copies,
                       const FigureValues& nobody) {
  const auto at = [](const FigureValues& values, std::size_t i) { return values.empty() ? 0 : values[i]; };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const u64 sum = at(kernels, i) + at(copies, i) + at(nobody, i);
    if (adds_up(figure_names()[i].name) && sum != whole[i])
      return fmt::format("{} of all launches, of copies and of nobody is {} together, of the machine {}",
                         figure_names()[i].name, sum, whole[i]);
  }
  return {};
}

}  // namespace ew::runtime
