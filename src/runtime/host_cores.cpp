#include "runtime/host_cores.hpp"

#include <algorithm>
#include <utility>

namespace ew::runtime {

memory::CpuCore& HostCores::add(const memory::CpuCore::Parts& parts) {
  const u32 number = static_cast<u32>(cores_.size());
  cores_.push_back(std::make_unique<memory::CpuCore>(parts, [this, number] { over(number); }));
  requests_.push_back(nullptr);
  return *cores_.back();
}

bool HostCores::begin(HostRequest& request, bool alone) {
  const u32 next = static_cast<u32>(core_of_.size() % cores_.size());
  const u32 core = core_of_.try_emplace(request.thread, next).first->second;
  if (cores_[core]->busy()) return false;
  request.begun = true;
  requests_[core] = &request;
  cores_[core]->start({.address = request.address, .bytes = request.bytes, .store = request.store, .alone = alone});
  return true;
}

void HostCores::over(u32 core) {
  std::exchange(requests_[core], nullptr)->over = true;
  ++served_;
  over_();
}

bool HostCores::busy() const {
  return std::ranges::any_of(cores_, [](const auto& core) { return core->busy(); });
}

void HostCores::let_go() {
  for (const auto& core : cores_)
    if (!core->busy()) core->let_go();
}

void HostCores::acquire() {
  for (const auto& core : cores_) core->acquire();
}

bool HostCores::quiescent() const {
  return std::ranges::all_of(cores_, [](const auto& core) { return core->quiescent(); });
}

memory::CpuCoreStatistics HostCores::statistics() const {
  memory::CpuCoreStatistics all;
  for (const auto& core : cores_) all.add(core->statistics());
  return all;
}

std::string HostCores::what_is_under_way() const {
  std::string text;
  for (const auto& core : cores_) text += core->what_is_under_way();
  return text;
}

}  // namespace ew::runtime
