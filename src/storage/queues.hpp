// The submission and completion queues of a controller, and which submission queue is served next. Queue 0 of each kind
// is the administrator's. Owned by the controller; rings lie in memory, in one stretch each.
//
// A ring of `size` entries is empty when head and tail are the same, and full with size - 1. Submission queues are
// served in turn (round robin), a burst of entries each.
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
  u32 head = 0;                                  // entries before it were fetched
  u32 fetch = 0;                                 // the next to fetch; those from head on are being fetched
  u32 tail = 0;                                  // the host's
  u32 under_way = 0;                             // commands fetched or being fetched, without a completion so far
  core::Ring<u32> fetching = core::Ring<u32>();  // their slots, in order
  std::vector<bool> used;                        // by command identifier: it is under way
  std::optional<u32> deleted_by;                 // the slot of the command that deletes the queue

  bool exists() const { return size != 0; }
  bool has_entries() const { return fetch != tail && !deleted_by; }
};

struct CompletionQueue {
  u64 base = 0;
  u32 size = 0;
  u32 head = 0;  // the host's
  u32 tail = 0;
  bool phase = true;                              // of the next entry
  u32 users = 0;                                  // submission queues
  core::Ring<u32> held_back = core::Ring<u32>();  // slots whose completion has no room, in order

  bool exists() const { return size != 0; }
  bool full() const { return (tail + 1) % size == head; }
};

class Queues {
 public:
  /// `pairs`: for I/O.
  explicit Queues(u32 pairs) : submissions_(pairs + 1), completions_(pairs + 1) {}

  u32 pairs() const { return static_cast<u32>(submissions_.size()) - 1; }
  SubmissionQueue& submission(u32 id) { return submissions_[id]; }
  CompletionQueue& completion(u32 id) { return completions_[id]; }
  bool has_submission(u32 id) const { return id < submissions_.size() && submissions_[id].exists(); }
  bool has_completion(u32 id) const { return id < completions_.size() && completions_[id].exists(); }
  /// Of I/O queues.
  bool any() const;

  /// REQUIRES: no such queue exists; for a submission queue its completion queue does.
  void create_submission(u32 id, u64 base, u32 size, u16 completions);
  void create_completion(u32 id, u64 base, u32 size);
  void remove_submission(u32 id);
  void remove_completion(u32 id) { completions_[id] = {}; }
  void clear();

  /// The host's new tail, or head; false: it may not have this value.
  bool move_tail(u32 id, u32 tail);
  bool move_head(u32 id, u32 head);

  /// Of one queue before the next has its turn. 0: no limit.
  void set_burst(u32 entries) { burst_ = entries; }
  /// The queue whose entry is fetched next, if there is room for a command of the administrator's, or of the others'.
  std::optional<u32> next(bool admin_room, bool io_room);

 private:
  void next_turn();

  std::vector<SubmissionQueue> submissions_;
  std::vector<CompletionQueue> completions_;
  core::Ring<u32> turns_;  // I/O queues that had entries when they came in, and queue 0
  std::vector<bool> waits_ = std::vector<bool>(submissions_.size());  // in turns_
  u32 burst_ = 1, served_ = 0;
};

}  // namespace ew::storage
