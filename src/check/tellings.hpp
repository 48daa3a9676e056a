// How a thread of a recorded run learnt that another thread had stored: by flags (strong stores and atomics that it, or
// a thread between the two, has read), and by barriers. A fence belongs in front of the first of them.
#pragma once

#include <optional>

#include "check/blame.hpp"

namespace ew::check {

/// What the thread of a store did first to tell others of it.
struct Telling {
  StoreEvidence::Access access;
  bool barrier = false;  // it arrived at a barrier of its block; else it stored a flag
  bool atomic = false;   // the flag was stored by an atomic
  bool waited = false;   // some thread on the way has waited: at a barrier, or by reading one word again and again
};

/// The first step on the way by which the thread of `present` learnt, before it stored `present`, what the thread of
/// `absent` had done after it stored `absent`. Nothing: there is no way. Flags that are plain stores and loads are not
/// seen. REQUIRES: kernels have stored both.
std::optional<Telling> telling_between(const EventFile&, const PersistAxioms&, u32 absent, u32 present);

/// Both launches ran at the same time.
bool ran_together(const EventFile&, u32 launch, u32 other);

}  // namespace ew::check
