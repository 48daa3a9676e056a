#include "runtime/managed_pages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/clock_ratio.hpp"

namespace ew::runtime {

ManagedPages::ManagedPages(const ManagedConfig& config, core::Kilohertz sm_clock, const memory::AddressSpace& space,
                           core::TimeWheel& wheel, memory::HostLink& link)
    : config_(config),
      page_(config.page.count),
      fault_cycles_(core::cycles_covering(sm_clock, config.fault)),
      space_(space),
      wheel_(wheel),
      link_(link) {}

/// A window keeps its states while it lives; it ends with what is allocated now.
void ManagedPages::refresh() {
  std::vector<Window> windows;
  for (const auto& found : space_.windows()) {
    if (found.region != memory::Region::managed) continue;
    const auto old = std::ranges::find(windows_, found.begin, &Window::begin);
    windows.push_back(old == windows_.end() ? Window{found.begin, 0, {}} : std::move(*old));
    // An arena is far larger than what lies in it: the states reach as far as its last allocation.
    const u64 used = found.number == 0 ? space_.used(memory::Region::managed) : found.end - found.begin;
    Window& window = windows.back();
    u64 end = found.begin + used;
    if (used == 0) continue;
    const auto last = space_.neighbours(found.end - 1).below;
    if (last && last->region == memory::Region::managed) end = std::max(end, last->end());
    window.bytes = std::max(window.bytes, (std::min(end, found.end) - found.begin + page_ - 1) / page_ * page_);
    window.state.resize(window.bytes / page_, on_host);
  }
  windows_ = std::move(windows);
}

ManagedPages::Window* ManagedPages::window_of(u64 address) {
  for (Window& window : windows_)
    if (address - window.begin < window.bytes) return &window;
  return nullptr;
}

void ManagedPages::fault(u64 address, PagedPort& port) {
  Window& window = *window_of(address);
  const u64 number = (address - window.begin) / page_, page_address = window.begin + number * page_;
  u8& state = window.state[number];
  waiting_.push_back({page_address, &port});
  if (state == coming) return;
  state = coming;
  ++under_way_;
  ++statistics_.faults;
  waiting_for_batch_.push_back(page_address);
  begin_faults();
}

void ManagedPages::begin_faults() {
  for (; !waiting_for_batch_.empty() && in_service_ < config_.batch; ++in_service_) {
    wheel_.at<&ManagedPages::fault_handled>(wheel_.now() + fault_cycles_, *this, waiting_for_batch_.front());
    waiting_for_batch_.pop_front();
  }
}

void ManagedPages::fault_handled(u64 page_address, u64) {
  --in_service_;
  begin_faults();
  link_.send<&ManagedPages::arrived>(memory::LinkDirection::to_device, page_, *this, page_address);
}

void ManagedPages::arrived(u64 page_address, u64) {
  --under_way_;
  ++statistics_.pages_to_device;
  if (Window* window = window_of(page_address)) window->state[(page_address - window->begin) / page_] = here;
  std::erase_if(waiting_, [&](const Waiting& one) {
    if (one.page_address != page_address) return false;
    one.port->page_arrived();
    return true;
  });
}

void ManagedPages::touched_by_host(u64 address) {
  Window* window = window_of(address);
  if (!window) return;
  u8& state = window->state[(address - window->begin) / page_];
  if (state != here) return;
  state = on_host;
  ++statistics_.pages_to_host;
  link_.send(
      memory::LinkDirection::to_host, page_, [](void*, u64, u64) {}, this);
}

std::string ManagedPages::what_is_under_way() const {
  if (under_way_ == 0) return {};
  std::string text = fmt::format("managed memory: {} pages come, {} faults wait for their batch\n", under_way_,
                                 waiting_for_batch_.size());
  u64 listed = 0, last = 0;
  for (const Waiting& one : waiting_) {
    if (one.page_address == last) continue;
    last = one.page_address;
    text += fmt::format("managed memory: page {:#x} is waited for\n", last);
    if (++listed == 8) break;
  }
  return text;
}

/// What is held stays in front of later accesses of its line.
bool PagedPort::must_hold(u64 line) const {
  return !pages_.resident(line) ||
         (!held_.empty() && std::ranges::find(held_, line, &memory::LineAccess::line) != held_.end());
}

memory::Accepted PagedPort::access(const memory::LineAccess& access, memory::Stall& why) {
  if (!must_hold(access.line)) [[likely]]
    return cache_->access(access, why);
  ++pages_.counters().held_accesses;
  held_.push_back(access);
  // It is answered once it is home: the SM has been told that it is pending.
  held_.back().at_home |= access.kind == memory::AccessKind::store;
  if (!pages_.resident(access.line)) pages_.fault(access.line, *this);
  return memory::Accepted::pending;
}

bool PagedPort::release(Scope scope, u32 token) {
  if (held_.empty()) return cache_->release(scope, token);
  deferred_.push_back({false, scope, token});
  return false;
}

bool PagedPort::flush(u32 token) {
  if (held_.empty()) return cache_->flush(token);
  deferred_.push_back({true, Scope::sys, token});
  return false;
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
  sm_.complete(static_cast<u32>(access), static_cast<u32>(part), memory::ServedBy::private_cache);
}

/// Held accesses whose pages are there go to the cache, in order of arrival; those that it cannot take yet stay.
void PagedPort::go_on(u64, u64) {
  asked_ = false;
  std::vector<memory::LineAccess> still;
  for (const memory::LineAccess& access : held_) {
    const bool behind = std::ranges::find(still, access.line, &memory::LineAccess::line) != still.end();
    memory::Stall why = memory::Stall::none;
    if (behind || !pages_.resident(access.line)) {
      still.push_back(access);
      continue;
    }
    switch (cache_->access(access, why)) {
      case memory::Accepted::performed:
        wheel_.at<&PagedPort::completed>(wheel_.now() + 1, *this, access.access, access.part);
        break;
      case memory::Accepted::pending:
        break;
      case memory::Accepted::stalled:
        still.push_back(access);
        if (why == memory::Stall::bank) go_on_at(wheel_.now() + 1);
        break;
    }
  }
  held_ = std::move(still);
  if (!held_.empty()) return;
  for (const Deferred& one : std::exchange(deferred_, {}))
    if (one.flush ? cache_->flush(one.token) : cache_->release(one.scope, one.token)) sm_.released(one.token);
}

std::string PagedPort::what_is_under_way() const {
  std::string text = cache_->what_is_under_way();
  if (!held_.empty()) text += fmt::format("{} accesses wait for managed pages\n", held_.size());
  return text;
}

}  // namespace ew::runtime
