#include "timing_machine.hpp"

#include <algorithm>
#include <stdexcept>

namespace ew::test {

using memory::Accepted;
using memory::AccessKind;

Accepted DelayedLines::access(const memory::LineAccess& access, memory::Stall& why) {
  const core::Cycle now = wheel_.now();
  if (held_ >> access.warp & 1) throw std::logic_error("an access of a warp that is held");
  if (chance(setup_.holds)) {
    why = static_cast<memory::Stall>(static_cast<u32>(memory::Stall::persist_buffer) + random_() % 3);
    held_ |= u64{1} << access.warp;
    wheel_.at<&DelayedLines::resume>(now + 1 + random_() % 200, *this, u64{1} << access.warp);
    return Accepted::stalled;
  }
  if (chance(setup_.stalls)) {
    why = random_() % 2 ? memory::Stall::mshr : memory::Stall::bank;
    wheel_.at<&DelayedLines::wake>(now + 1 + random_() % 7, *this);
    return Accepted::stalled;
  }
  if (setup_.seen) setup_.seen->push_back(access);
  core::Cycle& busy = busy_until_[access.line / 64 % busy_until_.size()];
  if (busy <= now && !(access.at_home && access.kind == AccessKind::store) && chance(setup_.hits)) {
    agent_.perform(access.access, access.part, reinterpret_cast<u8*>(access.line));
    return Accepted::performed;
  }
  busy = std::max(busy, now + setup_.fastest + random_() % (setup_.slowest - setup_.fastest + 1));
  if (access.kind != AccessKind::load) last_store_ = std::max(last_store_, busy);
  most_under_way = std::max(most_under_way, ++under_way_);
  const u64 number = u64{access.access} << 8 | access.part;
  if (setup_.stores_at_once && access.kind == AccessKind::store) {
    agent_.perform(access.access, access.part, reinterpret_cast<u8*>(access.line));
    wheel_.at<&DelayedLines::visible>(busy, *this, number);
  } else if (setup_.answers && access.kind >= AccessKind::atomic) {
    const u64 id = atomics_.take();
    agent_.ask(access.access, access.part, atomics_[static_cast<u32>(id)]);
    wheel_.at<&DelayedLines::arrive_atomic>(busy, *this, id << 40 | number, access.line);
  } else if (setup_.answers) {
    wheel_.at<&DelayedLines::arrive>(busy, *this, number, access.line);
  }
  return Accepted::pending;
}

void DelayedLines::arrive(u64 number, u64 line) {
  agent_.perform(static_cast<u32>(number >> 8), number & 0xff, reinterpret_cast<u8*>(line));
  visible(number, 0);
}

/// As a home does it.
void DelayedLines::arrive_atomic(u64 id_and_number, u64 line) {
  const u32 id = static_cast<u32>(id_and_number >> 40);
  const u64 number = id_and_number & ((u64{1} << 40) - 1);
  const u32 access = static_cast<u32>(number >> 8), part = number & 0xff;
  memory::LineAtomic& atomic = atomics_[id];
  u8* const bytes = reinterpret_cast<u8*>(line);
  if (watch_)
    watch_->perform({.line = line, .access = access, .origin = sm_, .part = static_cast<u8>(part)}, atomic, bytes);
  else
    memory::perform(atomic, atomic.lanes, bytes);
  agent_.found(access, part, atomic);
  atomics_.give_back(id);
  visible(number, 0);
}

void DelayedLines::visible(u64 number, u64) {
  --under_way_;
  agent_.complete(static_cast<u32>(number >> 8), number & 0xff, memory::ServedBy::device);
}

bool DelayedLines::order(memory::PersistOrder kind, Scope scope, u64 warps, core::Account) {
  if (chance(setup_.holds)) {
    wheel_.at<&DelayedLines::resume>(wheel_.now() + 1 + random_() % 200, *this, warps);
    return false;
  }
  if (setup_.orders) setup_.orders->push_back({kind, scope, warps, setup_.seen ? setup_.seen->size() : 0});
  return true;
}

bool DelayedLines::release(Scope, u32 token, core::Account, u32) {
  ++releases;
  if (last_store_ <= wheel_.now()) return true;
  wheel_.at<&DelayedLines::released>(last_store_, *this, token);
  return false;
}

TimingMachine::TimingMachine(const TimingSetup& setup, const simt::GpuLimits& limits, memory::AddressSpace& space,
                             simt::DeviceServices& services)
    : setup_(setup) {
  const std::string refused = simt::TimingGpu::refuse(limits, setup.timing);
  if (!refused.empty()) throw std::runtime_error(refused);
  gpu_ = std::make_unique<simt::TimingGpu>(simt::TimingGpu::Parts{.limits = limits,
                                                                  .timing = setup.timing,
                                                                  .line = setup.line,
                                                                  .private_latency = setup.private_latency,
                                                                  .seed = setup.skew,
                                                                  .space = space,
                                                                  .services = services,
                                                                  .wheel = wheel_,
                                                                  .consistency = *consistency::model(setup.consistency),
                                                                  .persists = setup.persists,
                                                                  .recorder = setup.recorder});
  for (u32 sm = 0; sm < limits.sms; ++sm) {
    lines_.push_back(std::make_unique<DelayedLines>(gpu_->partition(sm).wheel, *gpu_, setup, sm));
    gpu_->attach(sm, *lines_.back());
  }
}

TimingMachine::~TimingMachine() {
  if (!setup_.report) return;
  TimingReport& report = *setup_.report;
  report = {.statistics = gpu_->statistics(), .digest = gpu_->digest(), .events = wheel_.executed()};
  for (const auto& lines : lines_) {
    report.acquires += lines->acquires;
    report.releases += lines->releases;
    report.most_under_way = std::max(report.most_under_way, lines->most_under_way);
  }
}

MakeGpu timing_machine(const TimingSetup& setup) {
  return [setup](const simt::GpuLimits& limits, memory::AddressSpace& space, simt::DeviceServices& services) {
    return std::make_unique<TimingMachine>(setup, limits, space, services);
  };
}

}  // namespace ew::test
