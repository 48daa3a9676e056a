#include "ptx/rows.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <queue>

namespace ew::ptx {

namespace {

constexpr u32 nowhere = 0xffffffff;

/// Linear scan over the starts of live ranges that knows their holes: a row is free for a register if nothing that
/// holds the row now or later meets it. A warp's rows must stay in the host's first-level cache, so they are packed
/// tightly: a single row goes where half a pair is taken already.
class Scan {
 public:
  explicit Scan(std::span<const RowRequest> requests)
      : requests_(requests), cursor_(requests.size(), 0), assigned_(requests.size(), 0) {}
  RowAssignment run();

 private:
  struct Waking {
    u32 until = 0, row = 0;
    bool operator>(const Waking& other) const { return until > other.until; }
  };

  u32 find_row(u32 request);
  bool is_free(u32 row, u32 request);
  void take(u32 row, u32 request);
  void sleep(u32 row, u32 until);
  void wake();
  bool is_awake(u32 row) const { return row < holders_.size() && (awake_[row / 64] >> row % 64 & 1) != 0; }
  bool is_busy(u32 row) const { return row < holders_.size() && !is_awake(row); }
  u32 next_awake(u32 row) const;

  std::span<const RowRequest> requests_;
  std::vector<std::size_t> cursor_;  // per request: its first interval that ends after now_
  std::vector<u32> assigned_;
  std::vector<std::vector<u32>> holders_;  // per row: requests in it that have not ended yet
  std::vector<u64> awake_;                 // bit per row: not known to hold a live value now
  std::priority_queue<Waking, std::vector<Waking>, std::greater<>> asleep_;
  u32 now_ = 0;
  bool mixed_ = false;  // widths differ, so where a row is taken matters to wider registers
};

bool meet(std::span<const Interval> a, std::span<const Interval> b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i].end <= b[j].begin) {
      ++i;
    } else if (b[j].end <= a[i].begin) {
      ++j;
    } else {
      return true;
    }
  }
  return false;
}

void Scan::sleep(u32 row, u32 until) {
  awake_[row / 64] &= ~(u64{1} << row % 64);
  asleep_.push({until, row});
}

void Scan::wake() {
  while (!asleep_.empty() && asleep_.top().until <= now_) {
    const u32 row = asleep_.top().row;
    awake_[row / 64] |= u64{1} << row % 64;
    asleep_.pop();
  }
}

u32 Scan::next_awake(u32 row) const {
  for (std::size_t word = row / 64; word < awake_.size(); ++word) {
    const u64 bits = word == row / 64 ? awake_[word] & ~u64{0} << row % 64 : awake_[word];
    if (bits != 0) return static_cast<u32>(word * 64 + static_cast<u32>(std::countr_zero(bits)));
  }
  return nowhere;
}

/// REQUIRES: the row is awake.
bool Scan::is_free(u32 row, u32 request) {
  const auto wanted = requests_[request].intervals;
  auto& holders = holders_[row];
  std::size_t kept = 0;
  bool free = true;
  u32 busy_until = 0;
  for (const u32 holder : holders) {
    const auto held = requests_[holder].intervals;
    std::size_t& at = cursor_[holder];
    while (at < held.size() && held[at].end <= now_) ++at;
    if (at == held.size()) continue;
    holders[kept++] = holder;
    if (held[at].begin <= now_) busy_until = std::max(busy_until, held[at].end);
    free = free && !meet(held.subspan(at), wanted);
  }
  holders.resize(kept);
  if (busy_until > now_) sleep(row, busy_until);
  return free;
}

u32 Scan::find_row(u32 request) {
  const u32 width = requests_[request].width;
  const auto is_free_from = [&](u32 row) {
    for (u32 part = row; part < row + width; ++part) {
      if (part < holders_.size() && (!is_awake(part) || !is_free(part, request))) return false;
    }
    return true;
  };
  u32 first_free = nowhere;
  for (u32 row = next_awake(0); row != nowhere; row = next_awake(row + width)) {
    row = row / width * width;
    // Half a pair (half of four for a pair) that is taken anyway is the best place; otherwise the lowest.
    const bool beside = width < 4 && (is_busy(row ^ width) || (width == 2 && is_busy((row ^ width) + 1)));
    if ((beside || first_free == nowhere) && is_free_from(row)) {
      if (beside || width == 4 || !mixed_) return row;
      if (first_free == nowhere) first_free = row;
    }
  }
  const auto count = static_cast<u32>(holders_.size());
  return first_free != nowhere ? first_free : (count + width - 1) / width * width;
}

void Scan::take(u32 row, u32 request) {
  const auto& wanted = requests_[request];
  while (holders_.size() < row + wanted.width) {
    if (holders_.size() % 64 == 0) awake_.push_back(0);
    awake_.back() |= u64{1} << holders_.size() % 64;
    holders_.emplace_back();
  }
  for (u32 part = row; part < row + wanted.width; ++part) {
    holders_[part].push_back(request);
    sleep(part, wanted.intervals.front().end);
  }
  assigned_[request] = row;
}

RowAssignment Scan::run() {
  std::vector<u32> order(requests_.size());
  std::iota(order.begin(), order.end(), 0);
  // Of those that start together the wide ones choose first: they find fewer places.
  std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) {
    const u32 x = requests_[a].intervals.front().begin, y = requests_[b].intervals.front().begin;
    return x != y ? x < y : requests_[a].width > requests_[b].width;
  });
  for (const auto& request : requests_) mixed_ |= request.width != requests_.front().width;
  for (const u32 request : order) {
    now_ = requests_[request].intervals.front().begin;
    wake();
    take(find_row(request), request);
  }
  return {std::move(assigned_), static_cast<u32>(holders_.size())};
}

}  // namespace

RowAssignment assign_rows(std::span<const RowRequest> requests) {
  return Scan(requests).run();
}

}  // namespace ew::ptx
