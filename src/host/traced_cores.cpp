#include "host/traced_cores.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace ew::host {

namespace {

constexpr u64 stack_bytes = u64{1} << 20, guard_bytes = 4096;

u32 count_of(const HostConfig& config) {
  return std::min(config.cores, Sharers::most_cores);
}

}  // namespace

TracedCores::TracedCores(const Surroundings& parts, HostStatistics& statistics, Core::Over over, void* target)
    : over_(over),
      target_(target),
      stacks_bytes_(stack_bytes * count_of(parts.config)),
      sharers_(count_of(parts.config) * (parts.config.own_cache.count / host_line)) {
  void* const stacks =
      ::mmap(nullptr, stacks_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) throw std::bad_alloc();
  stacks_ = reinterpret_cast<u64>(stacks);
  for (u32 core = 0; core < count_of(parts.config); ++core) {
    u8* const stack = static_cast<u8*>(stacks) + core * stack_bytes;
    ::mprotect(stack, guard_bytes, PROT_NONE);  // a stack that is full faults
    cores_.push_back(std::make_unique<TracedCore>(parts, statistics, *this, core,
                                                  std::span(stack + guard_bytes, stack_bytes - guard_bytes)));
  }
}

TracedCores::~TracedCores() {
  ::munmap(reinterpret_cast<void*>(stacks_), stacks_bytes_);
}

template <class Visit>
void TracedCores::each_sharer(u64 key, Visit visit) {
  for (u64 left = sharers_.of(key); left; left &= left - 1) {
    TracedCore& core = *cores_[static_cast<u32>(std::countr_zero(left))];
    visit(core, core.cache_.find(key));
  }
}

void TracedCores::share(const TracedPages::Line& line, u32 number, bool store) {
  each_sharer(line.key, [&](TracedCore& core, u32 way) {
    if (core.number_ == number) return;
    OwnCache::Line& copy = core.cache_[way];
    if (copy.dirty) core.port_.write_back(line.address);
    copy.dirty = copy.owned = false;
    if (core.last_ == line.address) core.last_ = LinesUnderWay::never;
    if (!store) return;
    ++core.statistics_.own_invalidations;
    core.cache_.remove(way);
    sharers_.remove(line.key, core.number_);
  });
  sharers_.add(line.key, number);
}

bool TracedCores::clean(u64 key) {
  bool was_dirty = false;
  each_sharer(key, [&](TracedCore& core, u32 way) {
    OwnCache::Line& copy = core.cache_[way];
    was_dirty |= copy.dirty;
    copy.dirty = false;
    if (core.last_ == copy.address) core.last_stores_ = false;
  });
  return was_dirty;
}

void TracedCores::drop(u64 key) {
  each_sharer(key, [&](TracedCore& core, u32 way) {
    if (core.last_ == core.cache_[way].address) core.last_ = LinesUnderWay::never;
    core.cache_.remove(way);
    sharers_.remove(key, core.number_);
  });
}

std::string TracedCores::what_is_under_way() const {
  std::string text;
  for (const auto& core : cores_) text += core->what_is_under_way();
  return text;
}

}  // namespace ew::host
