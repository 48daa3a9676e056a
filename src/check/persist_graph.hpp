// The persists of a run, and the order in which a persistency model lets them become durable: a directed graph without
// cycles. A persist is an aligned piece, of at most 8 bytes, of one thread's store. The nodes are persists and virtual
// nodes. A virtual node stands for a set of persists at a fence, a release, a barrier or the end of a kernel. A crash
// may leave any set of persists that is closed downwards (an ideal). Built by persist_builder.hpp. A value.
//
// Nodes are numbered in the order of the run. Every edge goes from a smaller number to a larger one. Node 0 is empty.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simt/persist_events.hpp"

namespace ew::check {

inline constexpr u32 no_persist = ~u32{0};

/// Threads of assist warps (simt/assist.hpp) are numbered from here on: 32 a block.
inline constexpr u64 first_assist_thread = u64{1} << 48;

struct Persist {
  u64 address = 0, value = 0;
  u64 thread = 0;  // its number in the launch, through all blocks, each padded to whole warps; 0 for the host or a copy
  u32 launch = 0;  // 0: the host or a copy
  u32 pc = 0;
  u32 kernel = 0;  // kernel and pc are the place in the program
  u8 bytes = 8;
};

/// An acknowledgement of the host.
struct AcknowledgedNode {
  u32 node = 0;  // stands for everything that the model promises to be durable by then; 0: nothing
  u64 progress = 0;
  u32 issued = 0;  // the run had issued the persists with smaller numbers by then
};

/// A synchronisation that exists only because the axioms (widened, synced) make it stronger than the program has it.
struct Widening {
  u32 node = 0;
  struct Side {
    u32 launch = 0, pc = 0;  // launch 0: not known
    Scope scope = Scope::none;
    simt::EventAction action = simt::EventAction::none;
    bool narrow = false;  // the scope does not reach the other side
    bool loose = false;   // the access is no release, or no acquire
    u32 changes() const { return narrow || loose ? 1 : 0; }
  };
  Side release, acquire;
  bool one_block = false;  // both sides are in one block: block scope is enough
  u32 changes() const { return release.changes() + acquire.changes(); }
};

class PersistGraph {
 public:
  u32 nodes() const { return static_cast<u32>(first_.size()) - 1; }
  std::span<const u32> before(u32 node) const { return row(predecessors_, first_, node); }
  /// REQUIRES: complete().
  std::span<const u32> after(u32 node) const { return row(successors_, first_successor_, node); }

  u32 size() const { return static_cast<u32>(persists_.size()); }
  const Persist& persist(u32 number) const { return persists_[number]; }
  const std::vector<Persist>& persists() const { return persists_; }
  u32 node_of(u32 persist) const { return nodes_[persist]; }
  /// no_persist for a virtual node.
  u32 persist_at(u32 node) const { return persist_at_[node]; }
  const std::vector<Widening>& widenings() const { return widenings_; }
  const std::vector<AcknowledgedNode>& acknowledgements() const { return acknowledgements_; }
  /// The same for mappings of pools. `progress` is the number of pools that had been mapped by then.
  const std::vector<AcknowledgedNode>& mappings() const { return mappings_; }

  /// A node behind all of these nodes. Zeros are left out. For a single node it is this node itself.
  u32 join(std::span<const u32> nodes);
  u32 join(u32 a, u32 b);
  u32 add(const Persist&, std::span<const u32> before);
  /// A new node behind `node`, for a synchronisation that was made stronger.
  u32 widen(u32 node, const Widening&);
  void acknowledge(u32 node, u64 progress) { acknowledgements_.push_back({node, progress, size()}); }
  void map(u32 node, u64 pools) { mappings_.push_back({node, pools, size()}); }
  /// To be called when nothing more will be added: makes after().
  void complete();

 private:
  static std::span<const u32> row(const std::vector<u32>& all, const std::vector<u64>& first, u32 node) {
    return std::span(all).subspan(first[node], first[node + 1] - first[node]);
  }
  u32 add_node(std::span<const u32> before);

  std::vector<u64> first_{0, 0}, first_successor_;
  std::vector<u32> predecessors_, successors_;
  std::vector<u32> persist_at_{no_persist};
  std::vector<Persist> persists_;
  std::vector<u32> nodes_;
  std::vector<Widening> widenings_;
  std::vector<AcknowledgedNode> acknowledgements_, mappings_;
};

/// A set of persists, one bit each.
class PersistSet {
 public:
  explicit PersistSet(u32 size = 0, bool full = false) : size_(size), bits_((size + 63) / 64, full ? ~u64{0} : 0) {
    if (full && size % 64) bits_.back() &= (u64{1} << size % 64) - 1;
  }
  u32 size() const { return size_; }
  bool has(u32 persist) const { return (bits_[persist / 64] >> persist % 64) & 1; }
  void add(u32 persist) { bits_[persist / 64] |= u64{1} << persist % 64; }
  void remove(u32 persist) { bits_[persist / 64] &= ~(u64{1} << persist % 64); }
  bool operator==(const PersistSet&) const = default;
  u32 count() const;
  /// The set without persists from `end` on; the set with all persists before `end` added.
  PersistSet cut_at(u32 end) const;
  PersistSet filled_to(u32 end) const;

 private:
  u32 size_;
  std::vector<u64> bits_;
};

/// Walks along the edges of a graph. Its memory is used again for each walk.
class Reach {
 public:
  explicit Reach(const PersistGraph& graph) : graph_(graph), mark_(graph.nodes(), 0) {}
  /// Adds `persist` and all persists that must be durable when it is; removes `persist` and all persists that need it.
  void add_below(u32 persist, PersistSet& to);
  void remove_above(u32 persist, PersistSet& from);
  /// The smallest ideal that contains the set.
  PersistSet closed(const PersistSet&);
  bool is_ideal(const PersistSet&);
  /// True if `first` must be durable when `second` is.
  bool ordered(u32 first, u32 second);

 private:
  template <bool down, class Visit>
  void walk(u32 persist, Visit&& visit);

  const PersistGraph& graph_;
  std::vector<u32> mark_, pending_;
  u32 generation_ = 0;
};

}  // namespace ew::check
