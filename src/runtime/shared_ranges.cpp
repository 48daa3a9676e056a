#include "runtime/shared_ranges.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace ew::runtime {

namespace {

constexpr u64 watched_page = 4096;

u64 page_of(u64 address) {
  return address / watched_page * watched_page;
}
u64 page_behind(u64 address) {
  return (address + watched_page - 1) / watched_page * watched_page;
}

/// What the system says of the program's own memory: proc(5), /proc/pid/maps.
class Mappings {
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

}  // namespace

/// Small neighbours on one page are one range.
void SharedRanges::add(const SharedRange& range) {
  if (range.begin >= range.end) return;
  if (count_ > 0) {
    SharedRange& last = list_[count_ - 1];
    if (!range.exclusive && !last.exclusive && last.begin == range.begin && last.end == range.end) {
      last.exact_begin = std::min(last.exact_begin, range.exact_begin);
      last.exact_end = std::max(last.exact_end, range.exact_end);
      return;
    }
  }
  if (count_ == most) {
    blind_ = true;
    return;
  }
  list_[count_++] = range;
}

/// Its first and last page hold other data, too, unless it begins and ends with a page.
void SharedRanges::add_registered(u64 begin, u64 end) {
  const u64 first = page_of(begin), behind = page_behind(end);
  const u64 inner_begin = page_behind(begin), inner_end = std::max(page_of(end), inner_begin);
  if (first < inner_begin) add({first, first + watched_page, begin, end, false});
  add({inner_begin, inner_end, inner_begin, inner_end, true});
  if (inner_end < behind && behind - watched_page >= inner_begin)
    add({behind - watched_page, behind, begin, end, false});
}

SharedRanges SharedRanges::find(const memory::AddressSpace& space) {
  SharedRanges ranges;
  std::vector<memory::AddressSpace::Window> windows = space.seen_by_host();
  std::ranges::sort(windows, {}, &memory::AddressSpace::Window::begin);
  const auto registered = [](const auto& window) {
    return window.number != 0 && window.region != memory::Region::pool;
  };
  const Mappings mappings(std::ranges::any_of(windows, registered));
  for (const auto& window : windows) {
    const u64 first = page_of(window.begin), behind = page_behind(window.end);
    if (!registered(window)) {
      ranges.add({first, behind, window.begin, window.end, true});
      continue;
    }
    const Mappings::Kind kind = mappings.kind(first, behind);
    ranges.blind_ |= kind == Mappings::Kind::stack;
    if (kind == Mappings::Kind::open) ranges.add_registered(window.begin, window.end);
  }
  return ranges;
}

bool SharedRanges::on_page(u64 address) const {
  return std::ranges::any_of(all(),
                             [&](const SharedRange& range) { return range.begin <= address && address < range.end; });
}

bool SharedRanges::shares(u64 address) const {
  return std::ranges::any_of(
      all(), [&](const SharedRange& range) { return range.exact_begin <= address && address < range.exact_end; });
}

bool SharedRanges::meets(u64 begin, u64 end) const {
  return std::ranges::any_of(all(), [&](const SharedRange& range) { return begin < range.end && range.begin < end; });
}

}  // namespace ew::runtime
