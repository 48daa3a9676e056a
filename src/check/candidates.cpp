#include "check/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "check/barrier_meetings.hpp"

namespace ew::check {

namespace {

constexpr std::size_t most_traces = 100'000;
constexpr u64 most_combinations = 20'000'000;

/// One thread's run for one choice of values that it reads. Indices are into `events`.
struct Trace {
  std::vector<Event> events;
  std::vector<std::pair<u32, u32>> dependencies, rmw;
  std::vector<Value> registers;
};

/// For each location the values that are written there, as far as known; and of how many writes at least, one after the
/// other, a value is the result.
using Domains = std::vector<std::map<Value, u32>>;

/// For each location: how many writes one of its values can be the result of. A value that is written depends on values
/// that were read, and there is no circle in that. So no write counts twice, and only those count whose values can get
/// there.
class Chains {
 public:
  explicit Chains(const Program& program) : program_(program), sources_(program.slots()) {
    for (u32 l = 0; l < program.locations.size(); ++l) sources_[program.slot_of_location(l)].insert(l);
    while (grows_) {
      grows_ = false;
      for (const auto& thread : program.threads)
        for (const Instruction& i : thread.instructions) follow(i);
    }
    for (u32 l = 0; l < program.locations.size(); ++l)
      longest_.push_back(writes_to(sources_[program.slot_of_location(l)]));
  }

  u32 longest(u32 location) const { return longest_[location]; }

 private:
  using Locations = std::set<u32>;

  void follow(const Instruction& i) {
    if (i.reads()) flow(program_.slot_of_location(i.location), i.slot);
    if (!i.writes() && i.kind != Instruction::Kind::let) return;
    for (const Code::Step& step : i.value.steps)
      if (step.kind == Code::Step::Kind::slot)
        flow(step.slot, i.writes() ? program_.slot_of_location(i.location) : i.slot);
  }

  void flow(u32 from, u32 to) {
    if (from == to || to == no_slot) return;
    const std::size_t before = sources_[to].size();
    sources_[to].insert(sources_[from].begin(), sources_[from].end());
    grows_ |= sources_[to].size() != before;
  }

  u32 writes_to(const Locations& locations) const {
    u32 writes = 0;
    for (const auto& thread : program_.threads)
      for (const Instruction& i : thread.instructions) writes += i.writes() && locations.contains(i.location);
    return writes;
  }

  const Program& program_;
  std::vector<Locations> sources_;  // of registers and locations: the locations that their values come from
  std::vector<u32> longest_;
  bool grows_ = true;
};

class Tracer {
 public:
  /// `written` gets every value that the thread writes, also in runs in which it then waits for ever.
  Tracer(const Program& program, u32 thread, const Chains& chains, const Domains& domains, Domains& written)
      : program_(program),
        thread_(program.threads[thread]),
        number_(thread),
        chains_(chains),
        domains_(domains),
        written_(written) {}

  std::vector<Trace> run() {
    State state;
    state.slots.resize(program_.slots());
    state.taints.resize(program_.slots());
    state.chains.resize(program_.slots());
    step(std::move(state));
    return std::move(traces_);
  }

 private:
  struct State {
    std::size_t at = 0;
    std::vector<Value> slots;
    std::vector<EventSet> taints;  // for each register: the reads that its value depends on
    std::vector<u32> chains;       // … and of how many writes at least it is the result
    EventSet control = 0;          // the reads that the branches up to here depend on
    Trace trace;
  };

  EventSet taint(const State& state, const Code& code) const {
    EventSet set = 0;
    for (const Code::Step& step : code.steps)
      if (step.kind == Code::Step::Kind::slot) set |= state.taints[step.slot];
    return set;
  }

  u32 chain(const State& state, const Code& code) const {
    u32 longest = 0;
    for (const Code::Step& step : code.steps)
      if (step.kind == Code::Step::Kind::slot) longest = std::max(longest, state.chains[step.slot]);
    return longest;
  }

  Event event(const Instruction& i, EventKind kind, Value value) const {
    Event e;
    e.kind = kind;
    e.order = i.order;
    e.scope = i.scope;
    e.sc = i.sc;
    e.thread = static_cast<u8>(number_);
    e.location = static_cast<u8>(i.location);
    e.value = value;
    return e;
  }

  u32 add(State& state, const Event& e) const {
    if (state.trace.events.size() + program_.locations.size() >= most_events)
      program_.refuse_as_too_large(fmt::format("it has more than {} events", most_events));
    state.trace.events.push_back(e);
    return static_cast<u32>(state.trace.events.size() - 1);
  }

