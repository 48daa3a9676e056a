#include "check/persist_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <ranges>
#include <utility>

#include "check/pool_table.hpp"
#include "core/symbol_name.hpp"

namespace ew::check {
namespace {

constexpr u64 never = ~u64{0};

constexpr u32 no_cell = ~u32{0}, no_list = ~u32{0};

/// An aligned word of a pool, divided into cells. A cell is as small as the word's smallest persist.
struct Word {
  u32 first_cell = no_cell;
  u8 cell_bytes = 0;  // 0: no persist of it
};

/// A cell is in state 0 before its first persist, and in states 1 .. count after each, in the order of the run. A
/// durable write of the cell shows one of its states, never an earlier state than the write before.
struct Cell {
  u64 base = 0;
  u32 first = 0, count = 0;  // of its states
  u32 least = 0;             // the lowest state that explains the writes so far
  u32 most = 0;              // the highest state that explains the writes so far and leaves one for those behind
  u32 sorted = no_list;      // in sorted_
  u64 shown = 0;             // the write that may have shown `most`
  bool host = false;         // the host has stored to it; a store of a value that is durable already is not in the log
  bool foreign = false;      // it has held a value that no persist has: an unseen store of the host
};

struct CellState {
  u64 value = 0;
  u32 persist = 0;
};

class OrderCheck {
 public:
  OrderCheck(const EventFile& events, const PersistGraph& graph, const DurableLog& log)
      : events_(events),
        graph_(graph),
        log_(log),
        words_(events),
        earliest_(graph.size(), 0),
        latest_(graph.size(), 0) {}

