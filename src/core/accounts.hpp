// The figures of one component, kept apart by who caused the events: each launch has an account of its own while it
// runs, so launches that run side by side do not count each other. What an event counts, and on whose account, is
// decided where it happens: the access, message or device request that causes it carries its account.
//
// Owned by the component. A set of figures stays where it is until its account is taken.
#pragma once

#include <memory>
#include <vector>

#include "core/types.hpp"

namespace ew::core {

/// nobody: what no launch and no copy causes (refreshes, the host's core, idle slots that several launches share).
/// Kernels have first_kernel and up.
using Account = u16;
inline constexpr Account nobody = 0, copies = 1, first_kernel = 2, accounts_end = 0xffff;

/// Which components of a kind have a set of an account, so that no others are asked what it has counted. Owned by who
/// asks.
class AccountHolders {
 public:
  void opened(Account account, u32 component) {
    if (account >= holders_.size()) holders_.resize(account + std::size_t{1});
    holders_[account].push_back(component);
  }
  /// Calls `take(component)` for each that may have counted something since the last call. It takes the account.
  template <class Take>
  void each(Account account, Take&& take) {
    if (account >= holders_.size()) return;
    for (const u32 component : holders_[account]) take(component);
    if (account >= first_kernel) holders_[account].clear();  // else the sets stay
  }

 private:
  std::vector<std::vector<u32>> holders_;  // by account
};

/// Set: counters, all 0 at first, and add(const Set&).
template <class Set>
class Accounts {
 public:
  Accounts() : sets_(first_kernel) {
    for (auto& set : sets_) set = std::make_unique<Set>();
    last_set_ = sets_[nobody].get();
  }
  Accounts(const Accounts&) = delete;
  Accounts& operator=(const Accounts&) = delete;

  Set& operator[](Account account) {
    if (account != last_) [[unlikely]]
      look_up(account);
    return *last_set_;
  }

  /// All accounts together, those that were taken, too.
  Set total() const {
    Set sum = taken_;
    for (const auto& set : sets_)
      if (set) sum.add(*set);
    return sum;
  }

  /// One counter of total().
  u64 total(u64 (*counter)(const Set&)) const {
    u64 sum = counter(taken_);
    for (const auto& set : sets_)
      if (set) sum += counter(*set);
    return sum;
  }

  /// From now on these are told of each set of this component. REQUIRES: nothing has been counted.
  void tell(AccountHolders& holders, u32 component) {
    holders_ = &holders;
    component_ = component;
    for (Account account = 0; account < first_kernel; ++account) holders.opened(account, component);
  }
  /// What the account has counted since it was taken last. Nothing may hold on to its set.
  Set take(Account account) {
    if (!has(account)) return {};
    if (account == last_) look_up(nobody);
    const Set figures = *sets_[account];
    taken_.add(figures);
    *sets_[account] = {};
    if (account >= first_kernel) spare_.push_back(std::move(sets_[account]));
    return figures;
  }

 private:
  bool has(Account account) const { return account < sets_.size() && sets_[account]; }
  void look_up(Account account) {
    if (!has(account)) open(account);
    last_ = account;
    last_set_ = sets_[account].get();
  }
  void open(Account account) {
    if (account >= sets_.size()) sets_.resize(account + std::size_t{1});
    if (holders_) holders_->opened(account, component_);
    if (spare_.empty()) {
      sets_[account] = std::make_unique<Set>();
      return;
    }
    sets_[account] = std::move(spare_.back());
    spare_.pop_back();
  }

  std::vector<std::unique_ptr<Set>> sets_, spare_;
  Set taken_{};
  Account last_ = nobody;  // that was asked for, and its set: mostly it is asked for again
  Set* last_set_ = nullptr;
  AccountHolders* holders_ = nullptr;
  u32 component_ = 0;
};

/// Figures of which one account is current: what is counted goes there until another is named.
template <class Set>
class CurrentAccount {
 public:
  void act_for(Account whose) {
    if (whose == account_) return;
    account_ = whose;
    current_ = &accounts_[whose];
  }
  Account account() const { return account_; }
  Set* operator->() { return current_; }
  Set& operator*() { return *current_; }
  Set& of(Account account) { return accounts_[account]; }

  /// Accounts::tell.
  void tell(AccountHolders& holders, u32 component) { accounts_.tell(holders, component); }
  Set take(Account account) {
    act_for(nobody);
    return accounts_.take(account);
  }
  /// All accounts together, as they are now.
  Set total() const { return accounts_.total(); }

 private:
  Accounts<Set> accounts_;
  Account account_ = nobody;
  Set* current_ = &accounts_[nobody];
};

}  // namespace ew::core
