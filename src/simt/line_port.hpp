// The SM's view of its private cache: what it asks for, a line at a time. PrivateCache fits through PortOf; tests bring
// hierarchies of their own. Owned by whoever owns the cache; called by the SM that it is attached to.
#pragma once

#include <string>

#include "memory/agent.hpp"
#include "memory/cache/private_cache.hpp"

namespace ew::simt {

class LinePort {
 public:
  virtual ~LinePort() = default;
  virtual memory::Accepted access(const memory::LineAccess&, memory::Stall& why) = 0;
  // Decide nothing: PrivateCache.
  virtual void expect_line(u64) const {}
  virtual void expect(const core::Inbox&, core::Cycle /*end*/, u32 /*step*/) const {}
  virtual void acquire(Scope, core::Account) = 0;
  virtual bool release(Scope, u32 token, core::Account, u32 warp) = 0;
  virtual void begin_kernel(core::Account) = 0;
  virtual void resize(u64, core::Account) {}
  virtual bool end_kernel(u32 token, core::Account) = 0;
  virtual bool order(memory::PersistOrder, Scope, u64 warps, core::Account) = 0;
  virtual void flag(memory::PersistOrder, u64 flag, u32 warp) = 0;
  virtual std::string what_is_under_way() const = 0;
};

/// Cache: memory::PrivateCache, or what has its functions.
template <class Cache>
class PortOf final : public LinePort {
 public:
  explicit PortOf(Cache& cache) : cache_(cache) {}
  memory::Accepted access(const memory::LineAccess& access, memory::Stall& why) override {
    return cache_.access(access, why);
  }
  void expect_line(u64 line) const override { cache_.expect_line(line); }
  void expect(const core::Inbox& coming, core::Cycle end, u32 step) const override { cache_.expect(coming, end, step); }
  void acquire(Scope scope, core::Account account) override { cache_.acquire(scope, account); }
  bool release(Scope scope, u32 token, core::Account account, u32 warp) override {
    return cache_.release(scope, token, account, warp);
  }
  void resize(u64 bytes, core::Account account) override { cache_.resize(bytes, account); }
  void begin_kernel(core::Account account) override { cache_.begin_kernel(account); }
  bool end_kernel(u32 token, core::Account account) override { return cache_.end_kernel(token, account); }
  bool order(memory::PersistOrder kind, Scope scope, u64 warps, core::Account account) override {
    return cache_.order(kind, scope, warps, account);
  }
  void flag(memory::PersistOrder kind, u64 flag, u32 warp) override { cache_.flag(kind, flag, warp); }
  std::string what_is_under_way() const override { return cache_.what_is_under_way(); }

 private:
  Cache& cache_;
};

}  // namespace ew::simt
