// The way of a command through a controller: it is fetched, the addresses of its data are found, data from the host are
// brought in, the command is performed, data to the host are sent out, the completion is sent. A CommandSet knows what
// each command means. Owned by the controller.
//
// The completion leaves after the data, but does not wait until they have arrived. The implementation of Dma decides
// whether the host can see the completion first.
#pragma once

#include <array>
#include <optional>

#include "storage/queues.hpp"
#include "storage/slots.hpp"
#include "storage/transfers.hpp"

namespace ew::storage {

/// The needs of a command, which follow from its entry alone.
struct Plan {
  Status status;  // an error: the command ends with it
  Direction direction = Direction::none;
  u64 bytes = 0;
  bool fatal = false;  // a fault makes the controller fail
};

class CommandSet {
 public:
  virtual ~CommandSet() = default;
  virtual Plan plan(Slot&) = 0;
  /// Performs the command. Its data from the host, if it has any, are there. Returns how the command ended; nothing, if
  /// it ends later by finish() or performed().
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
  /// Ends the command. REQUIRES: it acts or waits.
  void finish(u32 slot, Status);
  /// The host has taken completions out of the queue. Sends those that had no room before.
  void release_held_back(u32 completion_queue);

  /// The command will end with abort-requested, if it can still be stopped; then the Abort in slot `by` ends after it.
  /// False: it cannot be stopped.
  bool abort(u32 slot, u32 by);
  /// The number of Abort commands that wait for the end of the command that they name.
  u32 aborts() const { return aborts_; }
  /// Ends the commands under way in the queue, then removes the queue and ends the command in slot `by`.
  void delete_submission(u32 queue, u32 by);

  /// No further command is fetched. `abruptly`: commands under way end with power-loss, if they can still be stopped.
  void close(bool abruptly);
  /// Forgets everything: no completion leaves any more. quiet() is true when memory and medium have nothing under way.
  void stop();
  bool quiet() const { return transfers_.none() && acting_ == 0; }
  /// Starts again, after stop(). REQUIRES: quiet().
  void open(u32 page);

  /// A command was fatal. Nothing more is fetched.
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
