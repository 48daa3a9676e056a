// The commands under way inside a controller. Each has a slot, from its fetch to its completion. Owned by the
// controller's Pipeline. Admin commands have slots of their own. So an Abort is fetched even when all other slots are
// taken.
#pragma once

#include <new>
#include <optional>
#include <vector>

#include "storage/controller_config.hpp"
#include "storage/medium.hpp"
#include "storage/nvme.hpp"
#include "storage/prp.hpp"

namespace ew::storage {

/// Memory of pages: what is read or written past the operating system's cache (O_DIRECT) must begin at such an address.
template <class T>
struct PageAligned {
  using value_type = T;
  static constexpr std::align_val_t page{smallest_page};
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), page)); }
  void deallocate(T* from, std::size_t) { ::operator delete(from, page); }
  bool operator==(const PageAligned&) const = default;
};

/// The direction of a command's data.
enum class Direction : u8 { none, to_host, from_host };

struct Slot {
  enum class Phase : u8 {
    free,
    fetching,    // the command itself is being fetched
    listing,     // entries of a PRP list are being fetched
    gathering,   // data from the host are being fetched
    acting,      // the medium works on it
    waiting,     // it waits for another command, or for an event
    lost,        // it is done, but a fault suppresses its completion
    held_back,   // its completion waits because the completion queue is full
    completing,  // its data and completion are on their way
  };
  Phase phase = Phase::free;
  Direction direction = Direction::none;
  u16 queue = 0;
  bool identified = false;  // its identifier is marked as used
  bool loses = false;       // a fault suppresses its completion
  u32 moving = 0;           // its reads and writes of memory that are under way
  Command command;
  Completion completion;
  Status status;  // how the command ends
  Status fails;   // a fault: the error with which the medium must end it
  u64 late_picoseconds = 0;
  std::optional<u32> aborter;  // the slot of the Abort command that named it
  PrpWalk walk;
  std::vector<u64> list;
  std::vector<u8, PageAligned<u8>> data;
};

class Slots {
 public:
  explicit Slots(u32 io_commands) : slots_(admin_commands + io_commands) {
    for (u32 i = static_cast<u32>(slots_.size()); i-- > 0;) (i < admin_commands ? admin_ : io_).push_back(i);
  }

  Slot& operator[](u32 slot) { return slots_[slot]; }
  u32 size() const { return static_cast<u32>(slots_.size()); }
  bool room(bool admin) const { return !(admin ? admin_ : io_).empty(); }
  /// The slot of a command under way whose completion has not left; nothing if there is none.
  std::optional<u32> find(u32 queue, u16 id) const {
    for (u32 number = 0; number < slots_.size(); ++number) {
      const Slot& slot = slots_[number];
      const bool ended = slot.phase == Slot::Phase::free || slot.phase == Slot::Phase::completing;
      if (!ended && slot.queue == queue && slot.identified && slot.command.id == id) return number;
    }
    return {};
  }

  /// REQUIRES: room().
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
  std::vector<u32> admin_, io_;  // free slots
};

}  // namespace ew::storage
