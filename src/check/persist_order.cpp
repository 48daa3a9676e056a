#include "check/persist_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <unordered_map>

#include "core/symbol_name.hpp"

namespace ew::check {
namespace {

constexpr u64 never = ~u64{0};

/// An aligned word of a pool, in cells as small as the smallest persist of it.
struct Word {
  u32 cell_bytes = 8;
  std::vector<u32> persists;  // in the order of the run
};

/// What one cell holds after each of its persists, and how many of them are durable: at least `least`, at most `most`.
struct Cell {
  std::vector<u64> values;  // [0]: before the run
  std::vector<u32> persists;
  u32 least = 0, most = 0;
  bool foreign = false;  // it has held what nobody is known to have written: the host's
};

class OrderCheck {
 public:
  OrderCheck(const EventFile& events, const PersistGraph& graph, const DurableLog& log)
      : events_(events), graph_(graph), log_(log), earliest_(graph.size(), 0), latest_(graph.size(), 0) {}

  OrderVerdict run() {
    make_cells();
    // What the host hands over is not written where it is durable already.
    for (auto& [address, cell] : cells_)
      if (std::ranges::any_of(cell.persists, [&](u32 number) { return graph_.persist(number).launch == 0; }))
        advance(cell, cell.values[0], 0);
    for (const DurableWrite& write : log_.writes()) take(write);
    for (auto& [address, cell] : cells_) settle(cell);
    OrderVerdict verdict{.persists = graph_.size(), .writes = log_.last_number()};
    for (const u64 number : latest_) verdict.told += number != never;
    verdict.violation = find_violation();
    return verdict;
  }

 private:
  u64 base_at(u64 address, u32 bytes) const {
    u64 value = 0;
    for (const EventFile::Pool& pool : events_.pools())
      if (address >= pool.begin() && address + bytes <= pool.end())
        std::memcpy(&value, reinterpret_cast<const u8*>(pool.content.data()) + (address - pool.begin()), bytes);
    return value;
  }

  void make_cells() {
    for (u32 number = 0; number < graph_.size(); ++number) {
      const Persist& persist = graph_.persist(number);
      Word& word = words_[persist.address / 8];
      word.cell_bytes = std::min<u32>(word.cell_bytes, persist.bytes);
      word.persists.push_back(number);
    }
    for (const auto& [address, word] : words_) {
      for (const u32 number : word.persists) {
        const Persist& persist = graph_.persist(number);
        for (u32 at = 0; at < persist.bytes; at += word.cell_bytes) {
          Cell& cell = cells_[persist.address + at];
          if (cell.values.empty()) cell.values.push_back(base_at(persist.address + at, word.cell_bytes));
          u64 value = persist.value >> 8 * at;
          if (word.cell_bytes < 8) value &= (u64{1} << 8 * word.cell_bytes) - 1;
          cell.values.push_back(value);
          cell.persists.push_back(number);
        }
      }
    }
  }

  void take(const DurableWrite& write) {
    const u64 end = write.address + write.bytes.size();
    for (u64 at = write.address; at < end;) {
      const auto word = words_.find(at / 8);
      const u32 bytes = word == words_.end() ? 8 : word->second.cell_bytes;
      const u64 begin = at / bytes * bytes;
      const auto cell = word == words_.end() ? cells_.end() : cells_.find(begin);
      if (cell != cells_.end() && begin == at && begin + bytes <= end) {
        u64 value = 0;
        std::memcpy(&value, write.bytes.data() + (at - write.address), bytes);
        advance(cell->second, value, write.number);
      }
      at = begin + bytes;
    }
  }

  /// The cell is durable with this value.
  void advance(Cell& cell, u64 value, u64 number) {
    if (cell.foreign) return;
    u32 least = cell.least, most = static_cast<u32>(cell.values.size());
    while (least < cell.values.size() && cell.values[least] != value) ++least;
    if (least == cell.values.size()) {
      cell.foreign = true;
      for (const u32 persist : cell.persists) latest_[persist] = never;
      return;
    }
    while (cell.values[most - 1] != value) --most;
    for (u32 i = cell.most; i + 1 < most; ++i)
      earliest_[cell.persists[i]] = std::max(earliest_[cell.persists[i]], number);
    for (u32 i = cell.least; i < least; ++i) latest_[cell.persists[i]] = std::max(latest_[cell.persists[i]], number);
    cell.most = std::max(cell.most, most - 1);
    cell.least = least;
  }

  /// What the log has not shown.
  void settle(const Cell& cell) {
    if (cell.foreign) return;
    for (u32 i = cell.most; i < cell.persists.size(); ++i) earliest_[cell.persists[i]] = never;
    for (u32 i = cell.least; i < cell.persists.size(); ++i) latest_[cell.persists[i]] = never;
  }

  /// Of each node, the persist at or below it that became durable last; the first that was durable before that.
  std::optional<OrderViolation> find_violation() const {
    std::vector<u32> last(graph_.nodes(), no_persist);
    const auto time = [&](u32 persist) { return persist == no_persist ? 0 : earliest_[persist]; };
    std::optional<OrderViolation> found;
    for (u32 node = 1; node < graph_.nodes(); ++node) {
      for (const u32 earlier : graph_.before(node))
        if (time(last[earlier]) > time(last[node])) last[node] = last[earlier];
      const u32 here = graph_.persist_at(node);
      if (here == no_persist) continue;
      if (time(last[node]) > latest_[here] && (!found || latest_[here] < found->second_number))
        found = OrderViolation{last[node], here, earliest_[last[node]] == never ? 0 : earliest_[last[node]],
                               latest_[here], 0};
      if (time(here) >= time(last[node])) last[node] = here;
    }
    if (found)
      for (const DurableWrite& write : log_.writes())
        if (write.number == found->second_number) found->second_cycle = write.cycle;
    return found;
  }

  const EventFile& events_;
  const PersistGraph& graph_;
  const DurableLog& log_;
  std::unordered_map<u64, Word> words_;
  std::unordered_map<u64, Cell> cells_;
  std::vector<u64> earliest_, latest_;  // of persists: numbers of durable writes
};

}  // namespace

OrderVerdict check_persist_order(const EventFile& events, const PersistGraph& graph, const DurableLog& log) {
  return OrderCheck(events, graph, log).run();
}

std::string text_of(const EventFile& events, const Persist& p) {
  std::string where = fmt::format("{:#x}", p.address);
  for (const auto& pool : events.pools())
    if (p.address >= pool.begin() && p.address < pool.end())
      where = fmt::format("{}+{:#x}", std::filesystem::path(pool.path).filename().string(), p.address - pool.begin());
  std::string who = "the host";
  if (p.launch)
    who = fmt::format("thread {} of launch {}, {}", p.thread, p.launch,
                      core::readable_name(std::string(events.kernel_name(p.launch))));
  return fmt::format("{}: {} bytes at {} = {:#x}, by {}", events.place(p.launch, p.pc), p.bytes, where, p.value, who);
}

std::string text_of(const EventFile& events, const PersistGraph& graph, const OrderViolation& v) {
  return fmt::format(
      "became durable with write {} (cycle {}):\n    {}\n  before what the model orders in front of it, {}:\n    {}",
      v.second_number, v.second_cycle, text_of(events, graph.persist(v.second)),
      v.first_number ? fmt::format("durable with write {}", v.first_number) : std::string("which never became durable"),
      text_of(events, graph.persist(v.first)));
}

}  // namespace ew::check
