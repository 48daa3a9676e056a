#include "check/interleavings.hpp"

namespace ew::check {

namespace {

/// One state: the program counter of each thread, the arrivals at each barrier since it was last complete, whether each
/// thread waits at its barrier, and the values of all slots.
using State = std::vector<Value>;

class Interleaver {
 public:
  explicit Interleaver(const Program& program)
      : program_(program),
        threads_(program.threads.size()),
        waits_(threads_ + program.barriers.size()),
        slots_(waits_ + threads_) {}

  std::set<FinalState> run() {
    State state(slots_ + program_.slots(), 0);
    for (u32 l = 0; l < program_.locations.size(); ++l)
      state[slots_ + program_.slot_of_location(l)] = program_.initial[l];
    std::vector<State> pending{state};
    while (!pending.empty()) {
      state = std::move(pending.back());
      pending.pop_back();
      if (!seen_.insert(state).second) continue;
      expand(state, pending);
    }
    return std::move(final_);
  }
  /// REQUIRES: run.
  bool stuck() const { return stuck_; }

 private:
  const Instruction* next(const State& state, u32 thread) const {
    const auto& list = program_.threads[thread].instructions;
    const auto at = static_cast<std::size_t>(state[thread]);
    return at < list.size() ? &list[at] : nullptr;
  }

  void expand(const State& state, std::vector<State>& pending) {
    bool ended = true;
    const std::size_t before = pending.size();
    for (u32 t = 0; t < threads_; ++t) {
      const Instruction* i = next(state, t);
      if (!i) continue;
      ended = false;
      State after = state;
      if (i->kind == Instruction::Kind::barrier ? arrive(after, t, *i) : step(after, t, *i))
        pending.push_back(std::move(after));
    }
    stuck_ |= !ended && pending.size() == before;
    if (ended) final_.insert({{state.begin() + static_cast<std::ptrdiff_t>(slots_), state.end()}});
  }

  /// False: it has arrived before, and waits.
  bool arrive(State& state, u32 thread, const Instruction& i) const {
    if (state[waits_ + thread]) return false;
    Value& arrived = state[threads_ + i.barrier];
    if (i.waits)
      state[waits_ + thread] = 1;
    else
      ++state[thread];
    if (static_cast<u32>(++arrived) < program_.barriers[i.barrier].arrivals) return true;
    arrived = 0;
    for (u32 t = 0; t < threads_; ++t) {
      if (!state[waits_ + t] || next(state, t)->barrier != i.barrier) continue;
      state[waits_ + t] = 0;
      ++state[t];
    }
    return true;
  }

  /// False: it waits.
  bool step(State& state, u32 thread, const Instruction& i) const {
    const std::span<Value> slots(state.begin() + static_cast<std::ptrdiff_t>(slots_), state.end());
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
  std::size_t threads_, waits_, slots_;  // where a state's parts begin
  std::set<State> seen_;
  std::set<FinalState> final_;
  bool stuck_ = false;
};

}  // namespace

std::set<FinalState> interleavings(const Program& program) {
  return Interleaver(program).run();
}

bool may_wait_for_ever(const Program& program) {
  Interleaver all(program);
  all.run();
  return all.stuck();
}

}  // namespace ew::check
