#include "check/litmus_barriers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/diagnostics.hpp"

namespace ew::check {

namespace {

constexpr u32 most_warps = 31;  // one more warp only ends (litmus_kernel.cpp)

class BarrierChecker {
 public:
  BarrierChecker(const Litmus& test, const std::string& file) : test_(test), file_(file) {}

  void check() {
    for (const ThreadText& thread : test_.threads) uses(thread, thread.statements);
    for (const ThreadText& thread : test_.threads) meets_whom(thread);
    for (const ThreadText& thread : test_.threads) stands_alone(thread);
  }

 private:
  /// A thread without a placement has a block of its own.
  using Block = std::pair<i64, u32>;
  struct Barrier {
    const ThreadText* first = nullptr;
    std::optional<u32> threads;
    std::map<u32, u32> met;  // by thread: how often
  };

  static Block block_of(const ThreadText& t) {
    return t.placement ? Block{t.placement->device, t.placement->block} : Block{-1, t.number};
  }

  [[noreturn]] void fail(const ThreadText& thread, const std::string& sentence) const {
    throw core::UserError({file_, thread.line.number}, sentence);
  }

  void uses(const ThreadText& thread, const std::vector<Statement>& statements) {
    for (const Statement& s : statements) {
      uses(thread, s.then);
      uses(thread, s.otherwise);
      if (s.verb == Verb::bar || s.verb == Verb::arrive) use(thread, s);
    }
  }

  void use(const ThreadText& thread, const Statement& s) {
    if (test_.kind != TestKind::ptx && (s.verb == Verb::arrive || s.barrier))
      fail(thread, fmt::format("{} belongs to tests of kind ptx, and {} is one of kind {}", print(s), test_.name,
                               text_of(test_.kind)));
    if (s.threads && (*s.threads == 0 || *s.threads % warp_lanes))
      fail(thread, fmt::format("{}: the number of threads should be a multiple of {}, the size of a warp", print(s),
                               warp_lanes));
    const u32 id = s.barrier.value_or(0);
    auto [entry, is_new] = barriers_.insert({{block_of(thread), id}, {&thread, s.threads, {}}});
    Barrier& barrier = entry->second;
    const auto words = [](std::optional<u32> threads) {
      return threads ? fmt::format("{} threads", *threads) : std::string("all threads of the block");
    };
    if (!is_new && barrier.threads != s.threads)
      fail(thread, fmt::format("barrier {} is for {} here, and for {} in T{}", id, words(s.threads),
                               words(barrier.threads), barrier.first->number));
    ++barrier.met[thread.number];
  }

  void meets_whom(const ThreadText& thread) {
    for (auto& [where, barrier] : barriers_) {
      if (barrier.threads || where.first != block_of(thread)) continue;
      const u32 mine = barrier.met[thread.number], other = barrier.met[barrier.first->number];
      if (mine == other) continue;
      const std::string name = where.second ? fmt::format("meet barrier {} {} and {} times", where.second, other, mine)
                                            : fmt::format("meet {} and {} barriers", other, mine);
      fail(thread, fmt::format("T{} and T{} are of one block and {}", barrier.first->number, thread.number, name));
    }
  }

  void stands_alone(const ThreadText& thread) const {
    const bool counted = std::ranges::any_of(barriers_, [&](const auto& entry) {
      return entry.first.first == block_of(thread) && entry.second.threads && entry.second.met.contains(thread.number);
    });
    u32 warps = 0;
    for (const ThreadText& other : test_.threads) {
      if (!counted || block_of(other) != block_of(thread)) continue;
      if (++warps > most_warps)
        fail(thread, fmt::format("more than {} threads in a block with such barriers", most_warps));
      if (&other != &thread && thread.placement->warp && thread.placement->warp == other.placement->warp)
        fail(thread, fmt::format("T{} and T{} share a warp: a barrier with a thread count counts whole warps",
                                 thread.number, other.number));
    }
  }

  const Litmus& test_;
  const std::string& file_;
  std::map<std::pair<Block, u32>, Barrier> barriers_;
};

}  // namespace

void check_barriers(const Litmus& test, const std::string& file) {
  BarrierChecker(test, file).check();
}

}  // namespace ew::check
