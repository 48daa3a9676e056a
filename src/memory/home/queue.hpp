// Requests that wait at a home. Those for a line that is under way wait in its MSHR, in order; those that found no MSHR
// are blocked, in order. Owned by the home.
//
// Invariants
// - A line with an MSHR is under way to its device, held by the protocol, or has waiting requests; it is not evicted.
// - While any request is blocked, every new one is: requests for one line never pass each other.
#pragma once

#include <vector>

#include "core/time_wheel.hpp"
#include "memory/home/lines.hpp"
#include "memory/home_policy.hpp"

namespace ew::memory {

struct alignas(64) WaitingRequest {
  Request request;
  u32 next = no_number;
  bool fetched = false;  // its sectors came from the device
};

struct RequestList {
  u32 first = no_number, last = no_number;
  bool empty() const { return first == no_number; }
};

struct HomeMshr {
  u32 way = no_way;
  RequestList waiting;
  u32 answers = 0;  // of probes and forwards, to come
  bool held = false, recall = false;
  Request request;  // that it is held for
  bool fetched = false;
  Decision decision;
  core::Cycle since = 0;
  u32 next_free = no_number;
  bool active = false;
};

class HomeQueue {
 public:
  HomeQueue(u32 mshrs, HomeLines&);

  bool full() const { return free_ == no_number; }
  u32 active() const { return active_; }
  HomeMshr& operator[](u32 number) { return mshrs_[number]; }
  /// REQUIRES: !full(); the line has none.
  u32 take(u32 way);
  void free(u32 number);

  void wait(HomeMshr&, const Request&, bool fetched);
  const WaitingRequest& first_of(const HomeMshr& mshr) const { return waiting_[mshr.waiting.first]; }
  void pop(HomeMshr& mshr) { pop(mshr.waiting); }

  bool any_blocked() const { return !blocked_.empty(); }
  void block(const Request&);
  /// A copy: dispatching may put others behind it.
  Request first_blocked() const { return waiting_[blocked_.first].request; }
  void pop_blocked() { pop(blocked_); }
  /// Requests of a line that has gone arrive anew, behind the first that is blocked.
  void block_again(RequestList);

  template <class Visitor>
  void each_active(Visitor&& visit) const {
    for (const HomeMshr& mshr : mshrs_)
      if (mshr.active) visit(mshr);
  }
  u32 count(const RequestList&) const;
  const RequestList& blocked() const { return blocked_; }

 private:
  u32 take_waiting(const Request&, bool fetched);
  void append(RequestList&, u32 node);
  void pop(RequestList&);

  HomeLines& lines_;
  std::vector<HomeMshr> mshrs_;
  u32 free_ = no_number, active_ = 0;
  std::vector<WaitingRequest> waiting_;
  u32 free_waiting_ = no_number;
  RequestList blocked_;
};

}  // namespace ew::memory
