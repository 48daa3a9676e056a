// Commands under way inside a controller: a slot for each, from its fetch to its completion. Owned by the controller's
// Pipeline. The administrator's commands have slots of their own, so that an Abort is fetched when all others are
// taken.
#pragma once

#include <optional>
#include <vector>

#include "storage/controller_config.hpp"
#include "storage/medium.hpp"
#include "storage/nvme.hpp"
#include "storage/prp.hpp"

namespace ew::storage {

/// Where a command's data go.
enum class Direction : u8 { none, to_host, from_host };

struct Slot {
  enum class Phase : u8 {
    free,
    fetching,    // the command itself
    listing,     // entries of a PRP list
    gathering,   // data from the host
    acting,      // the medium works
    waiting,     // for another command, or for an event
    lost,        // it is done, but a fault keeps its completion
    held_back,   // the completion queue is full
    completing,  // data and completion are on their way
  };
  Phase phase = Phase::free;
  Direction direction = Direction::none;
  u16 queue = 0;
  bool identified = false;  // its identifier is marked as used
  bool loses = false;       // a fault keeps its completion
  u32 moving = 0;           // reads and writes of memory under way
  Command command;
  Completion completion;
  Status status;  // how it ends
  Status fails;   // what the medium is to say
  u64 late_picoseconds = 0;
  std::optional<u32> aborter;  // the Abort command that named it
  PrpWalk walk;
  std::vector<u64> list;
  std::vector<u8> data;
};

class Slots {
 public:
  explicit Slots(u32 io_commands) : slots_(admin_commands + io_commands) {
    for (u32 i = static_cast<u32>(slots_.size()); i-- > 0;) (i < admin_commands ? admin_ : io_).push_back(i);
  }

  Slot& operator[](u32 slot) { return slots_[slot]; }
  u32 size() const { return static_cast<u32>(slots_.size()); }
  bool room(bool admin) const { return !(admin ? admin_ : io_).empty(); }
  /// A command under way, whose completion has not left.
  std::optional<u32> find(u32 queue, u16 id) const {
    for (u32 number = 0; number < slots_.size(); ++number) {
      const Slot& slot = slots_[number];
      const bool ended = slot.phase == Slot::Phase::free || slot.phase == Slot::Phase::completing;
      if (!ended && slot.queue == queue && slot.identified && slot.command.id == id) return number;
    }
    return {};
  }

  /// REQUIRES: room.
  u32 take(u16 queue) {
    std::vector<u32>& free = queue == 0 ? admin_ : io_;
    const u32 taken = free.back();
    free.pop_back();
    Slot& slot = slots_[taken];
    slot.phase = Slot::Phase::fetching;
    slot.direction = Direction::none;
    slot.queue = queue;
    slot.identified = slot.loses = false;
    slot.completion = {};
    slot.status = slot.fails = status::success;
    slot.late_picoseconds = 0;
    slot.aborter.reset();
    slot.data.clear();
    return taken;
  }
  void release(u32 slot) {
    slots_[slot].phase = Slot::Phase::free;
    (slot < admin_commands ? admin_ : io_).push_back(slot);
  }

 private:
  std::vector<Slot> slots_;
  std::vector<u32> admin_, io_;  // free ones
};

}  // namespace ew::storage