  OrderVerdict run() {
    make_cells();
    for (const DurableWrite& write : log_.writes())
      each_cell(write, [&](Cell& cell, u64 value) { advance(cell, value, write.number); });
    for (Cell& cell : cells_) settle(cell);
    for (const DurableWrite& write : std::views::reverse(log_.writes()))
      each_cell(write, [&](Cell& cell, u64 value) { go_back(cell, value, write.number); });
    for (Cell& cell : cells_) {
      if (cell.host) go_back(cell, cell.base, 0);
      go_back_to(cell, 0);
    }
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

  /// visit(cell, value of the persist there) for each of its cells. REQUIRES: words_ has its cells.
  template <class Visit>
  void each_cell(const Persist& persist, Visit&& visit) {
    const Word& word = words_.at(persist.address);
    for (u32 at = 0; at < persist.bytes; at += word.cell_bytes) {
      u64 value = persist.value >> 8 * at;
      if (word.cell_bytes < 8) value &= (u64{1} << 8 * word.cell_bytes) - 1;
      visit(cells_[word.first_cell + (persist.address % 8 + at) / word.cell_bytes], value);
    }
  }

  void make_cells() {
    for (const Persist& persist : graph_.persists()) {
      Word& word = words_.at(persist.address);
      word.cell_bytes = std::min<u8>(word.cell_bytes ? word.cell_bytes : 8, persist.bytes);
    }
    for (const Persist& persist : graph_.persists()) {
      Word& word = words_.at(persist.address);
      if (word.first_cell == no_cell) {
        word.first_cell = static_cast<u32>(cells_.size());
        for (u32 at = 0; at < 8; at += word.cell_bytes)
          cells_.push_back({.base = base_at(persist.address / 8 * 8 + at, word.cell_bytes)});
      }
      each_cell(persist, [&](Cell& cell, u64) { ++cell.count, cell.host |= persist.launch == 0; });
    }
    u32 states = 0;
    for (Cell& cell : cells_) cell.first = std::exchange(states, states + cell.count), cell.count = 0;
    states_.resize(states);
    for (u32 number = 0; number < graph_.size(); ++number)
      each_cell(graph_.persist(number), [&](Cell& cell, u64 value) {
        states_[cell.first + cell.count++] = {value, number};
      });
  }

  /// The same for the cells that the durable write covers completely.
  template <class Visit>
  void each_cell(const DurableWrite& write, Visit&& visit) {
    const u64 end = write.address + write.bytes.size();
    for (u64 at = write.address; at < end;) {
      const Word* const word = words_.find(at);
      const u32 bytes = word && word->cell_bytes ? word->cell_bytes : 8;
      const u64 begin = at / bytes * bytes;
      if (word && word->cell_bytes && begin == at && begin + bytes <= end) {
        u64 value = 0;
        std::memcpy(&value, write.bytes.data() + (at - write.address), bytes);
        visit(cells_[word->first_cell + at % 8 / bytes], value);
      }
      at = begin + bytes;
    }
  }

  u64 value_of(const Cell& cell, u32 state) const { return state ? states_[cell.first + state - 1].value : cell.base; }

  using States = std::vector<std::pair<u64, u32>>;
  /// nullptr: the cell has few states.
  const States* sorted_states(Cell& cell) {
    constexpr u32 few = 16;
    if (cell.count <= few) return nullptr;
    if (cell.sorted == no_list) {
      cell.sorted = static_cast<u32>(sorted_.size());
      States& list = sorted_.emplace_back();
      for (u32 state = 0; state <= cell.count; ++state) list.emplace_back(value_of(cell, state), state);
      std::ranges::sort(list);
    }
    return &sorted_[cell.sorted];
  }

  /// The first state with this value, from `from` on; count + 1: there is none.
  u32 next_with(Cell& cell, u64 value, u32 from) {
    if (const States* const list = sorted_states(cell)) {
      const auto next = std::ranges::lower_bound(*list, std::pair(value, from));
      return next == list->end() || next->first != value ? cell.count + 1 : next->second;
    }
    while (from <= cell.count && value_of(cell, from) != value) ++from;
    return from;
  }

  /// The last state with this value, up to `from`. REQUIRES: there is one.
  u32 last_with(Cell& cell, u64 value, u32 from) {
    if (const States* const list = sorted_states(cell))
      return std::prev(std::ranges::upper_bound(*list, std::pair(value, from)))->second;
    while (value_of(cell, from) != value) --from;
    return from;
  }

  /// A durable write has shown this value of the cell.
  void advance(Cell& cell, u64 value, u64 number) {
    if (cell.foreign || cell.count == 0) return;
    const u32 state = next_with(cell, value, cell.least);
    if (state > cell.count) {
      cell.foreign = true;
      for (u32 i = 0; i < cell.count; ++i) latest_[states_[cell.first + i].persist] = never;
      return;
    }
    for (u32 i = cell.least; i < state; ++i) {
      u64& latest = latest_[states_[cell.first + i].persist];
      latest = std::max(latest, number);
    }
    cell.least = state;
  }

  /// States that the log has not shown.
  void settle(Cell& cell) {
    for (u32 i = cell.least; i < cell.count && !cell.foreign; ++i) latest_[states_[cell.first + i].persist] = never;
    cell.most = cell.count;
    cell.shown = never;
  }

  /// The same, from the last write of the log to the first. The writes behind this one limit its state from above.
  void go_back(Cell& cell, u64 value, u64 number) {
    if (cell.foreign || cell.count == 0) return;
    go_back_to(cell, last_with(cell, value, cell.most));
    cell.shown = number;
  }

  void go_back_to(Cell& cell, u32 state) {
    for (u32 i = state; i < cell.most && !cell.foreign; ++i) {
      u64& earliest = earliest_[states_[cell.first + i].persist];
      earliest = std::max(earliest, cell.shown);
    }
    cell.most = state;
  }

  /// Finds for each node the persist, at or below it, that became durable last. A persist that surely became durable
  /// before one below it breaks the order. Returns the earliest such case.
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
  PoolTable<Word> words_;
  std::vector<Cell> cells_;
  std::vector<CellState> states_;
  std::vector<States> sorted_;          // states of cells with many of them: value, number
  std::vector<u64> earliest_, latest_;  // of persists: numbers of durable writes
};

}  // namespace

OrderVerdict check_persist_order(const EventFile& events, const PersistGraph& graph, const DurableLog& log) {
  return OrderCheck(events, graph, log).run();
}

std::string thread_text(const EventFile& events, const Persist& p) {
  const EventFile::Launch& launch = events.launches()[p.launch];
  const bool assist = p.thread >= first_assist_thread;
  const u64 in_block = assist ? warp_lanes : (launch.threads + warp_lanes - 1) / warp_lanes * warp_lanes;
  const u64 number = assist ? p.thread - first_assist_thread : p.thread;
  std::string text = fmt::format("{}thread {}", assist ? "assist " : "", number % in_block);
  if (launch.blocks > 1) text += fmt::format(" of block {}", number / in_block);
  return text;
}

std::string bytes_text(const EventFile& events, u64 address, u64 bytes) {
  for (const auto& pool : events.pools())
    if (address >= pool.begin() && address < pool.end())
      return fmt::format("{} bytes at {}+{:#x}", bytes, std::filesystem::path(pool.path).filename().string(),
                         address - pool.begin());
  return fmt::format("{} bytes at {:#x}", bytes, address);
}

std::string text_of(const EventFile& events, const Persist& p) {
  std::string who = "the host";
  if (p.launch)
    who = fmt::format("{} of launch {}, {}", thread_text(events, p), p.launch,
                      core::readable_name(std::string(events.kernel_name(p.launch))));
  return fmt::format("{}: {} = {:#x}, by {}", events.place(p.launch, p.pc), bytes_text(events, p.address, p.bytes),
                     p.value, who);
}

std::string text_of(const EventFile& events, const PersistGraph& graph, const OrderViolation& v) {
  return fmt::format(
      "became durable with write {} (cycle {}):\n    {}\n  before what the model orders in front of it, {}:\n    {}",
      v.second_number, v.second_cycle, text_of(events, graph.persist(v.second)),
      v.first_number ? fmt::format("durable with write {}", v.first_number) : std::string("which never became durable"),
      text_of(events, graph.persist(v.first)));
}

}  // namespace ew::check
