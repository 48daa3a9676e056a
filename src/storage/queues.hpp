// The submission and completion queues of a controller, and the choice of the submission queue that is served next.
// Queue 0 of each kind is the admin queue. Owned by the controller. Each ring lies contiguously in memory.
//
// A ring of `size` entries is empty when head and tail are the same, and full with size - 1 entries. Submission queues
// are served in turn (round robin), with a burst of entries for each.
#pragma once

#include <optional>
#include <vector>

#include "core/ring.hpp"
#include "core/types.hpp"

namespace ew::storage {

struct SubmissionQueue {
  u64 base = 0;
  u32 size = 0;  // 0: there is no such queue
  u16 completions = 0;
  u32 head = 0;                                  // the entries before it have been fetched
  u32 fetch = 0;                                 // the next entry to fetch; those from head to here are being fetched
  u32 tail = 0;                                  // the host moves it
  u32 under_way = 0;                             // commands that are being fetched or fetched, without a completion yet
  core::Ring<u32> fetching = core::Ring<u32>();  // slots of the commands that are being fetched, in order
  std::vector<bool> used;                        // for each command identifier: such a command is under way
  std::optional<u32> deleted_by;                 // the slot of the command that deletes the queue

  bool exists() const { return size != 0; }
  bool has_entries() const { return fetch != tail && !deleted_by; }
};

struct CompletionQueue {
  u64 base = 0;
  u32 size = 0;
  u32 head = 0;  // the host moves it
  u32 tail = 0;
  bool phase = true;                              // the phase bit of the next entry
  u32 users = 0;                                  // the number of submission queues that use it
  core::Ring<u32> held_back = core::Ring<u32>();  // slots whose completions have no room, in order

  bool exists() const { return size != 0; }
  bool full() const { return (tail + 1) % size == head; }
};

class Queues {
 public:
  /// `pairs`: the number of pairs of I/O queues.
  explicit Queues(u32 pairs) : submissions_(pairs + 1), completions_(pairs + 1) {}

  u32 pairs() const { return static_cast<u32>(submissions_.size()) - 1; }
  SubmissionQueue& submission(u32 id) { return submissions_[id]; }
  CompletionQueue& completion(u32 id) { return completions_[id]; }
  bool has_submission(u32 id) const { return id < submissions_.size() && submissions_[id].exists(); }
  bool has_completion(u32 id) const { return id < completions_.size() && completions_[id].exists(); }
  /// True if there is an I/O queue.
  bool any() const;

  /// REQUIRES: the queue does not exist; the completion queue of a submission queue exists.
  void create_submission(u32 id, u64 base, u32 size, u16 completions);
  void create_completion(u32 id, u64 base, u32 size);
  void remove_submission(u32 id);
  void remove_completion(u32 id) { completions_[id] = {}; }
  void clear();

  /// The host has written a new tail, or head. False: the value is not valid.
  bool move_tail(u32 id, u32 tail);
  bool move_head(u32 id, u32 head);

  /// The number of entries of one queue that are fetched before the next queue has its turn. 0: no limit.
  void set_burst(u32 entries) { burst_ = entries; }
  /// The queue whose entry is fetched next. `admin_room`: there is room for an admin command; `io_room`: for another.
  std::optional<u32> next(bool admin_room, bool io_room);

 private:
  void next_turn();

  std::vector<SubmissionQueue> submissions_;
  std::vector<CompletionQueue> completions_;
  core::Ring<u32> turns_;  // the queues that wait for their turn; each had entries when it came in
  std::vector<bool> waits_ = std::vector<bool>(submissions_.size());  // for each queue: it is in turns_
  u32 burst_ = 1, served_ = 0;
};

}  // namespace ew::storage
