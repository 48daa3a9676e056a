// The way of a command through a controller: fetched, its data's places found, its data brought in, performed, its data
// sent out, completed. What a command means is its CommandSet's. Owned by the controller.
//
// The completion leaves behind the data, in this order, without waiting for them to arrive: whether the host can see
// the completion first is a matter of what stands behind Dma.
#pragma once

#include <array>
#include <optional>

#include "storage/queues.hpp"
#include "storage/slots.hpp"
#include "storage/transfers.hpp"

namespace ew::storage {

/// What a command needs, seen from its entry alone.
struct Plan {
  Status status;  // no success: it ends so
  Direction direction = Direction::none;
  u64 bytes = 0;
  bool fatal = false;  // a fault: the controller fails
};

class CommandSet {
 public:
  virtual ~CommandSet() = default;
  virtual Plan plan(Slot&) = 0;
  /// Its data are there, if it has any from the host. Nothing: it ends later, by finish() or performed().
  virtual std::optional<Status> act(u32 slot) = 0;
};

class Pipeline {
 public:
  struct Parts {
    Dma& dma;
    Queues& queues;
    CommandSet& admin;
    CommandSet& io;
  };
  Pipeline(const Parts& parts, u32 io_commands) : parts_(parts), slots_(io_commands), transfers_(parts.dma, slots_) {}

  Slots& slots() { return slots_; }

  /// Fetches commands while there are entries and room.
  void fetch();
  void moved(u32 tag);
  /// The medium has performed the slot's command.
  void performed(u32 slot, Status);
  /// The command ends. REQUIRES: it acts or waits.
  void finish(u32 slot, Status);
  /// The host has taken completions away: those that were held back go out.
  void release_held_back(u32 completion_queue);

  /// The command ends with abort-requested, if it can still be stopped; `by`, the Abort, then ends behind it.
  bool abort(u32 slot, u32 by);
  /// Commands that wait until the one that they name has ended.
  u32 aborts() const { return aborts_; }
  /// Ends what is under way in the queue, then removes it and ends the command in slot `by`.
  void delete_submission(u32 queue, u32 by);

  /// No further command is fetched. abruptly: those under way end with power-loss where they can still be stopped.
  void close(bool abruptly);
  /// Forgets everything: no completion leaves any more. quiet(): nothing is under way with memory or medium, either.
  void stop();
  bool quiet() const { return transfers_.none() && acting_ == 0; }
  /// Open again, after stop(). REQUIRES: quiet.
  void open(u32 page);

  /// A command was fatal; nothing more is fetched.
  bool failed() const { return state_ == State::failed; }
  u64 errors() const { return errors_; }

 private:
  enum class State : u8 { open, closed, failed, stopped };

  void begin(u32 slot);
  void fetched(u32 slot);
  void place(u32 slot);
  void act(u32 slot);
  void post(u32 slot);
  void send(u32 slot);
  void over(u32 slot);
  void end_deletion(u32 queue);
  void end_lost(Status, std::optional<u32> only);
  std::optional<Status> stopped_by(const Slot&);

  const Parts parts_;
  Slots slots_;
  Transfers transfers_;
  State state_ = State::open;
  u32 acting_ = 0, aborts_ = 0;
  u64 errors_ = 0;
  std::optional<Status> ending_;
};

}  // namespace ew::storage
