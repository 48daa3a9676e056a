#include "ptx/rows.hpp"

#include <algorithm>
#include <numeric>

namespace ew::ptx {

namespace {

/// Linear scan over the starts of live ranges that knows their holes: a row is free for a register if nothing that
/// holds the row now or later meets it. Small functions dominate, and a warp's rows must stay in the host's first-level
/// cache, so rows are packed tightly: single rows go where half a pair is taken already.
class Scan {
 public:
  explicit Scan(std::span<const RowRequest> requests)
      : requests_(requests), cursor_(requests.size(), 0), assigned_(requests.size(), 0) {}
  RowAssignment run();

 private:
  struct Row {
    u32 busy_until = 0;        // the value in it now lives up to here
    std::vector<u32> holders;  // requests that have not ended yet
  };

  u32 find_row(u32 request);
  bool is_free(Row&, u32 request);
  void take(u32 row, u32 request);
  static constexpr u32 no_row = 0xffffffff;
  bool is_busy(u32 row) const { return row < rows_.size() && rows_[row].busy_until > now_; }

  std::span<const RowRequest> requests_;
  std::vector<std::size_t> cursor_;  // per request: its first interval that ends after now_
  std::vector<u32> assigned_;
  std::vector<Row> rows_;
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

bool Scan::is_free(Row& row, u32 request) {
  if (row.busy_until > now_) return false;
  const auto wanted = requests_[request].intervals;
  std::size_t kept = 0;
  bool free = true;
  for (const u32 holder : row.holders) {
    const auto held = requests_[holder].intervals;
    std::size_t& at = cursor_[holder];
    while (at < held.size() && held[at].end <= now_) ++at;
    if (at == held.size()) continue;
    row.holders[kept++] = holder;
    if (held[at].begin <= now_) row.busy_until = std::max(row.busy_until, held[at].end);
    free = free && !meet(held.subspan(at), wanted);
  }
  row.holders.resize(kept);
  return free;
}

u32 Scan::find_row(u32 request) {
  const u32 width = requests_[request].width;
  const auto is_free_from = [&](u32 row) {
    for (u32 part = row; part < row + width; ++part) {
      if (part < rows_.size() && !is_free(rows_[part], request)) return false;
    }
    return true;
  };
  const auto count = static_cast<u32>(rows_.size());
  u32 first_free = no_row;
  for (u32 row = 0; row < count; row += width) {
    // Half a pair (half of four for a pair) that is taken anyway is the best place; otherwise the lowest.
    const bool beside = width < 4 && (is_busy(row ^ width) || (width == 2 && is_busy((row ^ width) + 1)));
    if ((beside || first_free == no_row) && is_free_from(row)) {
      if (beside || width == 4 || !mixed_) return row;
      if (first_free == no_row) first_free = row;
    }
  }
  return first_free != no_row ? first_free : (count + width - 1) / width * width;
}

void Scan::take(u32 row, u32 request) {
  const auto& wanted = requests_[request];
  if (rows_.size() < row + wanted.width) rows_.resize(row + wanted.width);
  for (u32 part = row; part < row + wanted.width; ++part) {
    rows_[part].holders.push_back(request);
    rows_[part].busy_until = wanted.intervals.front().end;
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
    take(find_row(request), request);
  }
  return {std::move(assigned_), static_cast<u32>(rows_.size())};
}

}  // namespace

RowAssignment assign_rows(std::span<const RowRequest> requests) {
  return Scan(requests).run();
}

}  // namespace ew::ptx
