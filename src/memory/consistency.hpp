// A consistency model is one table and one row of axioms. The table: how each class of access is performed, what it
// drops and drains, and what an older operation of a warp must have reached before a younger one issues. The SM and its
// private cache obey it. The axioms: what a program may rely on. The models stand in consistency/, one file each.
#pragma once

#include <array>
#include <string_view>

#include "core/types.hpp"

namespace ew::memory {

/// What a program says of an access.
enum class OrderClass : u8 {
  weak_load,
  weak_store,
  acquire,          // ld.acquire
  release,          // st.release
  paired_atomic,    // atom with acquire, release or both
  unpaired_atomic,  // strong but unordered: ld.relaxed, st.relaxed, volatile
  relaxed_atomic,   // atom.relaxed, red
  fence,            // fence.acq_rel, fence.sc, membar, bar
  p_acquire         // the load of a pAcq
};
inline constexpr u32 order_classes = 9;

/// Classes of what writes, one bit each.
inline constexpr u16 writing_classes =
    1u << static_cast<u32>(OrderClass::weak_store) | 1u << static_cast<u32>(OrderClass::release) |
    1u << static_cast<u32>(OrderClass::paired_atomic) | 1u << static_cast<u32>(OrderClass::unpaired_atomic) |
    1u << static_cast<u32>(OrderClass::relaxed_atomic);

/// Of these, the ones that synchronise by themselves.
inline constexpr u16 synchronising_writes =
    1u << static_cast<u32>(OrderClass::release) | 1u << static_cast<u32>(OrderClass::paired_atomic);

/// How far an operation has come.
enum class Reached : u8 {
  nothing,    // issued
  performed,  // a load has its value; a store is in the private cache
  visible     // a store is visible at the scope asked for
};

/// How the accesses of a class are performed.
struct ClassOfAccess {
  bool strong = true;  // above the private scope: not from a copy that may be stale (AgentPolicy: Use::fresh_load …)
  bool drops = true;   // if it acquires, copies that may be stale go behind it
  bool drains = true;  // if it releases, the stores before it become visible first
};

/// What a model promises a program: a change of PTX's axioms. A row that says nothing is PTX. check/ptx_model.hpp
/// enumerates what a row allows, and `ew litmus` holds a machine of the model to it. Stated beside the table and not
/// computed from it, so that a mistake in the table shows.
struct ConsistencyAxioms {
  bool all_strong = false;          // weak accesses are strong, at the least scope
  bool strong_synchronise = false;  // a strong read acquires, a strong write releases; a reduction acquires nothing
  Scope least_scope = Scope::none;  // of strong accesses and fences; a wider one that the program says counts

  /// Strong accesses have one order, in which a read sees the last write before it. It keeps each thread's order, and
  /// that of barriers: an arrival comes before what waits for it, and before arrivals for its next round.
  bool one_order = false;

  /// Synchronisation orders what is chained through several scopes. Else: through operations of one scope alone.
  bool across_scopes = true;
};

struct Consistency {
  std::string_view name, sentence;
  ConsistencyAxioms axioms;
  std::array<ClassOfAccess, order_classes> classes{};
  /// wait[older][younger]
  std::array<std::array<Reached, order_classes>, order_classes> wait{};
  /// The widest scope whose threads share a private cache, as the model sees it. At wider scopes accesses are fresh,
  /// acquires drop and releases drain. At this scope and below, the private cache is the point of coherence.
  Scope widest_private = Scope::cta;
  /// Every access and fence has this scope, or a wider one that the program says.
  Scope least_scope = Scope::none;

  /// Each strong access synchronises, whatever order the program says: a load acquires, a store releases, an atomic
  /// does both. (Each is "paired", in the thesis's words.) What waits until such a write is visible does so at any
  /// scope of its own: synchronisations of a thread, and barriers behind them, are in order.
  bool all_synchronise = false;
  /// Which stores leave the private cache at a release above that scope: those of all its warps, or of the releasing
  /// warp alone. The release waits for these, and for all that was on its way before.
  enum class Drained : u8 { of_all_warps, of_the_warp };
  Drained drained = Drained::of_all_warps;
  /// A synchronisation that the program says is among threads of one SM (`everwarp.local`) is at Scope::cta.
  bool local_scopes = false;

  const ClassOfAccess& on(OrderClass as) const { return classes[static_cast<u32>(as)]; }
};

}  // namespace ew::memory