  void put(State& state, u32 slot, Value value, EventSet taint, u32 chain) const {
    if (slot == no_slot) return;
    state.slots[slot] = value;
    state.taints[slot] = taint;
    state.chains[slot] = chain;
  }

  /// `chain`: of how many writes the value was the result before this one.
  void write(State& state, const Instruction& i, Value value, EventSet from, u32 chain) const {
    const u32 e = add(state, event(i, EventKind::write, value));
    if (chain < chains_.longest(i.location)) {
      const auto [known, is_new] = written_[i.location].try_emplace(value, chain + 1);
      if (!is_new) known->second = std::min(known->second, chain + 1);
    }
    for_each(from | state.control, [&](u32 read) { state.trace.dependencies.emplace_back(read, e); });
  }

  /// Takes a read (of an atomic also its write), then the rest of the thread; once for each value that is read.
  void read(const State& before, const Instruction& i) {
    for (const auto& [value, length] : domains_[i.location]) {
      if (i.kind == Instruction::Kind::await && !apply(i.relation, value, evaluate(i.value, before.slots))) continue;
      State state = before;
      Event r = event(i, EventKind::read, value);
      if (i.kind == Instruction::Kind::atomic) {  // the read acquires, the write releases
        if (!acquires(i.order)) r.order = Order::relaxed;
        r.reduction = i.reduction;
      }
      const u32 e = add(state, r);
      if (i.kind == Instruction::Kind::atomic) {
        if (const auto written = written_by(i, value, state.slots)) {
          EventSet from = taint(state, i.value) | taint(state, i.expected);
          if (i.verb != Verb::xchg) from |= just(e);
          const bool of_both = i.verb != Verb::xchg && i.verb != Verb::cas;
          Instruction w = i;
          if (!releases(i.order)) w.order = Order::relaxed;
          write(state, w, *written, from, std::max(chain(state, i.value), of_both ? length : 0));
          state.trace.rmw.emplace_back(e, e + 1);
        }
      }
      if (i.kind == Instruction::Kind::await) state.control |= just(e) | taint(state, i.value);
      put(state, i.slot, value, just(e), length);
      step(std::move(state));
    }
  }

  /// Runs the thread to its end or to its next read. read() then goes on.
  void step(State state) {
    const auto& list = thread_.instructions;
    while (state.at < list.size()) {
      const Instruction& i = list[state.at++];
      switch (i.kind) {
        case Instruction::Kind::load:
        case Instruction::Kind::await:
        case Instruction::Kind::atomic:
          return read(state, i);
        case Instruction::Kind::store:
          write(state, i, evaluate(i.value, state.slots), taint(state, i.value), chain(state, i.value));
          break;
        case Instruction::Kind::let:
          put(state, i.slot, evaluate(i.value, state.slots), taint(state, i.value), chain(state, i.value));
          break;
        case Instruction::Kind::branch_unless:
          state.control |= taint(state, i.value);
          if (!evaluate(i.value, state.slots)) state.at = i.target;
          break;
        case Instruction::Kind::jump:
          state.at = i.target;
          break;
        case Instruction::Kind::fence:
          add(state, event(i, EventKind::fence, 0));
          break;
        case Instruction::Kind::order_fence:
        case Instruction::Kind::durability_fence:
        case Instruction::Kind::output:
          break;  // tests of kind pm, whose executions are those of executions.hpp
        case Instruction::Kind::barrier: {
          Event e = event(i, EventKind::barrier, 0);
          e.barrier_of = static_cast<u8>(i.barrier);
          e.waits = i.waits;
          add(state, e);
          break;
        }
      }
    }
    state.trace.registers.assign(
        state.slots.begin() + thread_.first_slot,
        state.slots.begin() + thread_.first_slot + static_cast<std::ptrdiff_t>(thread_.registers.size()));
    traces_.push_back(std::move(state.trace));
    if (traces_.size() > most_traces)
      program_.refuse_as_too_large(fmt::format("{} has too many ways to run", thread_.name));
  }

