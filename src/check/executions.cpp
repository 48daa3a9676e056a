#include "check/executions.hpp"

#include <fmt/format.h>

namespace ew::check {

namespace {

constexpr u64 most_steps = 20'000'000;
constexpr u32 nobody = ~u32{0};

class Explorer {
 public:
  Explorer(const Program& program, const std::function<void(const Execution&)>& visit)
      : program_(program), visit_(visit), output_threads_(program.outputs.size()) {
    for (u32 t = 0; t < program.threads.size(); ++t)
      for (const Instruction& i : program.threads[t].instructions)
        if (i.kind == Instruction::Kind::output) output_threads_[i.location] |= just(t);
  }

  void run() {
    State state;
    state.at.resize(program_.threads.size());
    state.barriers.resize(program_.threads.size());
    state.slots.resize(program_.slots());
    for (u32 l = 0; l < program_.locations.size(); ++l) state.slots[program_.slot_of_location(l)] = program_.initial[l];
    state.writer.assign(program_.locations.size(), nobody);
    explore(std::move(state), 0);
  }

 private:
  struct State {
    std::vector<u32> at, barriers;  // of each thread
    std::vector<Value> slots;
    std::vector<u32> writer;  // of each location: the event that wrote it last
  };
  /// A set of threads.
  using Threads = EventSet;

  const Instruction* next(const State& state, u32 thread) const {
    const auto& list = program_.threads[thread].instructions;
    return state.at[thread] < list.size() ? &list[state.at[thread]] : nullptr;
  }
  Value value_at(const State& state, const Instruction& i) const {
    return state.slots[program_.slot_of_location(i.location)];
  }

  /// The order of this step among the steps of other threads can be seen.
  bool meets_others(const Instruction& i) const {
    return i.accesses() || (i.kind == Instruction::Kind::output && std::popcount(output_threads_[i.location]) > 1);
  }
  bool can_step(const State& state, const Instruction& i) const {
    return i.kind != Instruction::Kind::await || apply(i.relation, value_at(state, i), evaluate(i.value, state.slots));
  }
  static bool independent(const Instruction& a, const Instruction& b) {
    if (a.accesses() != b.accesses() || a.location != b.location) return true;
    return a.accesses() && !a.writes() && !b.writes();
  }

  void explore(State state, Threads asleep) {
    if (++steps_ > most_steps) program_.refuse_as_too_large("it has too many executions");
    const std::size_t before = events_.size();
    settle(state);
    const std::size_t settled = events_.size();
    bool ended = true;
    for (u32 t = 0; t < state.at.size(); ++t) {
      const Instruction* i = next(state, t);
      if (!i || !meets_others(*i) || !can_step(state, *i)) continue;
      ended = false;
      if (contains(asleep, t)) continue;
      Threads child_asleep = 0;
      for_each(asleep, [&](u32 s) { child_asleep |= independent(*next(state, s), *i) ? just(s) : 0; });
      State child = state;
      perform(child, t, *i);
      explore(std::move(child), child_asleep);
      truncate(settled);
      asleep |= just(t);
    }
    if (ended) complete();
    truncate(before);
  }

  /// Takes the steps whose order no other thread can see.
  void settle(State& state) {
    bool moved = true;
    while (moved) {
      moved = false;
      for (u32 t = 0; t < state.at.size(); ++t) {
        const Instruction* i = next(state, t);
        if (i && i->kind == Instruction::Kind::barrier) {
          moved |= meet(state, t);
        } else if (i && !meets_others(*i)) {
          perform(state, t, *i);
          moved = true;
        }
      }
    }
  }

  bool meet(State& state, u32 thread) {
    const Place place = program_.threads[thread].place;
    std::vector<u32> block;
    for (u32 t = 0; t < state.at.size(); ++t) {
      if (!(program_.threads[t].place == place)) continue;
      const Instruction* i = next(state, t);
      if (!i || i->kind != Instruction::Kind::barrier) return false;
      block.push_back(t);
    }
    for (const u32 t : block) {
      Event& e = record(state, t, *next(state, t), EventKind::barrier);
      e.barrier = state.barriers[t]++;
      ++state.at[t];
    }
    return true;
  }

