// Scoped buffered release persistency in hardware: SBRP paper, sections 6.1 and 6.2. One an SM, owned by its private
// cache.
//
// The model says whether a store, an eviction or an order operation may go on, and walks through the persist buffer
// whenever an entry may leave it. Its parts keep what it must remember:
//   persist_buffer.hpp      the entries that have not left, in order
//   sbrp_older_entries.hpp  during a walk: what is left before an entry, and so whether an order operation is over
//   sbrp_leaving.hpp        the policy: which of the persists that may leave do
//   sbrp_in_flight.hpp      what has left and is not acknowledged (ACTR), and whose persists wait for that (FSM)
//   sbrp_held_warps.hpp     which warps are held, and until when (ODM, EDM)
//   sbrp_releases.hpp       what was released, and which of it an acquire must follow
//   sbrp_artifact.hpp       what imitates the paper's simulator where it differs from the paper
// The names FSM, ODM, EDM and ACTR are the paper's. The paper waits for ACTR = 0. Here a wait ends when the persists
// that were in flight as it began are acknowledged. That is the same while no other persist is sent; and a stream of
// other warps' persists cannot prolong it.
//
// A pAcq enters the buffer behind a pRel that is still inside. When that pRel has left, the warps of the pAcq go to the
// FSM until what it released is durable.
//
// Why no warp waits for ever. A held warp waits for one buffer entry, and the buffer drains up to that entry: the
// oldest entry waits for a place in the window (if that caps all persists) or, if its warps are in the FSM, for
// acknowledgements, and both come. When the entry has left, the persists in flight are acknowledged, and the warp goes
// on.
#pragma once

#include "memory/persistency.hpp"
#include "persistency/persist_buffer.hpp"
#include "persistency/sbrp_artifact.hpp"
#include "persistency/sbrp_config.hpp"
#include "persistency/sbrp_held_warps.hpp"
#include "persistency/sbrp_in_flight.hpp"
#include "persistency/sbrp_leaving.hpp"
#include "persistency/sbrp_older_entries.hpp"
#include "persistency/sbrp_releases.hpp"

namespace ew::persistency {

class Sbrp final : public memory::Persistency {
 public:
  Sbrp(const SbrpConfig&, u32 lines, memory::PersistMachinery&);

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
  using Entry = PersistBuffer::Entry;

  // Persists.
  bool may_leave(Place, u64 warps) const;
  memory::PersistHold hold(memory::PersistHold, u32 warp, Place);
  bool room(u64 warps);
  // Order operations. True: the warps go on.
  bool nothing_to_order() const { return buffer_.empty() && in_flight_.persists() == 0; }
  bool enter(memory::PersistOrder, EntryType, u64 warps);
  bool wait_until_durable(memory::PersistOrder, u64 warps);
  bool make_durable(memory::PersistOrder, u64 warps);
  bool acquire(memory::PersistOrder, Scope, u64 warps);
  bool acquire_matched(u32 warp);
  bool acquire_all(memory::PersistOrder, u64 warps);
  // The buffer empties.
  void pump();
  void empty_buffer();
  bool let_out(const Entry&, Place, SbrpOlderEntries&);
  void take_effect(const Entry&, Place, SbrpOlderEntries&);
  bool let_go();
  void end_waits(u64 warps);

  memory::PersistMachinery& machinery_;
  const SbrpArtifact artifact_;
  PersistBuffer buffer_;
  SbrpLeaving leaving_;
  SbrpInFlight in_flight_;
  SbrpHeldWarps held_;
  SbrpReleases releases_;
  u64 unordered_ = 0;  // warps with a persist since their last operation that orders their own
  bool draining_ = false;
};

}  // namespace ew::persistency
