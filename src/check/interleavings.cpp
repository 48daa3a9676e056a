#include "check/interleavings.hpp"

namespace ew::check {

namespace {

/// One state: a program counter a thread, then the values of all slots.
using State = std::vector<Value>;

class Interleaver {
 public:
  explicit Interleaver(const Program& program) : program_(program), threads_(program.threads.size()) {}

  std::set<FinalState> run() {
    State state(threads_ + program_.slots(), 0);
    for (u32 l = 0; l < program_.locations.size(); ++l)
      state[threads_ + program_.slot_of_location(l)] = program_.initial[l];
    std::vector<State> pending{state};
    while (!pending.empty()) {
      state = std::move(pending.back());
      pending.pop_back();
      if (!seen_.insert(state).second) continue;
      expand(state, pending);
    }
    return std::move(final_);
  }

 private:
  const Instruction* next(const State& state, u32 thread) const {
    const auto& list = program_.threads[thread].instructions;
    const auto at = static_cast<std::size_t>(state[thread]);
    return at < list.size() ? &list[at] : nullptr;
  }

  void expand(const State& state, std::vector<State>& pending) {
    bool ended = true;
    for (u32 t = 0; t < threads_; ++t) {
      const Instruction* i = next(state, t);
      if (!i) continue;
      ended = false;
      State after = state;
      if (i->kind == Instruction::Kind::barrier ? meet(after, t) : step(after, t, *i))
        pending.push_back(std::move(after));
    }
    if (ended) final_.insert({{state.begin() + static_cast<std::ptrdiff_t>(threads_), state.end()}});
  }

  /// All threads of the block stand at a barrier: they go on together. Blocks have as many barriers in every thread, so
  /// it is the same one.
  bool meet(State& state, u32 thread) const {
    const Place place = program_.threads[thread].place;
    for (u32 t = 0; t < threads_; ++t) {
      if (!(program_.threads[t].place == place)) continue;
      const Instruction* i = next(state, t);
      if (!i || i->kind != Instruction::Kind::barrier) return false;
    }
    for (u32 t = 0; t < threads_; ++t)
      if (program_.threads[t].place == place) ++state[t];
    return true;
  }

  /// False: it waits.
  bool step(State& state, u32 thread, const Instruction& i) const {
    const std::span<Value> slots(state.begin() + static_cast<std::ptrdiff_t>(threads_), state.end());
    const auto put = [&](Value value) {
      if (i.slot != no_slot) slots[i.slot] = value;
    };
    Value& memory = slots[program_.slot_of_location(i.location)];
    ++state[thread];
    switch (i.kind) {
      case Instruction::Kind::load:
        put(memory);
        break;
      case Instruction::Kind::store:
        memory = evaluate(i.value, slots);
        break;
      case Instruction::Kind::atomic: {
        const Value old = memory;
        if (const auto written = written_by(i, old, slots)) memory = *written;
        put(old);
        break;
      }
      case Instruction::Kind::await:
        if (!apply(i.relation, memory, evaluate(i.value, slots))) return false;
        put(memory);
        break;
      case Instruction::Kind::let:
        put(evaluate(i.value, slots));
        break;
      case Instruction::Kind::branch_unless:
        if (!evaluate(i.value, slots)) state[thread] = static_cast<Value>(i.target);
        break;
      case Instruction::Kind::jump:
        state[thread] = static_cast<Value>(i.target);
        break;
      case Instruction::Kind::fence:
      case Instruction::Kind::barrier:
      case Instruction::Kind::order_fence:
      case Instruction::Kind::durability_fence:
      case Instruction::Kind::output:
        break;
    }
    return true;
  }

  const Program& program_;
  std::size_t threads_;
  std::set<State> seen_;
  std::set<FinalState> final_;
};

}  // namespace

std::set<FinalState> interleavings(const Program& program) {
  return Interleaver(program).run();
}

}  // namespace ew::check
