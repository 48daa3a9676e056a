// A consistency model is a table: what an older operation of a warp must have reached before a younger one issues, by
// their classes (DESIGN.md, section 4). The models stand in consistency/'s table; the SM obeys it.
#pragma once

#include <array>
#include <string_view>

#include "core/types.hpp"

namespace ew::memory {

enum class OrderClass : u8 {
  weak_load,
  weak_store,
  acquire,          // ld.acquire
  release,          // st.release
  paired_atomic,    // atom with acquire, release or both
  unpaired_atomic,  // strong but unordered: ld.relaxed, st.relaxed, volatile
  relaxed_atomic,   // atom.relaxed, red
  fence,            // fence.acq_rel, fence.sc, membar, bar
  ofence,
  dfence,
  p_acquire,
  p_release
};
inline constexpr u32 order_classes = 12;

/// How far an operation has come.
enum class Reached : u8 {
  nothing,    // issued
  performed,  // a load has its value; a store is in the private cache
  visible,    // a store is visible at the scope asked for
  durable
};

struct Consistency {
  std::string_view name, sentence;
  /// wait[older][younger]
  std::array<std::array<Reached, order_classes>, order_classes> wait{};
  /// Acquires (and the acquire side of fences and paired atomics) at or above this scope invalidate what the protocol
  /// says; releases make visible. Below it the private cache is the point of coherence.
  Scope widest_private = Scope::cta;
};

}  // namespace ew::memory
