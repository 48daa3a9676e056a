// Scoped buffered release persistency in hardware: SBRP paper, sections 6.1 and 6.2. One an SM, owned by its private
// cache.
//
// The names are the paper's. FSM: warps whose persists must wait until what is in flight is durable. ODM: warps whose
// dFence (or release above block scope) is in the buffer. EDM: warps that wait for acknowledgements: behind such an
// operation, for bytes of a line that they may not join yet, or for an eviction. ACTR: in_flight() of the machinery.
// The paper waits for ACTR = 0; here a wait is over when what was in flight as it began is acknowledged, which is the
// same while nothing else is sent, and which a stream of others' persists cannot keep from coming.
//
// What a pAcq orders its warp behind. The paper's variable is "an identifier for matching pRel to pAcq" (section 5):
// the flags' lines, as nine bits (an entry's line index has as many), name what was released. A flag's word says which
// pRel in the buffer was its last, and until which mark the persists of those that have left may be in flight. A pAcq
// enters behind a pRel that is still inside; when that has left, its warps go to the FSM until that mark. A pAcq
// of flags that nobody has released since, as in a failed iteration of a spin, orders nothing.
//
// How no warp waits for ever. Whoever is held names a place of the buffer that must have left (`wanted_`). The buffer
// empties up to there: its oldest entry waits for a place in the window (where that caps all persists) or, if its warps
// are in the FSM, for acknowledgements, and both come. With that place gone, the acknowledgements of then resume the
// warp.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "core/ring.hpp"
#include "persistency/models.hpp"
#include "persistency/persist_buffer.hpp"

namespace ew::persistency {

class Sbrp final : public Persistency {
 public:
  Sbrp(const PersistencyConfig&, u32 lines, PersistMachinery&);

  memory::PersistHold on_store(u32 way, u32 warp) override;
  bool stored(u32 way, u32 warp) override;
  memory::PersistHold on_through(u32 way, u32 warp) override;
  bool went_through(u32 warp) override;
  memory::PersistHold on_evict(u32 way, u32 warp) override;
  bool on_order(memory::PersistOrder, Scope, u64 warps) override;
  void on_flag(memory::PersistOrder, u64 flag, u32 warp) override;
  void on_durable() override;
  void durable_so_far(u64) override;
  bool drain() override;
  std::string what_is_under_way() const override;

 private:
  using Place = PersistBuffer::Place;
  enum class Policy : u8 { window, capped, eager, lazy };

  bool nothing_to_order() const { return buffer_.empty() && machinery_.in_flight() == 0; }
  bool may_leave(Place, u64 warps) const;
  bool enter(memory::PersistOrder, EntryType, u64 warps);
  bool room(u64 warps);
  bool wait_until_durable(memory::PersistOrder, u64 warps);
  bool acquire(memory::PersistOrder, Scope, u64 warps);
  bool acquire_matched(u32 warp);
  bool acquire_all(memory::PersistOrder, u64 warps);
  memory::PersistHold hold(memory::PersistHold, u32 warp, Place);
  void want(Place);
  void pump();
  struct Walk;
  bool policy_lets_go(Place);
  bool let_out(const PersistBuffer::Entry&, Place, Walk&);
  void take_effect(const PersistBuffer::Entry&, Place, Walk&);
  void retire_release(const PersistBuffer::Entry&, Place);
  void note_sent(u64 warps);
  u64 in_flight_of(u64 warps) const;
  void set_fsm(u64 warps);
  void set_fsm(u64 warps, u64 until);
  bool mark(u64 fsm, u64 edm);
  void end_waits(u64 warps);
  bool let_go();
  void empty_buffer();

  PersistMachinery& machinery_;
  PersistBuffer buffer_;
  u32 window_;
  Policy policy_;
  /// Who waits for the acknowledgements of what was in flight at a moment. Marks end in the order of being set.
  struct Mark {
    u64 fsm = 0, edm = 0;
  };
  core::Ring<Mark> marks_;
  u64 marks_set_ = 0, marks_over_ = 0;
  u64 fsm_ = 0;
  std::array<u64, 64> fsm_until_{};    // by warp: number of the mark that takes it out
  std::array<u64, 64> sent_before_{};  // by warp: of the first mark behind its youngest persist in flight, plus one
  u64 odm_ = 0, edm_ = 0;              // of the EDM: until wanted_of_ has left
  u64 acknowledging_ = 0;              // of the EDM: it has, and a mark will end the wait
  u64 for_durability_ = 0;             // of the EDM: dFences and releases
  u64 for_room_ = 0;                   // held until the buffer has room
  u64 passed_ = 0;                     // of the ODM and EDM: over, the warp does not know yet
  u64 unordered_ = 0;                  // with a persist since their last operation that orders their own
  Place wanted_ = 0;                   // what is before it leaves whatever the policy says, but for a cap
  Place makes_room_ = 0;               // what is before it leaves whatever the cap says
  std::array<Place, 64> wanted_of_{};
  u64 releases_ = 0;                // release operations that entered
  std::array<u64, 64> acquired_{};  // of them, at the warp's last acquire of all
  // Flags by which pAcqs are matched to pRels.
  static constexpr u32 flags = 512, any_flag = flags, most_read = 8;
  struct Flag {
    Place release = PersistBuffer::none;  // the last pRel of it that is in the buffer
    u64 until = 0;                        // a mark: of those that have left
  };
  struct Release {
    Place place = PersistBuffer::none;  // none: the warp's last pRel had nothing to order
    u64 until = 0;                      // a mark, once it has left
  };
  /// Flags that a warp's pAcq has read; with more than most_read it is behind all that is older.
  struct Read {
    u32 count = 0, done = 0;
    std::array<u16, most_read> flag{};
    // What the warp acquired last of those at this index: a flag, and the place of its last pRel.
    std::array<std::pair<u32, Place>, most_read> acquired{};
  };
  bool matches_, acquires_wait_;  // persistency.acquires
  std::vector<Flag> flags_;
  std::array<Release, 64> released_{};
  std::array<Read, 64> read_{};
  const bool head_only_;  // persistency.leaving
  bool draining_ = false, window_full_ = false;
};

}  // namespace ew::persistency
