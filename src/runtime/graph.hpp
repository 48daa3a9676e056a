// Graphs: nodes of Work with dependences, made by calls or by capturing streams; instantiated copies that can be
// launched. Owned by ProgramWork and guarded by the Machine's mutex. A child graph belongs to its node. A clone's nodes
// remember which node they are copies of (`origin`), so that an instantiated graph is updated by naming the nodes of
// the graph it came from.
#pragma once

#include <memory>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "driver_types.h"
#include "runtime/stream.hpp"
#include "runtime/work.hpp"

struct CUuserObject_st {
  void* object = nullptr;
  cudaHostFn_t destroy = nullptr;
  unsigned count = 0;
};

struct CUgraphNode_st {
  ew::u64 id = 0, origin = 0;
  CUgraph_st* graph = nullptr;
  ew::runtime::Work work;
  std::vector<CUgraphNode_st*> needs, needed_by;
  std::unique_ptr<CUgraph_st> child;
  bool enabled = true;
  int priority = 0;
  cudaAccessPolicyWindow access_policy{};
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;  // in order of creation
  std::vector<std::pair<cudaUserObject_t, unsigned>> user_objects;
  CUgraph_st* parent = nullptr;  // of a child graph
};

struct CUgraphExec_st {
  std::unique_ptr<CUgraph_st> graph;
  ew::runtime::Ticket last = 0;      // launches of one instance follow each other
  bool frees_before_launch = false;  // cudaGraphInstantiateFlagAutoFreeOnLaunch
};

namespace ew::runtime {

class Machine;

struct Capture {
  u64 id = 0;
  std::unique_ptr<CUgraph_st> graph;
  CUstream_st* origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool invalidated = false;
  std::vector<CUgraphNode_st*> left;  // by streams that were destroyed: they must be joined as well
};

/// Memory of nodes that allocate it. What the program has freed stays until no node is left that allocates it.
class NodeMemory {
 public:
  /// The program frees it. False: no launch has allocated it since it was freed last.
  bool free(u64 address) { return live_.erase(address) > 0 && freed_.insert(address).second; }
  /// An instance is launched: its nodes allocate and free. False: it would allocate what nobody has freed.
  bool launch(const CUgraphExec_st&);
  /// Takes out those of which gone(address) is true.
  template <class Gone>
  std::vector<u64> take(Gone&& gone) {
    std::vector<u64> taken;
    std::erase_if(freed_, [&](u64 address) {
      const bool goes = gone(address);
      if (goes) taken.push_back(address);
      return goes;
    });
    return taken;
  }
  void clear() {
    live_.clear();
    freed_.clear();
  }

 private:
  std::unordered_set<u64> live_, freed_;
};

class Graphs {
 public:
  explicit Graphs(memory::AddressSpace& memory) : memory_(memory) {}
  ~Graphs();

  CUgraph_st* create();
  CUgraph_st* find(cudaGraph_t) const;
  CUgraphNode_st* find(cudaGraphNode_t) const;
  CUgraphExec_st* find(cudaGraphExec_t) const;
  bool destroy(cudaGraph_t);
  bool destroy(cudaGraphExec_t);
  void destroy(CUgraphNode_st&);

  /// A graph or an instance has a node that allocates memory at this address.
  bool allocates(u64 address) const;
  NodeMemory& node_memory() { return node_memory_; }

  /// REQUIRES: every dependence is a live node of the same graph.
  CUgraphNode_st* add(CUgraph_st&, Work, std::span<CUgraphNode_st* const> needs);
  std::unique_ptr<CUgraph_st> copy(const CUgraph_st&);
  cudaGraph_t adopt(std::unique_ptr<CUgraph_st>);
  CUgraphExec_st* instantiate(const CUgraph_st&);
  /// The node of the instance (or clone) that stands for `node`, or nullptr.
  CUgraphNode_st* counterpart(CUgraph_st&, const CUgraphNode_st& node) const;
  /// Nodes so that each stands behind what it needs; empty when there is a cycle (and nodes).
  static std::vector<CUgraphNode_st*> order(const CUgraph_st&);

  Capture* begin_capture(CUstream_st&, cudaStreamCaptureMode);
  /// Removes the capture; every stream of `all` leaves it.
  std::unique_ptr<Capture> end_capture(Capture*, const std::vector<CUstream_st*>& all);
  /// A spoilt capture's graph.
  void discard(std::unique_ptr<CUgraph_st>);
  bool capturing() const { return !captures_.empty(); }
  /// Whether a call that no capture allows (an allocation …) is forbidden to this thread in its mode.
  bool forbids_unsafe(cudaStreamCaptureMode thread_mode) const;
  void invalidate_unsafe();

  cudaUserObject_t create_user_object(void* object, cudaHostFn_t destroy, unsigned count);
  bool release_user_object(cudaUserObject_t, unsigned count);
  bool retain_user_object(cudaUserObject_t, unsigned count);

  void reset();

 private:
  void forget(const CUgraph_st&);

  memory::AddressSpace& memory_;
  u64 last_id_ = 0, last_capture_ = 0;
  std::unordered_map<const void*, std::unique_ptr<CUgraph_st>> graphs_;
  std::unordered_set<const void*> children_;
  std::unordered_map<const void*, std::unique_ptr<CUgraphExec_st>> instances_;
  std::unordered_set<const void*> nodes_;
  NodeMemory node_memory_;
  std::vector<std::unique_ptr<Capture>> captures_;
  std::unordered_map<const void*, std::unique_ptr<CUuserObject_st>> user_objects_;
  // From before a reset: no new handle equals an old one.
  std::vector<std::unique_ptr<CUgraph_st>> gone_;
  std::vector<std::unique_ptr<CUgraphExec_st>> gone_instances_;
};

}  // namespace ew::runtime
