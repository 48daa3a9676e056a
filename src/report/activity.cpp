// The counters of a timeline, as samples over simulated time.
#include <algorithm>
#include <map>

#include "report/run_page.hpp"

namespace ew::report {

namespace {

using Json = nlohmann::ordered_json;

double sum_of(const Json& args) {
  double sum = 0;
  for (const auto& [name, value] : args.items())
    if (value.is_number()) sum += value.get<double>();
  return sum;
}

void add(ActivitySample& sample, const std::string& counter, double value) {
  if (counter == "GPU memory") sample.memory_bytes += value;
  if (counter == "host link") sample.host_bytes += value;
  if (counter == "L2 requests") sample.l2_requests += value;
  if (counter == "issue slots") sample.issued += value;
}

std::vector<ActivitySample> thinned(const std::vector<ActivitySample>& all, std::size_t most) {
  const std::size_t together = (all.size() + most - 1) / most;
  if (together <= 1) return all;
  std::vector<ActivitySample> result;
  for (std::size_t first = 0; first < all.size(); first += together) {
    const std::size_t end = std::min(all.size(), first + together);
    ActivitySample sum{.begin = all[first].begin, .end = all[end - 1].end};
    for (std::size_t i = first; i < end; ++i) {
      sum.memory_bytes += all[i].memory_bytes;
      sum.host_bytes += all[i].host_bytes;
      sum.l2_requests += all[i].l2_requests;
      sum.issued += all[i].issued * (all[i].end - all[i].begin);
    }
    sum.issued /= std::max(sum.end - sum.begin, 1e-9);
    result.push_back(sum);
  }
  return result;
}

}  // namespace

std::vector<ActivitySample> activity_of(const std::string& timeline, std::size_t most) {
  std::map<double, ActivitySample> by_time;
  // Events stand in a list: each is looked at when it ends, and only counters are kept, for a timeline can be large.
  const auto look = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth != 1 || event != Json::parse_event_t::object_end) return true;
    if (value.value("ph", "") == "C" && value.contains("args") && value.contains("ts"))
      add(by_time[value["ts"].get<double>()], value.value("name", ""), sum_of(value["args"]));
    return false;
  };
  if (Json::parse(timeline, look, false).is_discarded()) return {};
  std::vector<ActivitySample> all;
  double begin = 0;
  for (auto& [time, sample] : by_time) {
    sample.begin = begin;
    sample.end = begin = time;
    if (sample.end > sample.begin) all.push_back(sample);
  }
  return thinned(all, most);
}

}  // namespace ew::report
