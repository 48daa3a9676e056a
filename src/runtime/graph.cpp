#include "runtime/graph.hpp"

#include <algorithm>

namespace ew::runtime {

Graphs::~Graphs() = default;

CUgraph_st* Graphs::create() {
  return adopt(std::make_unique<CUgraph_st>());
}

cudaGraph_t Graphs::adopt(std::unique_ptr<CUgraph_st> graph) {
  CUgraph_st* handle = graph.get();
  children_.erase(handle);
  graphs_.emplace(handle, std::move(graph));
  return handle;
}

CUgraph_st* Graphs::find(cudaGraph_t handle) const {
  return graphs_.contains(handle) || children_.contains(handle) ? handle : nullptr;
}
CUgraphNode_st* Graphs::find(cudaGraphNode_t handle) const {
  return nodes_.contains(handle) ? handle : nullptr;
}
CUgraphExec_st* Graphs::find(cudaGraphExec_t handle) const {
  return instances_.contains(handle) ? handle : nullptr;
}

void Graphs::forget(const CUgraph_st& graph) {
  children_.erase(&graph);
  for (const auto& node : graph.nodes) {
    nodes_.erase(node.get());
    if (node->child) forget(*node->child);
  }
}

bool Graphs::destroy(cudaGraph_t handle) {
  const auto found = graphs_.find(handle);
  if (found == graphs_.end()) return false;
  const auto graph = std::move(found->second);
  graphs_.erase(found);
  forget(*graph);
  for (const auto& [object, count] : graph->user_objects) release_user_object(object, count);
  return true;
}

bool Graphs::destroy(cudaGraphExec_t handle) {
  const auto found = instances_.find(handle);
  if (found == instances_.end()) return false;
  forget(*found->second->graph);
  for (const auto& [object, count] : found->second->graph->user_objects) release_user_object(object, count);
  instances_.erase(found);
  return true;
}

bool Graphs::allocates(u64 address) const {
  return std::ranges::any_of(nodes_, [address](const void* node) {
    const auto* const work = std::get_if<AllocateWork>(&static_cast<const CUgraphNode_st*>(node)->work);
    return work && reinterpret_cast<u64>(work->parameters.dptr) == address;
  });
}

namespace {

/// What the nodes of a graph and of its child graphs allocate and free.
void collect(const CUgraph_st& graph, std::unordered_set<u64>& allocated, std::unordered_set<u64>& freed) {
  for (const auto& node : graph.nodes) {
    if (const auto* const work = std::get_if<AllocateWork>(&node->work))
      allocated.insert(reinterpret_cast<u64>(work->parameters.dptr));
    if (const auto* const work = std::get_if<FreeWork>(&node->work)) freed.insert(work->address);
    if (node->child) collect(*node->child, allocated, freed);
  }
}

}  // namespace

bool NodeMemory::launch(const CUgraphExec_st& instance) {
  std::unordered_set<u64> allocated, freed;
  collect(*instance.graph, allocated, freed);
  const auto is_live = [&](u64 address) { return live_.contains(address); };
  if (!instance.frees_before_launch && std::ranges::any_of(allocated, is_live)) return false;
  for (const u64 address : allocated) {
    freed_.erase(address);
    live_.insert(address);
  }
  for (const u64 address : freed) live_.erase(address);
  return true;
}

void Graphs::destroy(CUgraphNode_st& node) {
  for (CUgraphNode_st* other : node.needs) std::erase(other->needed_by, &node);
  for (CUgraphNode_st* other : node.needed_by) std::erase(other->needs, &node);
  if (node.child) forget(*node.child);
  nodes_.erase(&node);
  std::erase_if(node.graph->nodes, [&](const auto& owned) { return owned.get() == &node; });
}

CUgraphNode_st* Graphs::add(CUgraph_st& graph, Work work, std::span<CUgraphNode_st* const> needs) {
  auto node = std::make_unique<CUgraphNode_st>();
  node->id = node->origin = ++last_id_;
  node->graph = &graph;
  node->work = std::move(work);
  if (auto* nested = std::get_if<GraphWork>(&node->work)) {
    node->child = copy(*nested->graph);
    node->child->parent = &graph;
    nested->graph = node->child.get();
    children_.insert(nested->graph);
  }
  for (CUgraphNode_st* other : needs) {
    if (std::find(node->needs.begin(), node->needs.end(), other) != node->needs.end()) continue;
    node->needs.push_back(other);
    other->needed_by.push_back(node.get());
  }
  nodes_.insert(node.get());
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back().get();
}

std::unique_ptr<CUgraph_st> Graphs::copy(const CUgraph_st& graph) {
  auto result = std::make_unique<CUgraph_st>();
  std::unordered_map<const CUgraphNode_st*, CUgraphNode_st*> twin;
  for (const auto& node : graph.nodes) {
    CUgraphNode_st* made = add(*result, node->work, {});
    made->origin = node->origin;
    made->enabled = node->enabled;
    made->priority = node->priority;
    made->access_policy = node->access_policy;
    twin[node.get()] = made;
  }
  for (const auto& node : graph.nodes) {
    for (const CUgraphNode_st* other : node->needs) {
      twin[node.get()]->needs.push_back(twin[other]);
      twin[other]->needed_by.push_back(twin[node.get()]);
    }
  }
  result->user_objects = graph.user_objects;
  for (const auto& [object, count] : result->user_objects) retain_user_object(object, count);
  return result;
}

CUgraphExec_st* Graphs::instantiate(const CUgraph_st& graph) {
  auto instance = std::make_unique<CUgraphExec_st>();
  instance->graph = copy(graph);
  CUgraphExec_st* handle = instance.get();
  instances_.emplace(handle, std::move(instance));
  return handle;
}

CUgraphNode_st* Graphs::counterpart(CUgraph_st& graph, const CUgraphNode_st& node) const {
  for (const auto& candidate : graph.nodes) {
    if (candidate->origin == node.origin) return candidate.get();
    if (candidate->child)
      if (CUgraphNode_st* inside = counterpart(*candidate->child, node)) return inside;
  }
  return nullptr;
}

std::vector<CUgraphNode_st*> Graphs::order(const CUgraph_st& graph) {
  std::unordered_map<const CUgraphNode_st*, std::size_t> unmet;
  std::vector<CUgraphNode_st*> list;
  for (const auto& node : graph.nodes)
    if ((unmet[node.get()] = node->needs.size()) == 0) list.push_back(node.get());
  for (std::size_t i = 0; i < list.size(); ++i)
    for (CUgraphNode_st* next : list[i]->needed_by)
      if (--unmet[next] == 0) list.push_back(next);
  if (list.size() != graph.nodes.size()) list.clear();
  return list;
}

Capture* Graphs::begin_capture(CUstream_st& stream, cudaStreamCaptureMode mode) {
  auto capture = std::make_unique<Capture>();
  capture->id = ++last_capture_;
  capture->graph = std::make_unique<CUgraph_st>();
  capture->origin = &stream;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  stream.capture = capture.get();
  stream.frontier.clear();
  children_.insert(capture->graph.get());  // can be asked for and added to while it grows
  captures_.push_back(std::move(capture));
  return captures_.back().get();
}

std::unique_ptr<Capture> Graphs::end_capture(Capture* capture, const std::vector<CUstream_st*>& all) {
  for (CUstream_st* stream : all) {
    if (stream->capture != capture) continue;
    stream->capture = nullptr;
    stream->frontier.clear();
  }
  const auto found = std::find_if(captures_.begin(), captures_.end(), [&](auto& c) { return c.get() == capture; });
  auto ended = std::move(*found);
  captures_.erase(found);
  return ended;
}

void Graphs::discard(std::unique_ptr<CUgraph_st> graph) {
  forget(*graph);
}

bool Graphs::forbids_unsafe(cudaStreamCaptureMode thread_mode) const {
  if (thread_mode == cudaStreamCaptureModeRelaxed) return false;
  return std::any_of(captures_.begin(), captures_.end(), [&](const auto& capture) {
    if (capture->mode == cudaStreamCaptureModeRelaxed) return false;
    if (capture->thread == std::this_thread::get_id()) return true;
    return capture->mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal;
  });
}

void Graphs::invalidate_unsafe() {
  for (const auto& capture : captures_) capture->invalidated |= capture->mode != cudaStreamCaptureModeRelaxed;
}

cudaUserObject_t Graphs::create_user_object(void* object, cudaHostFn_t destroy, unsigned count) {
  auto made = std::make_unique<CUuserObject_st>(CUuserObject_st{object, destroy, count});
  const cudaUserObject_t handle = made.get();
  user_objects_.emplace(handle, std::move(made));
  return handle;
}

bool Graphs::release_user_object(cudaUserObject_t handle, unsigned count) {
  const auto found = user_objects_.find(handle);
  if (found == user_objects_.end() || found->second->count < count) return false;
  if ((found->second->count -= count) > 0) return true;
  const auto object = std::move(found->second);
  user_objects_.erase(found);
  if (object->destroy) object->destroy(object->object);
  return true;
}

bool Graphs::retain_user_object(cudaUserObject_t handle, unsigned count) {
  const auto found = user_objects_.find(handle);
  if (found == user_objects_.end()) return false;
  found->second->count += count;
  return true;
}

void Graphs::reset() {
  for (auto& [handle, graph] : graphs_) gone_.push_back(std::move(graph));
  for (auto& [handle, instance] : instances_) gone_instances_.push_back(std::move(instance));
  graphs_.clear();
  children_.clear();
  instances_.clear();
  nodes_.clear();
  node_memory_.clear();
  captures_.clear();
  user_objects_.clear();
}

}  // namespace ew::runtime
