#include "memory/managed/paged_port.hpp"

#include <fmt/format.h>

#include <utility>

namespace ew::memory {

Accepted PagedPort::hold(const LineAccess& access) {
  ++pages_.counters().held_accesses;
  held_.push_back({access});
  Held& held = held_.back();
  // It is answered once it is home: the SM has been told that it is pending.
  held.access.at_home |= access.kind == AccessKind::store;
  held.asked = !pages_.resident(access.line, held.writes());
  if (held.asked) pages_.fault(access.line, held.writes(), *this);
  return Accepted::pending;
}

void PagedPort::page_arrived(u64 page_address, u64 bytes, core::Cycle when) {
  for (Held& held : held_) held.asked &= held.access.line - page_address >= bytes;
  inbox_.post<&PagedPort::look>(when, *this);
}

void PagedPort::wake() {
  if (!held_.empty()) go_on_at(wheel_.now());
  sm_.wake();
}

void PagedPort::resume(u64 warps) {
  if (!held_.empty()) go_on_at(wheel_.now());
  sm_.resume(warps);
}

void PagedPort::go_on_at(core::Cycle when) {
  if (asked_) return;
  asked_ = true;
  wheel_.at<&PagedPort::go_on>(when, *this);
}

void PagedPort::completed(u64 access, u64 part) {
  sm_.complete(static_cast<u32>(access), static_cast<u32>(part), ServedBy::private_cache);
}

/// Held accesses whose pages are there go to the cache, in order of arrival; those that it cannot take yet stay. A page
/// may have gone again meanwhile: it is asked for anew.
void PagedPort::go_on(u64, u64) {
  asked_ = false;
  std::vector<Held> still;
  for (Held held : std::exchange(held_, {})) {
    const LineAccess& access = held.access;
    const bool behind = std::ranges::any_of(still, [&](const Held& h) { return h.access.line == access.line; });
    const bool away = !pages_.resident(access.line, held.writes());
    if (away && !std::exchange(held.asked, true)) pages_.fault(access.line, held.writes(), *this);
    Stall why = Stall::none;
    if (behind || away) {
      still.push_back(held);
      continue;
    }
    switch (cache_->access(access, why)) {
      case Accepted::performed:
        wheel_.at<&PagedPort::completed>(wheel_.now() + 1, *this, access.access, access.part);
        break;
      case Accepted::pending:
        break;
      case Accepted::stalled:
        still.push_back(held);
        if (why == Stall::bank) go_on_at(wheel_.now() + 1);
        break;
    }
  }
  held_ = std::move(still);
}

std::string PagedPort::what_is_under_way() const {
  std::string text = cache_->what_is_under_way();
  if (!held_.empty()) text += fmt::format("{} accesses wait for managed pages\n", held_.size());
  return text;
}

}  // namespace ew::memory
