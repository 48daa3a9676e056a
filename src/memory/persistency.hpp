// The seam of persistency: when bytes of persistent lines leave a private cache, and which warps wait for that. Each SM
// has one model, which its private cache owns and asks. The models are one file each in persistency/, with a table.
// A model has no clock and no statistics of its own. It is asked only about accesses to persistent lines, order
// operations and acknowledgements, so a program without a pool makes no virtual call.
//
// A persist is bytes of a line on their way to the persistence domain (Request::persist). A model acts through
// PersistMachinery: the private cache is one, tests bring others. A set of warps is a mask of their slots. A warp that
// is held does nothing until resume() names it; then it asks again. Resuming a warp that is not held does nothing.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/types.hpp"

namespace ew::memory {

/// Why a warp is held.
enum class PersistHold : u8 {
  none,
  buffer,    // no room for one more persist or order operation
  order,     // the bytes may not join older ones of their line, or may not leave yet
  eviction,  // the line that would make room may not leave yet
  durable    // until persists are durable
};
inline constexpr u32 persist_holds = 5;

/// Operations that may order a warp's persists. Each comes with a scope.
enum class PersistOrder : u8 {
  none,
  ofence,
  dfence,
  p_release,    // before the store of a pRel
  p_acquire,    // behind the load of a pAcq
  fence,        // membar, fence
  release,      // before an st.release, an atomic with release
  acquire,      // behind an ld.acquire, an atomic with acquire
  barrier,      // before a warp arrives at a barrier of its block
  barrier_over  // behind a barrier: for the warps that it lets go, together
};
inline constexpr u32 persist_orders = 10;

/// What became of an order operation in a buffer.
enum class PersistEntry : u8 { needless, entered, merged };

struct PersistencyTraits {
  bool regions = true;         // order operations take the place of the fences in everwarp regions
  bool write_through = false;  // persists never stay in the private cache
  bool buffered = false;       // a buffer keeps the order of dirty persistent lines, so a release leaves them there
  /// When an order operation is over, the persists of its threads are durable. Then an oFence or a dFence is as long as
  /// a fence: it takes persistency.fence_cycles, too.
  bool order_waits = false;
  bool acquires = true;  // a load's acquire orders persists, or waits for them
};

class PersistMachinery {
 public:
  virtual ~PersistMachinery() = default;
  /// The line's dirty bytes leave as a persist; a clean copy stays. in_flight() is one more.
  virtual void flush(u32 way) = 0;
  /// Every dirty persistent line, oldest first; of volatile lines, every dirty one.
  virtual void flush_persistent() = 0;
  virtual void flush_volatile() = 0;
  /// Clean copies of persistent lines (or of all lines) go before the next access.
  virtual void invalidate(bool volatile_lines_too) = 0;
  /// Persists that left and are not known to be durable.
  virtual u32 in_flight() const = 0;
  /// True: there are none. Else Persistency::durable_so_far(warps) comes when those of now are durable.
  virtual bool when_durable(u64 warps) = 0;
  /// True: one of these warps has accessed a persistent line since it was asked last.
  virtual bool take_accessed(u64 warps) = 0;
  virtual void resume(u64 warps) = 0;
  /// Persistency::drain() is over.
  virtual void drained() = 0;
  // Counts.
  virtual void entered(PersistOrder, PersistEntry) = 0;
  /// The oldest persist waits for nothing but a place in the window; or does so no more.
  virtual void window_full(bool) = 0;
};

class Persistency {
 public:
  virtual ~Persistency() = default;
  /// A store whose bytes would stay in the private cache. way: its line's; no_way: a line will be made for it. Asked
  /// again when the warp is resumed; an answer of none changes nothing.
  virtual PersistHold on_store(u32 way, u32 warp) = 0;
  /// They are in the line. True: they joined bytes that waited there.
  virtual bool stored(u32 way, u32 warp) = 0;
  /// A store or atomic that goes home at once. way: of dirty bytes that must leave first, or no_way. None: it goes, and
  /// those bytes before it.
  virtual PersistHold on_through(u32 way, u32 warp) = 0;
  /// It went. True: the warp is held.
  virtual bool went_through(u32 warp) = 0;
  /// Dirty bytes of a line should leave before their time. None: they do.
  virtual PersistHold on_evict(u32 way, u32 warp) = 0;
  /// True: the warps go on. False: they are held, and ask again.
  virtual bool on_order(PersistOrder, Scope, u64 warps) = 0;
  /// The warp's pRel, which on_order() has let go, writes this flag now; or its pAcq has read it, and on_order() comes
  /// next. Flags of one number are one flag to a model.
  virtual void on_flag(PersistOrder, u64 /*flag*/, u32 /*warp*/) {}
  /// One more persist is durable: in_flight() has been lowered.
  virtual void on_durable() = 0;
  virtual void durable_so_far(u64 warps) = 0;
  /// Everything leaves, in its order, and becomes durable: a kernel's end. No store is accepted meanwhile. True:
  /// nothing was to do; else PersistMachinery::drained().
  virtual bool drain() = 0;
  /// What is waited for, a line each: for deadlock reports. Empty: nothing.
  virtual std::string what_is_under_way() const = 0;
};

}  // namespace ew::memory
