// What comes to a part of the machine from the others, each for a cycle of its own: messages of the network, blocks.
// In each cycle the part takes it before its own events, in the order in which it was posted; so what it does depends
// on the posts and their cycles alone, and not on how far the others are ahead. Owned by the part (Partition).
#pragma once

#include <algorithm>

#include "core/agenda.hpp"
#include "core/ring.hpp"
#include "core/time_wheel.hpp"

namespace ew::core {

class Inbox {
 public:
  /// `part`: its line is brought forward to the first post.
  explicit Inbox(Agenda::Line part) : part_(part) {}
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// REQUIRES: the part has not run that cycle yet. `needs`: see each_needing(); it decides nothing.
  void post(Cycle when, TimeWheel::Handler handler, void* target, u64 a = 0, u64 b = 0, const void* needs = nullptr) {
    posts_.push_back({when, handler, target, a, b, needs});
    for (u32 i = posts_.size() - 1; i > 0 && posts_[i - 1].when > when; --i) std::swap(posts_[i - 1], posts_[i]);
    next_ = std::min(next_, when);
    part_.sooner(when);
  }
  /// `post` for a member function.
  template <auto Member, class Target>
  void post(Cycle when, Target& target, u64 a = 0, u64 b = 0, const void* needs = nullptr) {
    post(
        when, [](void* t, u64 x, u64 y) { (static_cast<Target*>(t)->*Member)(x, y); }, &target, a, b, needs);
  }

  /// The cycle of the first post, or `never`.
  Cycle next() const { return next_; }
  /// Calls visit(needs, b) for each post before `end` that needs something of the host's memory: the part may bring it
  /// into the host's caches before it runs.
  template <class Visit>
  void each_needing(Cycle end, Visit&& visit) const {
    if (next_ >= end) return;
    for (u32 i = 0; i < posts_.size(); ++i) {
      const Post& post = posts_[i];
      if (post.when >= end) return;
      if (post.needs) visit(post.needs, post.b);
    }
  }
  /// Takes all posts for this cycle. REQUIRES: none is for an earlier one.
  void run_due(Cycle now) {
    if (next_ > now) return;
    while (!posts_.empty() && posts_.front().when <= now) {
      const Post post = posts_.front();
      posts_.pop_front();
      post.handler(post.target, post.a, post.b);
    }
    next_ = posts_.empty() ? never : posts_.front().when;
  }

 private:
  struct Post {
    Cycle when = 0;
    TimeWheel::Handler handler = nullptr;
    void* target = nullptr;
    u64 a = 0, b = 0;
    const void* needs = nullptr;
  };
  Agenda::Line part_;
  Cycle next_ = never;
  Ring<Post> posts_{16};
};

/// A part of the machine with a time of its own: it may run ahead of the others for as long as nothing that they do now
/// can reach it.
struct Partition {
  /// `line`: kept not later than the first cycle in which it has something to do.
  explicit Partition(Agenda::Line line) : due(line), inbox(line) {}

  Agenda::Line due;
  TimeWheel wheel{TimeWheel::Size::small};
  Inbox inbox;
};

}  // namespace ew::core
