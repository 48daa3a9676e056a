// What a persistency model promises, as data. A row of axioms says which persists must be durable before which others,
// and when a program may rely on a persist being durable. Each row is stated once, in the file of its model. Its
// readers ask for its fields and never for its name:
//   check/persistency_model.cpp  litmus tests: the persist order of one execution
//   check/persist_builder.cpp    recorded runs: the graph of what a crash may leave
//   check/crash/advice.cpp       what the program of a failed state should do
//   tests/persistency            random warps, whose persists the hardware models must keep in order
// The rows stand here and not in check/, because a model's file says what the model promises: check/ includes
// persistency/, and persistency/ includes neither check/ nor simt/.
//
// An order operation is a memory::PersistOrder. A1 .. A14 are the readings of docs/litmus.md.
#pragma once

#include <initializer_list>
#include <string_view>

#include "core/types.hpp"
#include "memory/persistency.hpp"

namespace ew::persistency {

/// A set of order operations.
class PersistOrders {
 public:
  constexpr PersistOrders(std::initializer_list<memory::PersistOrder> operations) {
    for (const memory::PersistOrder operation : operations) bits_ |= bit(operation);
  }
  constexpr bool has(memory::PersistOrder operation) const { return bits_ & bit(operation); }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr void add(memory::PersistOrder operation) { bits_ |= bit(operation); }
  constexpr void remove(memory::PersistOrder operation) { bits_ &= ~bit(operation); }

 private:
  static constexpr u32 bit(memory::PersistOrder operation) { return 1u << static_cast<u32>(operation); }
  u32 bits_ = 0;
};

struct PersistAxioms {
  std::string_view name, sentence;

  /// Persists before such an operation become durable before those that follow it in its thread. A pRel stands before
  /// its store, a pAcq behind its load.
  PersistOrders orders{};

  /// What orders persists of different threads.
  enum class Across : u8 {
    nothing,
    releases,    // a release and the acquire that reads it, as `releases` has it
    conflicts,   // accesses of one location, a write among them; `orders` end epochs of all accesses
    performance  // everything is ordered as it was performed, within a thread, too
  };
  Across across = Across::nothing;
  /// Persists of one location are ordered (A1).
  bool coherence = true;

  /// When such an operation is over, the persists before it in its thread are durable. Of fences: those at system
  /// scope.
  PersistOrders durable{};
  /// What a kernel or a copy has persisted is durable when it is over.
  bool durable_at_end = false;
  /// A machine may let kernels persist nothing outside of regions of the host (gpm_persist_begin): then nothing of the
  /// above holds there, and the host must flush what they store.
  bool host_regions = false;

  /// How releases order, as docs/litmus.md settles what SBRP's text leaves open.
  struct Releases {
    bool flag_after = true;         // A4: a released flag in persistent memory is after what it publishes
    bool flag_before = false;       // A5: and before what its acquirer writes
    bool equal_scopes = false;      // A6: pRel and pAcq must name the same scope
    bool cumulative = true;         // A7: what was acquired is released on, also without a persist between
    bool any_release = false;       // A8: an earlier pRel of the variable is enough; it need not be the one read
    bool other_thread = false;      // A9: of another thread
    bool conventional = true;       // A13: conventional synchronisation orders, too
    bool mixed = false;             // A13: pRel pairs with a conventional acquire, pAcq with a conventional release
    bool acquired_durable = false;  // A14: a dFence covers what its thread has acquired
    bool widened = false;           // every scope reaches the whole system
    bool synced = false;            // every strong access releases and acquires
  };
  Releases releases{};

  /// Litmus tests have a column for the row; the order of a recorded run can be told under it.
  bool litmus = true, recorded = true;
  /// The row that runs of a machine are held to in place of this one.
  const PersistAxioms* on_machines = nullptr;
  /// The row with every scope widened. What that one forbids and this one allows shows a scope that is too narrow.
  const PersistAxioms* with_wide_scopes = nullptr;
  /// The row in which every strong access synchronises. It shows which accesses could order what nothing orders.
  const PersistAxioms* with_all_synchronising = nullptr;

  /// What a program calls to order the persists of a thread, and to wait until they are durable.
  std::string_view fence = "ofence()", waiting_fence = "dfence()";

  constexpr bool makes_durable(memory::PersistOrder operation, Scope scope) const {
    return durable.has(operation) && (operation != memory::PersistOrder::fence || scope == Scope::sys);
  }
  /// Nothing but a location's coherence orders one persist behind another, unless it is known to be durable.
  constexpr bool unordered() const { return across == Across::nothing && orders.empty(); }
  /// Threads tell each other what is ordered or durable, so their synchronisation matters.
  constexpr bool synchronises() const { return across != Across::performance && !(unordered() && durable.empty()); }
  constexpr Scope wide(Scope scope) const { return releases.widened ? Scope::sys : scope; }
};

/// Rows that are asked for from outside of their model. `unordered`: nothing but a location's coherence is promised.
extern const PersistAxioms sbrp_axioms, unordered_axioms, epoch_axioms, strict_axioms;

}  // namespace ew::persistency