  const Program& program_;
  const Program::Thread& thread_;
  u32 number_;
  const Chains& chains_;
  const Domains& domains_;
  Domains& written_;
  std::vector<Trace> traces_;
};

/// The runs of every thread, over all values that some thread can write. A thread that waits for ever counts too:
/// another thread may read what it has written, and then end the wait. The rounds end when they find no more: chains
/// have an end.
std::vector<std::vector<Trace>> all_traces(const Program& program) {
  const Chains chains(program);
  Domains domains(program.locations.size());
  for (std::size_t l = 0; l < domains.size(); ++l) domains[l][program.initial[l]] = 0;
  std::vector<std::vector<Trace>> traces(program.threads.size());
  while (true) {
    Domains next = domains;
    for (u32 t = 0; t < traces.size(); ++t) traces[t] = Tracer(program, t, chains, domains, next).run();
    if (next == domains) return traces;
    domains = std::move(next);
  }
}

class Combiner {
 public:
  Combiner(const Program& program, const std::function<void(const EventGraph&, const std::vector<Value>&)>& visit)
      : program_(program), visit_(visit), traces_(all_traces(program)), chosen_(traces_.size()) {}

  void run() {
    u64 combinations = 1;
    for (const auto& traces : traces_) {
      combinations *= traces.size();
      if (combinations > most_combinations) program_.refuse_as_too_large("it has too many candidate executions");
    }
    choose(0);
  }

 private:
  void choose(u32 thread) {
    if (thread == traces_.size()) return combine();
    for (const Trace& trace : traces_[thread]) {
      chosen_[thread] = &trace;
      choose(thread + 1);
    }
  }

  /// True if some write has each value that is read.
  bool readable() const {
    for (const Trace* reader : chosen_)
      for (const Event& r : reader->events) {
        if (!r.reads() || r.value == program_.initial[r.location]) continue;
        bool found = false;
        for (const Trace* writer : chosen_)
          for (const Event& w : writer->events) found |= w.writes() && w.location == r.location && w.value == r.value;
        if (!found) return false;
      }
    return true;
  }

  void combine() {
    if (!readable()) return;
    EventGraph graph;
    for (const auto& thread : program_.threads) graph.places.push_back(thread.place);
    for (u32 l = 0; l < program_.locations.size(); ++l) {
      Event e;
      e.kind = EventKind::write;
      e.initial = true;
      e.location = static_cast<u8>(l);
      e.value = program_.initial[l];
      graph.events.push_back(e);
    }
    std::vector<Value> registers;
    for (const Trace* trace : chosen_) {
      graph.events.insert(graph.events.end(), trace->events.begin(), trace->events.end());
      registers.insert(registers.end(), trace->registers.begin(), trace->registers.end());
    }
    if (graph.size() > most_events)
      program_.refuse_as_too_large(fmt::format("it has more than {} events", most_events));
    relate(graph);
    meet(graph, registers);
  }

  /// Visits the graph once for every way in which threads may meet at barriers.
  void meet(EventGraph& graph, const std::vector<Value>& registers) {
    std::vector<u32> barriers;
    for (u32 e = 0; e < graph.size(); ++e)
      if (graph.events[e].kind == EventKind::barrier) barriers.push_back(e);
    if (barriers.empty()) return visit_(graph, registers);
    std::vector<Arrival> arrivals;
    for (const u32 e : barriers)
      arrivals.push_back({graph.events[e].thread, graph.events[e].barrier_of, graph.events[e].waits});
    const auto [known, is_new] = meetings_.try_emplace(arrivals);
    if (is_new) known->second = barrier_meetings(program_, arrivals);
    for (const std::vector<u32>& meeting : known->second) {
      for (std::size_t i = 0; i < barriers.size(); ++i) graph.events[barriers[i]].barrier = meeting[i];
      visit_(graph, registers);
    }
  }

  void relate(EventGraph& graph) const {
    graph.program_order = graph.rmw = graph.dependency = Relation(graph.size());
    u32 first = static_cast<u32>(program_.locations.size());
    for (const Trace* trace : chosen_) {
      const u32 end = first + static_cast<u32>(trace->events.size());
      for (u32 a = first; a < end; ++a)
        for (u32 b = a + 1; b < end; ++b) graph.program_order.add(a, b);
      for (const auto& [a, b] : trace->rmw) graph.rmw.add(first + a, first + b);
      for (const auto& [a, b] : trace->dependencies) graph.dependency.add(first + a, first + b);
      first = end;
    }
  }

  const Program& program_;
  const std::function<void(const EventGraph&, const std::vector<Value>&)>& visit_;
  std::vector<std::vector<Trace>> traces_;
  std::vector<const Trace*> chosen_;
  std::map<std::vector<Arrival>, std::vector<std::vector<u32>>> meetings_;  // found so far
};

}  // namespace

void each_candidate(const Program& program,
                    const std::function<void(const EventGraph&, const std::vector<Value>&)>& visit) {
  Combiner(program, visit).run();
}

}  // namespace ew::check
