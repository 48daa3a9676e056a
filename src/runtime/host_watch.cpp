#include "runtime/host_watch.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/host_signals.hpp"

namespace ew::runtime {

namespace {

constexpr u64 watched_page = 4096;
constexpr u32 most_strays = 1000;  // far more than threads can have met the same closing

u64 page_of(u64 address) {
  return address / watched_page * watched_page;
}
u64 page_behind(u64 address) {
  return (address + watched_page - 1) / watched_page * watched_page;
}

// The watches of this process, for the signal handler: a Machine each, of which a program has one.
std::array<std::atomic<HostWatch*>, 4> watches;

}  // namespace

class HostWatch::Guard {
 public:
  explicit Guard(HostWatch& watch) : busy_(watch.busy_) {
    while (busy_.test_and_set(std::memory_order_acquire)) continue;
  }
  ~Guard() { busy_.clear(std::memory_order_release); }

 private:
  std::atomic_flag& busy_;
};

/// What the system says of the program's own memory: proc(5), /proc/pid/maps.
class HostWatch::Mappings {
 public:
  explicit Mappings(bool wanted) {
    if (!wanted) return;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      unsigned long begin = 0, end = 0;
      char rights[8] = {};
      if (std::sscanf(line.c_str(), "%lx-%lx %7s", &begin, &end, rights) != 3) continue;
      const bool guarded = !all_.empty() && !all_.back().accessible && all_.back().end == begin;
      all_.push_back({begin, end, rights[0] == 'r' && rights[1] == 'w', rights[0] != '-',
                      line.ends_with("[stack]") || (guarded && line.find_first_of("/[") == std::string::npos)});
    }
  }
  enum class Kind : u8 { open, stack, other };
  Kind kind(u64 begin, u64 end) const {
    const auto found = std::ranges::find_if(all_, [&](const One& one) { return one.begin <= begin && end <= one.end; });
    if (found == all_.end() || !found->writable) return Kind::other;
    return found->stack ? Kind::stack : Kind::open;
  }

 private:
  struct One {
    u64 begin = 0, end = 0;
    bool writable = false, accessible = false;
    bool stack = false;  // or what looks like the stack of a thread: behind a guard
  };
  std::vector<One> all_;
};

void* HostWatch::operator new(std::size_t bytes) {
  void* const place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc();
  return place;
}

void HostWatch::operator delete(void* place, std::size_t bytes) {
  ::munmap(place, bytes);
}

HostWatch::HostWatch(const memory::AddressSpace& space, std::function<void()> noticed)
    : space_(space), noticed_(std::move(noticed)) {
  u32 arena = 0;
  for (const auto& window : space.windows())
    if (window.region == memory::Region::managed || window.region == memory::Region::host ||
        window.region == memory::Region::pool)
      arenas_[arena++] = {window.begin, window.end};
  for (auto& place : watches) {
    HostWatch* none = nullptr;
    if (place.compare_exchange_strong(none, this)) return;
  }
}

HostWatch::~HostWatch() {
  open();
  for (auto& place : watches) {
    HostWatch* self = this;
    place.compare_exchange_strong(self, nullptr);
  }
}

/// Small neighbours on one page are one range.
void HostWatch::Ranges::add(const Range& range) {
  if (range.begin >= range.end) return;
  if (count > 0) {
    Range& last = list[count - 1];
    if (!range.exclusive && !last.exclusive && last.begin == range.begin && last.end == range.end) {
      last.exact_begin = std::min(last.exact_begin, range.exact_begin);
      last.exact_end = std::max(last.exact_end, range.exact_end);
      return;
    }
  }
  if (count == most_ranges) {
    blind = true;
    return;
  }
  list[count++] = range;
}

HostWatch::Ranges HostWatch::find(const memory::AddressSpace& space) {
  Ranges ranges;
  std::vector<memory::AddressSpace::Window> windows = space.seen_by_host();
  std::ranges::sort(windows, {}, &memory::AddressSpace::Window::begin);
  const bool own = std::ranges::any_of(
      windows, [](const auto& window) { return window.number != 0 && window.region != memory::Region::pool; });
  const Mappings mappings(own);
  for (const auto& window : windows) {
    if (window.number == 0 || window.region == memory::Region::pool) {
      ranges.add({page_of(window.begin), page_behind(window.end), window.begin, window.end, true});
      continue;
    }
    const u64 first = page_of(window.begin), behind = page_behind(window.end);
    const Mappings::Kind kind = mappings.kind(first, behind);
    ranges.blind |= kind == Mappings::Kind::stack;
    if (kind != Mappings::Kind::open) continue;
    const u64 inner_begin = page_behind(window.begin), inner_end = std::max(page_of(window.end), inner_begin);
    if (first < inner_begin) ranges.add({first, first + watched_page, window.begin, window.end, false});
    ranges.add({inner_begin, inner_end, inner_begin, inner_end, true});
    if (inner_end < behind && behind - watched_page >= inner_begin)
      ranges.add({behind - watched_page, behind, window.begin, window.end, false});
  }
  return ranges;
}

