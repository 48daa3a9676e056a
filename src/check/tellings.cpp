#include "check/tellings.hpp"

#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "check/persist_builder.hpp"

namespace ew::check {

namespace {

using Kind = simt::EventKind;

/// Follows the events of a run: who knows of the first thread's store.
class Followed {
 public:
  using Block = std::pair<u32, u64>;               // launch, block
  using Thread = std::tuple<u32, u64, u32, u32>;   // launch, block, warp, lane
  using Meeting = std::tuple<u32, u64, u64, u64>;  // launch, block, barrier, number of the arrival

  using Location = std::pair<u64, Block>;  // of shared memory: of this block

  static Thread thread_of(const EventRecord& record, u32 lane) {
    return {record.launch, record.block, record.warp, lane};
  }

  /// From here on, what this thread does tells others.
  void begin(Thread thread) { first_ = thread; }

  void take(const EventRecord& record, std::span<const u64> words) {
    switch (record.kind) {
      case Kind::arrive:
        return arrive(record, words[0]);
      case Kind::load:
      case Kind::store:
      case Kind::atomic:
        return access(record, words);
      default:
        return;
    }
  }
  /// What this thread knows, and what told it so first.
  std::optional<Telling> knows(const EventRecord& record, u32 lane) {
    leave_barrier(record);
    const auto found = known_.find(thread_of(record, lane));
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  static Telling telling(const EventRecord& record, bool barrier) {
    return {{record.launch, record.pc, record.action, record.scope}, barrier, record.kind == Kind::atomic, barrier};
  }

  /// What a thread tells by this event: it is the first step, or the thread hands on what it knows.
  std::optional<Telling> told_by(const EventRecord& record, u32 lane, bool barrier) const {
    const Thread thread = thread_of(record, lane);
    if (first_ && *first_ == thread) return telling(record, barrier);
    const auto found = known_.find(thread);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }

  template <class Visit>
  static void each_lane(const EventRecord& record, Visit&& visit) {
    for (LaneMask left = record.lanes; left; left &= left - 1) visit(static_cast<u32>(std::countr_zero(left)));
  }

  /// Threads that go on behind a barrier know what those knew that have arrived there.
  void leave_barrier(const EventRecord& record) {
    const auto waited = waiting_.find({record.launch, record.block, record.warp});
    if (waited == waiting_.end()) return;
    const auto met = meetings_.find(waited->second);
    if (met != meetings_.end())
      each_lane(record, [&](u32 lane) { known_.try_emplace(thread_of(record, lane), met->second); });
  }

  void arrive(const EventRecord& record, u64 barrier) {
    leave_barrier(record);
    const u64 number = ++arrivals_[{record.launch, record.block, record.warp, barrier}];
    const Meeting meeting{record.launch, record.block, barrier, number};
    each_lane(record, [&](u32 lane) {
      if (const auto told = told_by(record, lane, true)) meetings_.try_emplace(meeting, *told);
    });
    waiting_[{record.launch, record.block, record.warp}] = meeting;
  }

  void read(Thread thread, const Location& location) {
    const auto [last, fresh] = last_read_.try_emplace(thread, location);
    const bool again = !fresh && last->second == location;
    last->second = location;
    const auto flag = flags_.find(location);
    if (flag == flags_.end()) return;
    const auto [known, learnt] = known_.try_emplace(thread, flag->second);
    if (learnt || flag->second.waited) known->second.waited |= again || flag->second.waited;
  }

  void access(const EventRecord& record, std::span<const u64> words) {
    leave_barrier(record);
    const auto lanes = static_cast<std::size_t>(std::popcount(record.lanes));
    const std::size_t stride = lanes ? words.size() / lanes : 0;
    std::size_t at = 0;
    each_lane(record, [&](u32 lane) {
      const u64 address = words[stride * at++];
      const Location location{address, address & simt::shared_address ? Block{record.launch, record.block} : Block{}};
      if (record.kind != Kind::store) read(thread_of(record, lane), location);
      if (record.kind == Kind::load) return;
      const auto told = told_by(record, lane, false);
      if (told)
        flags_.insert_or_assign(location, *told);
      else if (record.kind == Kind::store)
        flags_.erase(location);
    });
  }

  std::optional<Thread> first_;
  std::map<Thread, Telling> known_;
  std::map<Location, Telling> flags_;
  std::map<Thread, Location> last_read_;
  std::map<Meeting, Telling> meetings_;
  std::map<std::tuple<u32, u64, u32, u64>, u64> arrivals_;  // launch, block, warp, barrier
  std::map<std::tuple<u32, u64, u32>, Meeting> waiting_;    // the last meeting of a warp
};

}  // namespace

std::optional<Telling> telling_between(const EventFile& events, const PersistAxioms& axioms, u32 absent, u32 present) {
  PersistBuilder builder(events, axioms);
  const PersistGraph graph = build_persist_graph(events, axioms);
  const auto lane_of = [&](u32 persist) { return static_cast<u32>(graph.persist(persist).thread % warp_lanes); };
  Followed followed;
  std::optional<Telling> told;
  events.each([&](const EventRecord& record, std::span<const u64> words) {
    const u32 before = builder.persists();
    if (before > present) return;
    builder.take(record, words);
    const bool stores_present = present >= before && present < builder.persists();
    if (stores_present) told = followed.knows(record, lane_of(present));
    // A meeting of lanes releases nothing.
    if (record.action != EventAction::sync_warp || axioms.across != PersistAxioms::Across::releases)
      followed.take(record, words);
    if (absent >= before && absent < builder.persists()) followed.begin(Followed::thread_of(record, lane_of(absent)));
  });
  return told;
}

bool ran_together(const EventFile& events, u32 launch, u32 other) {
  u64 at = 0;
  u64 begins[2] = {}, ends[2] = {~u64{0}, ~u64{0}};
  events.each([&](const EventRecord& record, std::span<const u64>) {
    ++at;
    for (const int i : {0, 1}) {
      if (record.launch != (i == 0 ? launch : other)) continue;
      if (record.kind == Kind::launch) begins[i] = at;
      if (record.kind == Kind::launch_end) ends[i] = at;
    }
  });
  return begins[0] < ends[1] && begins[1] < ends[0];
}

}  // namespace ew::check