  Event& record(const State& state, u32 thread, const Instruction& i, EventKind kind) {
    if (events_.size() == most_events)
      program_.refuse_as_too_large(fmt::format("it has more than {} events", most_events));
    Event& e = events_.emplace_back();
    sources_.push_back(nobody);
    e.kind = kind;
    e.order = i.order;
    e.scope = i.scope;
    e.persist_sync = i.persist_sync;
    e.persistent = i.accesses() && program_.persistent[i.location];
    e.reduction = i.reduction;
    e.thread = static_cast<u8>(thread);
    e.location = static_cast<u8>(i.location);
    e.instruction = state.at[thread];
    return e;
  }

  void perform(State& state, u32 thread, const Instruction& i) {
    switch (i.kind) {
      case Instruction::Kind::let:
        state.slots[i.slot] = evaluate(i.value, state.slots);
        break;
      case Instruction::Kind::branch_unless:
        if (evaluate(i.value, state.slots)) break;
        state.at[thread] = i.target;
        return;
      case Instruction::Kind::jump:
        state.at[thread] = i.target;
        return;
      case Instruction::Kind::fence:
        record(state, thread, i, EventKind::fence);
        break;
      case Instruction::Kind::order_fence:
        record(state, thread, i, EventKind::order_fence);
        break;
      case Instruction::Kind::durability_fence:
        record(state, thread, i, EventKind::durability_fence);
        break;
      case Instruction::Kind::output:
        record(state, thread, i, EventKind::output).value = evaluate(i.value, state.slots);
        break;
      case Instruction::Kind::barrier:
        break;  // meet()
      default:
        access(state, thread, i);
    }
    ++state.at[thread];
  }

  void access(State& state, u32 thread, const Instruction& i) {
    Value& memory = state.slots[program_.slot_of_location(i.location)];
    const Value old = memory;
    std::optional<Value> written;
    if (i.kind == Instruction::Kind::store) written = evaluate(i.value, state.slots);
    if (i.kind == Instruction::Kind::atomic) written = written_by(i, old, state.slots);
    Event& e = record(state, thread, i, !written ? EventKind::read : i.reads() ? EventKind::update : EventKind::write);
    e.value = written.value_or(old);
    if (i.reads()) sources_.back() = state.writer[i.location];
    if (written) {
      memory = *written;
      state.writer[i.location] = static_cast<u32>(events_.size() - 1);
    }
    if (i.reads() && i.slot != no_slot) state.slots[i.slot] = old;
  }

  void truncate(std::size_t size) {
    events_.resize(size);
    sources_.resize(size);
  }

  void complete() const {
    Execution x;
    const u32 n = static_cast<u32>(events_.size());
    x.graph.events = events_;
    for (const auto& thread : program_.threads) x.graph.places.push_back(thread.place);
    x.graph.program_order = x.graph.rmw = x.graph.dependency = Relation(n);
    x.reads_from = x.conflict = x.coherence = x.barriers = Relation(n);
    for (u32 b = 0; b < n; ++b) {
      if (sources_[b] != nobody) x.reads_from.add(sources_[b], b);
      for (u32 a = 0; a < b; ++a) relate(x, a, b);
    }
    visit_(x);
  }

  static void relate(Execution& x, u32 a, u32 b) {
    const Event &first = x.graph.events[a], &second = x.graph.events[b];
    if (first.thread == second.thread) x.graph.program_order.add(a, b);
    if (first.kind == EventKind::output || second.kind == EventKind::output) {
      if (first.kind == second.kind && first.location == second.location) x.conflict.add(a, b);
    } else if (first.kind == EventKind::barrier && second.kind == EventKind::barrier) {
      if (first.barrier != second.barrier || !(x.graph.places[first.thread] == x.graph.places[second.thread])) return;
      x.barriers.add(a, b);
      x.barriers.add(b, a);
    } else if (first.accesses() && second.accesses() && first.location == second.location) {
      if (first.writes() || second.writes()) x.conflict.add(a, b);
      if (first.writes() && second.writes()) x.coherence.add(a, b);
    }
  }

  const Program& program_;
  const std::function<void(const Execution&)>& visit_;
  std::vector<Threads> output_threads_;  // of each output: who writes it
  std::vector<Event> events_;
  std::vector<u32> sources_;  // of each event that reads: who wrote it
  u64 steps_ = 0;
};

}  // namespace

Relation Execution::happened_before() const {
  return (graph.program_order | reads_from | barriers).closure();
}

void each_execution(const Program& program, const std::function<void(const Execution&)>& visit) {
  Explorer(program, visit).run();
}

}  // namespace ew::check
