// Stands between an SM and its private cache where managed memory moves: an access of a page that is not there is
// answered `pending` and held until it is; what the same warps do with other pages goes on. One an SM, owned by
// MemoryHierarchy.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/inbox.hpp"
#include "memory/agent.hpp"
#include "memory/cache/private_cache.hpp"
#include "memory/managed/managed_pages.hpp"

namespace ew::memory {

class PagedPort final : public Agent {
 public:
  PagedPort(ManagedPages& pages, Agent& sm, core::Partition& partition)
      : pages_(pages), sm_(sm), wheel_(partition.wheel), inbox_(partition.inbox) {}
  void attach(PrivateCache& cache) { cache_ = &cache; }
  /// Heard by the SM in the cycle `when`.
  void page_arrived(u64 page_address, u64 bytes, core::Cycle when);

  // What an SM asks of its private cache, whose functions these are.
  Accepted access(const LineAccess& access, Stall& why) {
    if (!must_hold(access)) [[likely]]
      return cache_->access(access, why);
    return hold(access);
  }
  void expect_line(u64 line) const { cache_->expect_line(line); }
  void expect(const core::Inbox& coming, core::Cycle end, u32 step) const { cache_->expect(coming, end, step); }
  void acquire(Scope scope, core::Account account) { cache_->acquire(scope, account); }
  // What is held is not performed: nobody can have seen it, and its own warp and kernel wait for it by themselves.
  bool release(Scope scope, u32 token, core::Account account, u32 warp) {
    return cache_->release(scope, token, account, warp);
  }
  void resize(u64 bytes, core::Account account) { cache_->resize(bytes, account); }
  void begin_kernel(core::Account account) { cache_->begin_kernel(account); }
  bool end_kernel(u32 token, core::Account account) { return cache_->end_kernel(token, account); }
  bool order(PersistOrder kind, Scope scope, u64 warps, core::Account account) {
    return cache_->order(kind, scope, warps, account);
  }
  void flag(PersistOrder kind, u64 flag, u32 warp) { cache_->flag(kind, flag, warp); }
  std::string what_is_under_way() const;

  // What the cache tells the SM.
  ByteMask perform(u32 access, u32 part, u8* bytes) override { return sm_.perform(access, part, bytes); }
  void ask(u32 access, u32 part, LineAtomic& to) override { sm_.ask(access, part, to); }
  void found(u32 access, u32 part, const LineAtomic& from) override { sm_.found(access, part, from); }
  void ask_poll(u32 access, u32 part, HeldPoll& poll) override { sm_.ask_poll(access, part, poll); }
  void poll_held(u32 access, u32 part, const HeldPoll& poll) override { sm_.poll_held(access, part, poll); }
  void expect(u32 access, u32 part) const override { sm_.expect(access, part); }
  void complete(u32 access, u32 part, ServedBy by) override { sm_.complete(access, part, by); }
  void wake() override;
  void resume(u64 warps) override;
  void released(u32 token) override { sm_.released(token); }

 private:
  struct Held {
    LineAccess access;
    bool asked = false;  // for its page
    bool writes() const { return access.kind != AccessKind::load; }
  };

  /// What is held stays in front of later accesses of its line.
  bool must_hold(const LineAccess& access) const {
    return !pages_.resident(access.line, access.kind != AccessKind::load) ||
           (!held_.empty() && std::ranges::any_of(held_, [&](const Held& h) { return h.access.line == access.line; }));
  }
  Accepted hold(const LineAccess&);
  void go_on_at(core::Cycle);
  void go_on(u64, u64);
  void look(u64, u64) { go_on_at(wheel_.now()); }
  void completed(u64 access, u64 part);

  ManagedPages& pages_;
  Agent& sm_;
  core::TimeWheel& wheel_;
  core::Inbox& inbox_;
  PrivateCache* cache_ = nullptr;
  std::vector<Held> held_;  // in order of arrival
  bool asked_ = false;
};

}  // namespace ew::memory
