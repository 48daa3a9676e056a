#include "check/blame.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "check/persist_builder.hpp"

namespace ew::check {
namespace {

/// The answer turns somewhere between `low` and `high`. Returns the last number before that.
template <class Turned>
u32 last_before_turn(u32 low, u32 high, Turned&& turned) {
  while (high - low > 1) {
    const u32 middle = low + (high - low) / 2;
    (turned(middle) ? high : low) = middle;
  }
  return low;
}

/// The same, looked for from `high` on: between the two the answer may turn several times, and the last turn is wanted.
template <class Turned>
u32 last_turn_before(u32 low, u32 high, Turned&& turned) {
  for (u32 step = 1; high - low > step; step *= 2) {
    if (!turned(high - step)) {
      low = high - step;
      break;
    }
    high -= step;
  }
  return last_before_turn(low, high, turned);
}

PersistSet first_of(u32 size, u32 count) {
  return PersistSet(size).filled_to(count);
}

/// The program's lines of the persists of `present`'s thread, from `present` on, up to the line of `absent`.
std::set<std::string> lines_before(const EventFile& events, const PersistGraph& graph, u32 present, u32 absent) {
  const auto line_of = [&](u32 p) { return events.place(graph.persist(p).launch, graph.persist(p).pc); };
  const Persist& first = graph.persist(present);
  const std::string end = line_of(absent);
  std::set<std::string> lines{line_of(present)};
  for (u32 p = present + 1; p < absent; ++p) {
    const Persist& other = graph.persist(p);
    if (other.launch != first.launch || other.thread != first.thread) continue;
    std::string line = line_of(p);
    if (line == end) break;
    lines.insert(std::move(line));
  }
  return lines;
}

/// Suppose that the persists for which is_moved(number) holds came behind `absent`, from `present` on: true if each of
/// the states on the way that are tried recovers.
template <class IsMoved>
bool move_mends(const PersistGraph& graph, u32 present, u32 absent, IsMoved&& is_moved, const Fails& fails) {
  const auto without_them = [&](u32 end) {
    PersistSet set = first_of(graph.size(), end);
    for (u32 p = present; p < end; ++p)
      if (is_moved(p)) set.remove(p);
    return set;
  };
  constexpr u32 most_asked = 32;
  const u32 count = absent + 1 - present, asked = std::min(count, most_asked);
  for (u32 i = 1; i <= asked; ++i)
    if (fails(without_them(present + static_cast<u32>(u64{count} * i / asked)))) return false;
  return true;
}

/// The same for lines of the program.
bool moved_lines_mend(const EventFile& events, const PersistGraph& graph, u32 present, u32 absent,
                      const std::set<std::string>& lines, const Fails& fails) {
  const u32 launch = graph.persist(present).launch;
  if (lines.contains(events.place(graph.persist(absent).launch, graph.persist(absent).pc))) return false;
  std::map<u32, bool> moved;  // by instruction
  const auto is_moved = [&](u32 p) {
    const Persist& persist = graph.persist(p);
    if (persist.launch != launch) return false;
    const auto [found, fresh] = moved.try_emplace(persist.pc, false);
    if (fresh) found->second = lines.contains(events.place(launch, persist.pc));
    return found->second;
  };
  return move_mends(graph, present, absent, is_moved, fails);
}

/// The lines from `present` on came behind `absent`, or its line alone did: a log entry of two inserts has one of them
/// between the two. Stores of the host have no lines: there the store alone is moved, or all stores of the host.
bool swap_mends(const EventFile& events, const PersistGraph& graph, u32 present, u32 absent, const Fails& fails) {
  const Persist &first = graph.persist(present), &second = graph.persist(absent);
  for (u32 p = present + 1; p <= absent; ++p) {
    const Persist& later = graph.persist(p);
    if (later.launch == second.launch && later.pc == second.pc && later.address < first.address + first.bytes &&
        first.address < later.address + later.bytes)
      return false;  // both places store one word, and what is stored last stays
  }
  if (graph.persist(present).launch == 0 && move_mends(
                                                graph, present, absent, [&](u32 p) { return p == present; }, fails))
    return true;
  const auto lines = lines_before(events, graph, present, absent);
  if (moved_lines_mend(events, graph, present, absent, lines, fails)) return true;
  const std::string own = events.place(graph.persist(present).launch, graph.persist(present).pc);
  return lines.size() > 1 && moved_lines_mend(events, graph, present, absent, {own}, fails);
}

/// REQUIRES: the first `fail` persists fail, the first `from` do not.
Blame blame_run(const EventFile& events, const PersistGraph& graph, u32 from, u32 fail, const Fails& fails) {
  const u32 size = graph.size();
  Blame blame;
  blame.passed_through = true;
  // An earlier state may fail for another reason, and recover again.
  const u32 good = last_turn_before(from, fail, [&](u32 count) { return fails(first_of(size, count)); });
  blame.present = good;
  blame.state = first_of(size, good + 1);
  if (const auto mended = first_mended(graph, good + 1, fails)) {
    blame.absent = *mended - 1;
    blame.mended_by_swap = swap_mends(events, graph, good, *blame.absent, fails);
  }
  return blame;
}

}  // namespace

void sharpen_blame(const PersistGraph& graph, const Fails& fails, Blame& blame) {
  const Persist& there = graph.persist(*blame.present);
  if (blame.passed_through || there.launch == 0) return;
  std::vector<u32> thread;  // the thread's persists from `absent` to `present`
  for (u32 p = *blame.absent; p <= *blame.present; ++p)
    if (graph.persist(p).launch == there.launch && graph.persist(p).thread == there.thread) thread.push_back(p);
  constexpr std::size_t most_asked = 64;
  if (thread.front() != *blame.absent || thread.size() < 3 || thread.size() > most_asked) return;
  Reach reach(graph);
  for (std::size_t i = 0; i + 1 < thread.size(); ++i) {
    PersistSet state = first_of(graph.size(), thread[i + 1] + 1);
    reach.remove_above(thread[i], state);
    if (!state.has(thread[i + 1]) || !fails(state)) continue;
    blame.absent = thread[i], blame.present = thread[i + 1], blame.state = state;
    return;
  }
}

void isolate_blame(const PersistGraph& graph, const Fails& fails, Blame& blame) {
  if (blame.passed_through) return;
  const u32 size = graph.size();
  Reach reach(graph);
  const auto without = [&](u32 missing, u32 count) {
    PersistSet set = first_of(size, count);
    reach.remove_above(missing, set);
    return set;
  };
  u32 absent = *blame.absent, present = *blame.present;
  PersistSet state = without(absent, present + 1);
  if (!state.has(present) || !fails(state)) return;
  constexpr int most_rounds = 16;
  for (int round = 0; round < most_rounds; ++round) {
    if (fails(first_of(size, absent)) || fails(first_of(size, present + 1))) return;
    present = last_before_turn(absent, present + 1, [&](u32 end) { return fails(state.cut_at(end)); });
    state = state.cut_at(present + 1);
    std::vector<u32> missing;  // without all of these it fails
    for (u32 p = absent; p < present; ++p)
      if (!state.has(p)) missing.push_back(p);
    const auto with_first = [&](u32 count) {
      PersistSet set = state;
      for (u32 i = 0; i < count; ++i) set.add(missing[i]);
      return set;
    };
    const u32 needed =
        last_before_turn(0, static_cast<u32>(missing.size()), [&](u32 count) { return !fails(with_first(count)); });
    if (needed == 0) {
      blame.absent = absent, blame.present = present, blame.state = state, blame.alone = true;
      return;
    }
    PersistSet narrower = without(missing[needed], present + 1);
    if (!narrower.has(present) || !fails(narrower)) return;
    absent = missing[needed], state = std::move(narrower);
  }
}

namespace {

/// Numbers of first persists, behind `from`, with which the run has just not stored again where persist `of` was
/// stored: a pass of a loop, or a launch, may be over there.
std::vector<u32> moments_before_again(const PersistGraph& graph, u32 of, u32 from) {
  constexpr std::size_t most = 256;
  const auto is_there = [&](u32 p) {
    return graph.persist(p).kernel == graph.persist(of).kernel && graph.persist(p).pc == graph.persist(of).pc;
  };
  std::vector<u32> moments;
  for (u32 p = from + 1; p < graph.size() && moments.size() < most; ++p)
    if (is_there(p) && !is_there(p - 1)) moments.push_back(p);
  return moments;
}

}  // namespace

std::optional<u32> first_mended(const PersistGraph& graph, u32 count, const Fails& fails) {
  constexpr u32 one_by_one = 256;  // this many states are tried one by one; then the steps grow
  const u32 size = graph.size();
  u32 low = count;
  const auto mended_at = [&](u32 high) -> std::optional<u32> {
    if (fails(first_of(size, high))) {
      low = high;
      return std::nullopt;
    }
    return last_before_turn(low, high, [&](u32 middle) { return !fails(first_of(size, middle)); }) + 1;
  };
  while (low < size && low - count < one_by_one)
    if (const auto mended = mended_at(low + 1)) return mended;
  const u32 near = low;
  if (count > 0)
    for (const u32 moment : moments_before_again(graph, count - 1, near))
      if (const auto mended = mended_at(moment)) return mended;
  low = near;
  for (u64 step = 1; low < size; step *= 2)
    if (const auto mended = mended_at(static_cast<u32>(std::min<u64>(size, low + step)))) return mended;
  return std::nullopt;
}

Blame find_blame(const EventFile& events, const PersistGraph& graph, const PersistSet& set, u32 from,
                 const Fails& fails) {
  const u32 size = graph.size();
  PersistSet state = set;
  u32 present = size, absent = from, behind = size;  // `set` has no persist from `behind` on
  while (behind > from && !set.has(behind - 1)) --behind;
  constexpr int most_rounds = 16;
  for (int round = 0; round < most_rounds; ++round) {
    const auto [last_present, last_absent] = std::tuple(present, absent);
    // A persist with which the state begins to fail. The persists behind it are left out.
    present = last_turn_before(absent, last_present == size ? behind : last_present + 1,
                               [&](u32 end) { return fails(state.cut_at(end)); });
    state = state.cut_at(present + 1);
    if (fails(first_of(size, present + 1))) return blame_run(events, graph, from, present + 1, fails);
    // The first persist that mends the state, if all persists before it are added too.
    absent = last_before_turn(absent, present + 1, [&](u32 end) { return !fails(state.filled_to(end)); });
    state = state.filled_to(absent);
    if (absent > from && fails(first_of(size, absent))) return blame_run(events, graph, from, absent, fails);
    if (present == last_present && absent == last_absent) break;
  }
  Blame blame;
  blame.present = present, blame.absent = absent, blame.state = std::move(state);
  return blame;
}

std::optional<std::vector<Widening>> fewest_changes(const PersistGraph& graph, u32 absent, u32 present) {
  std::unordered_map<u32, const Widening*> stronger;
  for (const Widening& widening : graph.widenings()) stronger.emplace(widening.node, &widening);
  constexpr u32 far = ~u32{0};
  std::vector<u32> distance(graph.nodes(), far), next(graph.nodes(), 0);
  const u32 goal = graph.node_of(absent), start = graph.node_of(present);
  using Step = std::tuple<u32, u32>;  // changes, node
  std::priority_queue<Step, std::vector<Step>, std::greater<>> open;
  distance[start] = 0;
  open.emplace(0, start);
  while (!open.empty()) {
    const auto [cost, node] = open.top();
    open.pop();
    if (node == goal) break;
    if (cost > distance[node]) continue;
    for (const u32 earlier : graph.before(node)) {
      if (earlier < goal) continue;
      const auto found = stronger.find(earlier);
      const u32 then = cost + (found == stronger.end() ? 0 : found->second->changes());
      if (then >= distance[earlier]) continue;
      distance[earlier] = then;
      next[earlier] = node;
      open.emplace(then, earlier);
    }
  }
  if (distance[goal] == far) return std::nullopt;
  std::vector<Widening> changes;
  for (u32 node = goal; node != start; node = next[node])
    if (const auto found = stronger.find(node); found != stronger.end() && found->second->changes() != 0)
      changes.push_back(*found->second);
  return changes;
}

namespace {

struct StoreRecord {
  EventRecord record;
  u64 at = 0;  // of the record, in the run
  u64 thread = 0;
  u32 lane() const { return static_cast<u32>(thread % warp_lanes); }
  /// True if the record is of the same thread.
  bool is(const EventRecord& other) const {
    return record.launch != 0 && other.launch == record.launch && other.block == record.block &&
           other.warp == record.warp && (other.lanes >> lane() & 1) != 0;
  }
};

/// The address that a lane of an access accesses.
u64 address_of(const EventRecord& record, std::span<const u64> words, u32 lane) {
  const auto lanes = static_cast<u32>(std::popcount(record.lanes));
  const auto before = static_cast<u32>(std::popcount(record.lanes & ((LaneMask{1} << lane) - 1)));
  return words.size() < lanes ? 0 : words[words.size() / lanes * before];
}

bool accesses(const EventRecord& record, std::span<const u64> words, u64 address) {
  for (LaneMask left = record.lanes; left; left &= left - 1)
    if (address_of(record, words, static_cast<u32>(std::countr_zero(left))) == address) return true;
  return false;
}

bool is_releasing(const EventRecord& record) {
  return (record.kind == simt::EventKind::store || record.kind == simt::EventKind::atomic) &&
         (record.action == EventAction::prel || record.action == EventAction::release ||
          record.action == EventAction::acq_rel);
}
bool is_acquiring(const EventRecord& record) {
  return (record.kind == simt::EventKind::load || record.kind == simt::EventKind::atomic) &&
         (record.action == EventAction::pacq || record.action == EventAction::acquire ||
          record.action == EventAction::acq_rel);
}

/// Where the persists are in the run.
std::pair<StoreRecord, StoreRecord> places_of(const EventFile& events, const PersistAxioms& axioms, u32 absent,
                                              u32 present) {
  PersistBuilder builder(events, axioms);
  std::pair<StoreRecord, StoreRecord> found;
  u64 at = 0;
  events.each([&](const EventRecord& record, std::span<const u64> words) {
    const u32 before = builder.persists();
    builder.take(record, words);
    ++at;
    for (const auto& [number, place] : {std::tuple(absent, &found.first), std::tuple(present, &found.second)})
      if (number >= before && number < builder.persists()) *place = {record, at, 0};
  });
  const PersistGraph graph = builder.finish();
  for (const auto& [number, place] : {std::tuple(absent, &found.first), std::tuple(present, &found.second)})
    if (number < graph.size()) place->thread = graph.persist(number).thread;
  return found;
}

}  // namespace

StoreEvidence evidence_of(const EventFile& events, const PersistAxioms& axioms, u32 absent, u32 present) {
  const auto [missing, there] = places_of(events, axioms, absent, present);
  StoreEvidence evidence;
  const bool one_launch = missing.record.launch != 0 && missing.record.launch == there.record.launch;
  evidence.same_block = one_launch && missing.record.block == there.record.block;
  evidence.same_thread = one_launch && missing.thread == there.thread;
  evidence.one_instruction = one_launch && missing.at == there.at;
  if (evidence.same_thread && evidence.one_instruction) evidence.torn_bytes = there.record.bytes;
  evidence.flag = there.record.kind == simt::EventKind::store && there.record.action != EventAction::none &&
                  there.record.action != EventAction::weak && !is_releasing(there.record);
  StoreEvidence::Access release;
  u64 flag = 0, at = 0;
  events.each([&](const EventRecord& record, std::span<const u64> words) {
    ++at;
    const auto access = [&] { return StoreEvidence::Access{record.launch, record.pc, record.action, record.scope}; };
    const bool by_missing = missing.is(record);
    if (by_missing && is_releasing(record) && at < there.at) {
      release = at < missing.at ? access() : StoreEvidence::Access{};
      flag = at < missing.at ? address_of(record, words, missing.lane()) : 0;
      if (at > missing.at) evidence.release_before.reset();
    }
    if (flag && at < there.at && !by_missing && is_acquiring(record) && accesses(record, words, flag))
      evidence.release_before = release;
    if (by_missing && at > missing.at && !evidence.dfence_behind && record.kind == simt::EventKind::order) {
      // A dFence is meant to wait, even if it does not under these axioms.
      const bool waits =
          record.action == EventAction::dfence || axioms.makes_durable(operation_of(record.action), record.scope);
      if (waits) evidence.dfence_behind = access();
    }
  });
  return evidence;
}

}  // namespace ew::check
