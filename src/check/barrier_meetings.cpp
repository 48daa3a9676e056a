#include "check/barrier_meetings.hpp"

#include <algorithm>
#include <set>

namespace ew::check {

namespace {

constexpr std::size_t most_meetings = 200'000;
constexpr u32 not_yet = ~u32{0};

class Meetings {
 public:
  Meetings(const Program& program, const std::vector<Arrival>& arrivals) : program_(program), arrivals_(arrivals) {
    for (u32 t = 0; t <= program.threads.size(); ++t)
      first_.push_back(
          static_cast<u32>(std::ranges::count_if(arrivals, [&](const Arrival& a) { return a.thread < t; })));
  }

  std::vector<std::vector<u32>> run() {
    explore(std::vector<u32>(arrivals_.size(), not_yet));
    return {found_.begin(), found_.end()};
  }

 private:
  /// `times` is the whole state: for each arrival, how many times its barrier had been complete before.
  void explore(const std::vector<u32>& times) {
    if (!seen_.insert(times).second) return;
    if (seen_.size() > most_meetings) program_.refuse_as_too_large("there are too many ways to meet at its barriers");
    bool ended = true;
    for (u32 t = 0; t < program_.threads.size(); ++t) {
      u32 next = first_[t];
      while (next < first_[t + 1] && times[next] != not_yet) ++next;
      const bool waiting = next > first_[t] && arrivals_[next - 1].waits && !complete(times, next - 1);
      ended &= next == first_[t + 1] && !waiting;
      if (next == first_[t + 1] || waiting) continue;
      std::vector<u32> after = times;
      after[next] = arrived(times, arrivals_[next].barrier) / program_.barriers[arrivals_[next].barrier].arrivals;
      explore(after);
    }
    if (ended) found_.insert(times);
  }

  u32 arrived(const std::vector<u32>& times, u32 barrier) const {
    u32 count = 0;
    for (u32 a = 0; a < times.size(); ++a) count += arrivals_[a].barrier == barrier && times[a] != not_yet;
    return count;
  }
  bool complete(const std::vector<u32>& times, u32 arrival) const {
    const u32 barrier = arrivals_[arrival].barrier;
    return arrived(times, barrier) >= (times[arrival] + 1) * program_.barriers[barrier].arrivals;
  }

  const Program& program_;
  const std::vector<Arrival>& arrivals_;
  std::vector<u32> first_;  // each thread's first arrival; then the end of the last thread's
  std::set<std::vector<u32>> seen_, found_;
};

}  // namespace

std::vector<std::vector<u32>> barrier_meetings(const Program& program, const std::vector<Arrival>& arrivals) {
  return Meetings(program, arrivals).run();
}

}  // namespace ew::check
