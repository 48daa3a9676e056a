#include "runtime/submission.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <variant>

#include "runtime/callback_thread.hpp"
#include "runtime/graph.hpp"
#include "runtime/stream.hpp"

namespace ew::runtime {

Submission::Submission(const MachineConfig& config, const Limits& limits, ProgramMemory& memory, Queue& queue)
    : config_(config), limits_(limits), memory_(memory), queue_(queue) {}

Ticket Submission::submit(const Work& work, After after) {
  return std::visit([&](const auto& one) { return start(one, after); }, work);
}

Cost Submission::cost(Engine engine, u64 bytes) const {
  const auto& copy = config_.copy;
  const u64 rate = (engine == Engine::to_device ? copy.host_to_device
                    : engine == Engine::to_host ? copy.device_to_host
                                                : copy.device_to_device)
                       .count;
  const auto transfer = static_cast<unsigned __int128>(bytes) * 1'000'000'000 / std::max<u64>(rate, 1);
  return {engine, copy.latency.count / 1000 + static_cast<u64>(transfer)};
}

Ticket Submission::start(const KernelWork& work, After after) {
  return launch(work, after, config_.launch.gap);
}

Ticket Submission::launch(const KernelWork& work, After after, Picoseconds gap) {
  memory_.space().forget_host_mappings();
  simt::Launch launch;
  launch.kernel = work.function->kernel;
  launch.grid = work.grid;
  launch.block = work.block;
  launch.dynamic_shared = work.shared;
  launch.parameters = work.parameters;
  launch.cooperative = work.cooperative;
  launch.carveout = work.function->carveout;
  launch.stack_bytes = static_cast<u32>(limits_.stack);
  // The launch takes its time to reach the device, beside whatever its stream still does.
  const Cost way{Engine::none, config_.launch.latency.count / 1000};
  std::vector<Ticket> all;
  all.reserve(after.size() + 1);
  all.assign(after.begin(), after.end());
  all.push_back(queue_.submit(empty_command(way), {}));
  return queue_.submit(launch_command(std::move(launch), gap.count / 1000), all);
}

Ticket Submission::start(const CopyWork& work, After after) {
  const u64 bytes = work.width * work.height * work.depth;
  return queue_.submit(transfer_command(work.transfer(), cost(work.engine, bytes)), after);
}

Ticket Submission::start(const SetWork& work, After after) {
  const u64 bytes = work.width * work.element * work.height * work.depth;
  return queue_.submit(transfer_command(work.transfer(), cost(Engine::inside_device, bytes)), after);
}

Ticket Submission::start(const HostWork& work, After after) {
  auto call = [work] {
    const CallbackThread inside;
    work.function(work.data);
  };
  return queue_.submit(host_function_command(make_task(call)), after);
}

Ticket Submission::start(const CallbackWork& work, After after) {
  auto call = [work] {
    const CallbackThread inside;
    work.function(work.stream, cudaSuccess, work.data);
  };
  return queue_.submit(host_function_command(make_task(call)), after);
}

Ticket Submission::start(const RecordWork& work, After after) {
  work.event->ticket = queue_.submit(empty_command({}, &work.event->ended), after);
  work.event->recorded = true;
  work.event->capture = nullptr;
  return work.event->ticket;
}

Ticket Submission::start(const WaitWork& work, After after) {
  std::vector<Ticket> both(after.begin(), after.end());
  both.push_back(work.event->ticket);
  return queue_.submit(empty_command(), both);
}

Ticket Submission::start(const memory::PagePrefetch& work, After after) {
  return queue_.submit(prefetch_command(work), after);
}

Ticket Submission::start(const TimedHostWork& work, After after) {
  return queue_.submit(host_work_command(work), after);
}

Ticket Submission::start(const EmptyWork&, After after) {
  return queue_.submit(empty_command(), after);
}

Ticket Submission::start(const GraphWork& work, After after) {
  std::unordered_map<const CUgraphNode_st*, Ticket> tickets;
  std::unordered_set<const CUgraphNode_st*> followed;  // by a kernel of the graph
  const auto nodes = Graphs::order(*work.graph);
  for (const CUgraphNode_st* node : nodes)
    if (node->enabled && std::holds_alternative<KernelWork>(node->work))
      followed.insert(node->needs.begin(), node->needs.end());
  const Picoseconds gap = config_.launch.graph_gap.count ? config_.launch.graph_gap : config_.launch.gap;
  const auto start_node = [&](const CUgraphNode_st& node, After needs) {
    if (!node.enabled) return start(EmptyWork{}, needs);
    const auto* const kernel = std::get_if<KernelWork>(&node.work);
    return kernel && followed.contains(&node) ? launch(*kernel, needs, gap) : submit(node.work, needs);
  };
  std::vector<Ticket> all(after.begin(), after.end());
  for (const CUgraphNode_st* node : nodes) {
    std::vector<Ticket> needs;
    for (const CUgraphNode_st* other : node->needs) needs.push_back(tickets.at(other));
    if (needs.empty()) needs.assign(after.begin(), after.end());
    all.push_back(tickets[node] = start_node(*node, needs));
  }
  return queue_.submit(empty_command(), all);
}

Ticket Submission::start(const AllocateWork&, After after) {
  return queue_.submit(empty_command(), after);
}

Ticket Submission::start(const FreeWork& work, After after) {
  auto free = [&allocations = memory_.allocations(), work] {
    if (work.release)
      allocations.release(work.address,
                          bit(AllocatedBy::device) | bit(AllocatedBy::pool_device) | bit(AllocatedBy::managed));
  };
  return queue_.submit(task_command(make_task(free), {}), after);
}

}  // namespace ew::runtime
