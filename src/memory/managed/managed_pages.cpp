#include "memory/managed/managed_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/clock_ratio.hpp"
#include "memory/managed/paged_port.hpp"

namespace ew::memory {

namespace {

// Pages of a prefetch on the link at once: others' packets come between them.
constexpr u32 most_in_flight = 2;

}  // namespace

ManagedPages::ManagedPages(const ManagedConfig& config, core::Picoseconds prefetch_latency, core::Kilohertz sm_clock,
                           const AddressSpace& space, core::TimeWheel& wheel, HostLink& link,
                           std::function<void(u64 id)> done)
    : config_(config),
      page_(config.page.count),
      places_(space, page_),
      fault_cycles_(std::max<u64>(1, core::cycles_covering(sm_clock, config.fault))),
      handler_cycles_(core::cycles_covering(sm_clock, config.handler)),
      prefetch_cycles_(core::cycles_covering(sm_clock, prefetch_latency)),
      wheel_(wheel),
      link_(link),
      done_(std::move(done)),
      room_({.config = config_,
             .places = places_,
             .space = space,
             .wheel = wheel,
             .link = link,
             .statistics = statistics_,
             .arrived = [](void* pages, u64 page_address,
                           u64 prefetch) { static_cast<ManagedPages*>(pages)->arrived(page_address, prefetch); },
             .target = this}) {}

void ManagedPages::refresh() {
  places_.refresh();
  room_.refresh();
}

void ManagedPages::advise(u64 begin, u64 bytes, ManagedAdvice advice) {
  std::vector<u64> here;
  const auto on_device = [](PagePlace place) { return place == PagePlace::here || place == PagePlace::on_both; };
  places_.each_page(begin, bytes, [&](PagePlace& place, u8&, u64 page_address) {
    if (on_device(place)) here.push_back(page_address);
  });
  places_.advise(begin, bytes, advice);
  for (const u64 page_address : here)
    places_.each_page(std::max(page_address, begin), 1, [&](PagePlace& place, u8&, u64 address) {
      if (!on_device(place)) room_.left(address);
    });
}

void ManagedPages::fault(u64 address, bool writes, PagedPort& port) {
  places_.each_page(address, 1, [&](PagePlace& place, u8&, u64 page_address) {
    waiting_.push_back({page_address, &port, writes});
    if (place == PagePlace::coming) return;
    waiting_for_batch_.push_back({page_address, place == PagePlace::on_host});
    if (place == PagePlace::on_both) room_.hold(page_address);
    place = PagePlace::coming;
    ++under_way_;
    ++statistics_.faults;
  });
  begin_faults();
}

void ManagedPages::begin_faults() {
  for (; !waiting_for_batch_.empty() && in_service_ < config_.batch; ++in_service_) {
    const Fault fault = waiting_for_batch_.front();
    handler_free_ = std::max(handler_free_, wheel_.now()) + handler_cycles_;
    wheel_.at<&ManagedPages::fault_handled>(handler_free_ + fault_cycles_, *this, fault.page_address, fault.transfer);
    waiting_for_batch_.pop_front();
  }
}

void ManagedPages::fault_handled(u64 page_address, u64 transfer) {
  --in_service_;
  begin_faults();
  if (!transfer) return arrived(page_address, PageRoom::Coming::none);
  room_.bring({page_address});
}

/// A page that is mostly read stays on the host, too, unless somebody waits to write it.
void ManagedPages::arrived(u64 page_address, u64 prefetch) {
  --under_way_;
  const bool to_write =
      std::ranges::any_of(waiting_, [&](const Waiting& one) { return one.page_address == page_address && one.writes; });
  places_.each_page(page_address, 1, [&](PagePlace& place, u8& read_mostly, u64) {
    place = read_mostly && !to_write ? PagePlace::on_both : PagePlace::here;
  });
  std::erase_if(waiting_, [&](const Waiting& one) {
    if (one.page_address != page_address) return false;
    one.port->page_arrived(page_address, page_, wheel_.now() + 1);
    return true;
  });
  room_.came(page_address);
  if (prefetch != PageRoom::Coming::none) go_on_prefetching(prefetch, 1);
}

void ManagedPages::touched_by_host(u64 address, u64 bytes, bool store) {
  places_.each_page(address, bytes, [&](PagePlace& place, u8& read_mostly, u64 page_address) {
    if (place == PagePlace::on_both && store) {
      place = PagePlace::on_host;
      room_.left(page_address);
    }
    if (place != PagePlace::here) return;
    place = read_mostly && !store ? PagePlace::on_both : PagePlace::on_host;
    if (place == PagePlace::on_host) room_.left(page_address);
    ++statistics_.pages_to_host;
    link_.send(
        LinkDirection::to_host, page_, [](void*, u64, u64) {}, this);
  });
}

void ManagedPages::prefetch(u64 id, PagePrefetch what) {
  prefetches_.emplace(id, Moving{what, what.begin / page_ * page_, 0});
  wheel_.at<&ManagedPages::go_on_prefetching>(wheel_.now() + prefetch_cycles_, *this, id);
}

void ManagedPages::go_on_prefetching(u64 id, u64 moved) {
  Moving& moving = prefetches_.at(id);
  moving.in_flight -= static_cast<u32>(moved);
  for (const u64 end = moving.what.begin + moving.what.bytes; moving.next < end && moving.in_flight < most_in_flight;
       moving.next += page_)
    moving.in_flight += prefetch_page(id, moving);
  if (moving.in_flight) return;
  prefetches_.erase(id);
  done_(id);
}

/// True: the page is on its way.
bool ManagedPages::prefetch_page(u64 id, Moving& moving) {
  bool sent = false;
  places_.each_page(std::max(moving.next, moving.what.begin), 1,
                    [&](PagePlace& place, u8& read_mostly, u64 page_address) {
                      sent = place == (moving.what.to_device ? PagePlace::on_host : PagePlace::here);
                      if (!sent) return;
                      ++statistics_.pages_prefetched;
                      if (moving.what.to_device) {
                        place = PagePlace::coming;
                        ++under_way_;
                        room_.bring({page_address, id});
                      } else {
                        place = read_mostly ? PagePlace::on_both : PagePlace::on_host;
                        if (!read_mostly) room_.left(page_address);
                        ++statistics_.pages_to_host;
                        link_.send<&ManagedPages::go_on_prefetching>(LinkDirection::to_host, page_, *this, id, 1);
                      }
                    });
  return sent;
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

}  // namespace ew::memory