void HostWatch::close(bool everything) {
  const u64 changes = space_.seen_by_host_changes();
  if (closed_ && changes == found_ && (closed_everything_ || !everything)) return;
  if (changes != found_) {
    const Ranges fresh = find(space_);
    const Guard guard(*this);
    open_locked();
    ranges_ = fresh;
    found_ = changes;
    blind_ = fresh.blind;
  }
  if (ranges_.count > 0) catch_faults();
  const Guard guard(*this);
  if (system_calls_ > 0) return;
  for (u32 i = 0; i < ranges_.count; ++i) {
    const Range& range = ranges_.list[i];
    if (everything || range.exclusive)
      ::mprotect(reinterpret_cast<void*>(range.begin), range.end - range.begin, PROT_NONE);
  }
  closed_ = true;
  closed_everything_ = everything;
}

void HostWatch::open() {
  if (!closed_) return;
  const Guard guard(*this);
  open_locked();
}

void HostWatch::open_locked() {
  if (!closed_) return;
  for (u32 i = 0; i < ranges_.count; ++i) {
    const Range& range = ranges_.list[i];
    if (closed_everything_ || range.exclusive)
      ::mprotect(reinterpret_cast<void*>(range.begin), range.end - range.begin, PROT_READ | PROT_WRITE);
  }
  closed_ = closed_everything_ = false;
  strays_ = 0;
}

void HostWatch::begin_silence() {
  if (reads_ == 0) return;
  const Guard guard(*this);
  reads_ = 0;
  polled_ = false;
  last_ = {};
  in_a_row_ = 0;
}

/// One word again and again, or many looks: the host waits for a change.
void HostWatch::note(u64 address, u64 instruction) {
  const bool again = last_.address == address && last_.instruction == instruction;
  in_a_row_ = again ? in_a_row_ + 1 : 1;
  last_ = {address, instruction};
  ++reads_;
  if (in_a_row_ == most_in_a_row || reads_ == most_reads) polled_ = true;
}

bool HostWatch::touch(u64 address, u64 instruction, Access access) {
  bool opened = false;
  {
    const Guard guard(*this);
    const std::span<const Range> ranges(ranges_.list.data(), ranges_.count);
    const auto holds = [&](const Range& range) { return range.begin <= address && address < range.end; };
    if (std::ranges::none_of(ranges, holds)) return false;
    if (!closed_) return ++strays_ < most_strays;
    open_locked();
    opened = true;
    const bool shared = std::ranges::any_of(
        ranges, [&](const Range& range) { return range.exact_begin <= address && address < range.exact_end; });
    if (shared && access == Access::load) note(address, instruction);
    touched_ = true;
  }
  if (opened) noticed_();
  return true;
}

bool HostWatch::any_touched(u64 address, u64 instruction, Access access) {
  return std::ranges::any_of(watches, [&](const std::atomic<HostWatch*>& place) {
    HostWatch* const watch = place.load();
    return watch && watch->touch(address, instruction, access);
  });
}

/// Whether these bytes lie where memory may be closed, now or later.
bool HostWatch::may_close(u64 begin, u64 end) {
  if (std::ranges::any_of(arenas_, [&](const auto& arena) { return begin < arena.second && arena.first < end; }))
    return true;
  const Guard guard(*this);
  return std::any_of(ranges_.list.data(), ranges_.list.data() + ranges_.count,
                     [&](const Range& range) { return begin < range.end && range.begin < end; });
}

void HostWatch::SystemCall::uses(const void* begin, u64 bytes) {
  const u64 address = reinterpret_cast<u64>(begin);
  for (std::size_t i = 0; i < watches.size(); ++i) {
    HostWatch* const watch = watches[i].load(std::memory_order_relaxed);
    if (!watch || bytes == 0 || !watch->may_close(address, address + bytes)) continue;
    if (!std::exchange(held_[i], watch)) ++watch->system_calls_;
    if (watch->closed_) watch->touch(address, 0, Access::load);
    watch->open();  // the first page may be open while the others are not
  }
}

HostWatch::SystemCall::~SystemCall() {
  for (HostWatch* const watch : held_)
    if (watch) --watch->system_calls_;
}

}  // namespace ew::runtime
