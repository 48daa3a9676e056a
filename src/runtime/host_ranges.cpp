#include "runtime/host_ranges.hpp"

#include <nlohmann/json.hpp>

namespace ew::runtime {

u64 HostRanges::open(std::string_view name, u64 now) {
  if (rows_.size() < most_rows) rows_.push_back({std::string(name), now});
  return ++opened_;
}

void HostRanges::close(u64 number, u64 now) {
  if (number == 0 || number > rows_.size() || rows_[number - 1].closed) return;
  rows_[number - 1].end = now;
  rows_[number - 1].closed = true;
}

int HostRanges::push(u64 thread, std::string_view name, u64 now) {
  const std::lock_guard guard(mutex_);
  std::vector<u64>& nested = nested_[thread];
  nested.push_back(open(name, now));
  return static_cast<int>(nested.size()) - 1;
}

int HostRanges::pop(u64 thread, u64 now) {
  const std::lock_guard guard(mutex_);
  const auto found = nested_.find(thread);
  if (found == nested_.end()) return -1;
  std::vector<u64>& nested = found->second;
  close(nested.back(), now);
  nested.pop_back();
  const int left = static_cast<int>(nested.size());
  if (nested.empty()) nested_.erase(found);
  return left;
}

u64 HostRanges::start(std::string_view name, u64 now) {
  const std::lock_guard guard(mutex_);
  return open(name, now);
}

void HostRanges::end(u64 number, u64 now) {
  const std::lock_guard guard(mutex_);
  close(number, now);
}

void HostRanges::add(std::string_view name, u64 begin, u64 end) {
  const std::lock_guard guard(mutex_);
  if (rows_.size() < most_rows) rows_.push_back({std::string(name), begin, end, true});
  ++opened_;
}

void HostRanges::write(nlohmann::ordered_json& statistics) const {
  const std::lock_guard guard(mutex_);
  nlohmann::ordered_json list;
  for (const Range& range : rows_)
    if (range.closed)
      list.push_back({{"range", range.name}, {"nanoseconds_begin", range.begin}, {"nanoseconds_end", range.end}});
  if (!list.empty()) statistics["ranges"] = std::move(list);
  if (opened_ > rows_.size()) statistics["ranges_left_out"] = opened_ - rows_.size();
}

}  // namespace ew::runtime
