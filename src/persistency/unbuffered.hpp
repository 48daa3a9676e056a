// What models without a persist buffer share. Persists leave when the model says so, in no order among each other. A
// warp that needs its persists durable waits for all persists that its SM has sent. Owned by the private cache.
#pragma once

#include "persistency/models.hpp"

namespace ew::persistency {

class Unbuffered : public Persistency {
 public:
  explicit Unbuffered(PersistMachinery& machinery) : machinery_(machinery) {}

  memory::PersistHold on_store(u32, u32) override { return memory::PersistHold::none; }
  bool stored(u32 way, u32 warp) override;
  memory::PersistHold on_through(u32, u32) override { return memory::PersistHold::none; }
  bool went_through(u32) override { return false; }
  memory::PersistHold on_evict(u32, u32) override { return memory::PersistHold::none; }
  void on_durable() override;
  void durable_so_far(u64 warps) override;
  bool drain() override;
  std::string what_is_under_way() const override;

 protected:
  /// Of these warps: those that have just been told that their persists are durable. Asking takes the answer.
  bool was_told(u64 warps);
  /// True: all that was sent is durable; else the warps are held.
  bool wait_until_durable(u64 warps);
  struct Barrier {
    bool volatile_too = false;  // sends and gives up volatile lines, too
    bool always = false;        // of warps that have accessed no persistent line since their last as well
  };
  /// An epoch barrier: dirty persistent lines leave, the warps wait, copies go. True: it is over. One of warps that
  /// have accessed no persistent line since their last waits for nothing, unless `always`.
  bool epoch_barrier(Barrier, u64 warps);

  PersistMachinery& machinery_;

 private:
  u64 waiting_ = 0, told_ = 0;
  bool draining_ = false;
};

/// Model::make of one.
template <class Self>
std::unique_ptr<Persistency> make(const PersistencyConfig&, u32, PersistMachinery& machinery) {
  return std::make_unique<Self>(machinery);
}

}  // namespace ew::persistency
