#include "check/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "check/litmus_checks.hpp"
#include "core/diagnostics.hpp"

namespace ew::check {

namespace {

constexpr u32 most_threads = 32, most_locations = 32;

void append(Code& code, const Expression& e, const std::function<u32(const std::string&)>& slot_of) {
  for (const Expression& operand : e.operands) append(code, operand, slot_of);
  Code::Step step;
  switch (e.kind) {
    case Expression::Kind::constant:
      step.kind = Code::Step::Kind::constant;
      step.value = e.value;
      break;
    case Expression::Kind::name:
      step.kind = Code::Step::Kind::slot;
      step.slot = slot_of(e.name);
      break;
    case Expression::Kind::operation:
      step.kind = Code::Step::Kind::operation;
      step.op = e.op;
      break;
  }
  code.steps.push_back(step);
}

class ThreadResolver {
 public:
  ThreadResolver(Program& program, Program::Thread& thread) : program_(program), thread_(thread) {}

  void statements(const std::vector<Statement>& list) {
    for (const Statement& s : list) statement(s);
  }

 private:
  u32 slot_of(const std::string& name) {
    auto& names = thread_.registers;
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) names.push_back(name);
    return thread_.first_slot + static_cast<u32>(std::ranges::find(names, name) - names.begin());
  }

  Code code(const Expression& e) {
    return compile(e, [&](const std::string& name) { return slot_of(name); });
  }

  static Instruction::Kind access_kind(Verb verb) {
    switch (verb) {
      case Verb::st:
      case Verb::prel:
        return Instruction::Kind::store;
      case Verb::ld:
      case Verb::pacq:
        return Instruction::Kind::load;
      case Verb::await:
      case Verb::pawait:
        return Instruction::Kind::await;
      default:
        return Instruction::Kind::atomic;
    }
  }

  Instruction access(const Statement& s) {
    Instruction i;
    i.verb = s.verb;
    i.location = static_cast<u32>(std::ranges::find(program_.locations, s.location) - program_.locations.begin());
    i.order = s.tags.order.value_or(Order::weak);
    i.kind = access_kind(s.verb);
    i.persist_sync = s.verb == Verb::prel || s.verb == Verb::pacq || s.verb == Verb::pawait;
    const bool scoped = s.tags.scope.has_value();  // a weak access has no scope: one that has is strong
    if (i.order == Order::weak && (scoped || i.kind == Instruction::Kind::atomic)) i.order = Order::relaxed;
    if (i.order != Order::weak) i.scope = s.tags.scope.value_or(Scope::sys);
    const bool can_be_reduction = s.verb == Verb::add || s.verb == Verb::bit_or || s.verb == Verb::max;
    i.reduction = can_be_reduction && s.reg.empty() && !acquires(i.order);
    i.relation = s.relation;
    if (s.verb == Verb::cas) i.expected = code(s.values[0]);
    if (!s.values.empty()) i.value = code(s.values.back());
    if (!s.reg.empty()) i.slot = slot_of(s.reg);
    return i;
  }

  void statement(const Statement& s) {
    Instruction i;
    switch (s.verb) {
      case Verb::branch:
        return branch(s);
      case Verb::use:
        return;
      case Verb::let:
        i.kind = Instruction::Kind::let;
        i.value = code(s.values[0]);
        i.slot = slot_of(s.reg);
        break;
      case Verb::fence:
        i.kind = Instruction::Kind::fence;
        i.scope = *s.tags.scope;
        i.sc = s.tags.sc;
        break;
      case Verb::bar:
      case Verb::arrive:
        i.kind = Instruction::Kind::barrier;
        i.barrier = barrier(s);
        i.waits = s.verb == Verb::bar;
        break;
      case Verb::ofence:
        i.kind = Instruction::Kind::order_fence;
        break;
      case Verb::dfence:
        i.kind = Instruction::Kind::durability_fence;
        break;
      case Verb::out:
        i.kind = Instruction::Kind::output;
        i.location = static_cast<u32>(std::ranges::find(program_.outputs, s.location) - program_.outputs.begin());
        i.value = code(s.values[0]);
        break;
      default:
        i = access(s);
    }
    i.text = print(s);
    thread_.instructions.push_back(std::move(i));
  }

  u32 barrier(const Statement& s) {
    const u32 id = s.barrier.value_or(0);
    const auto found = std::ranges::find_if(
        program_.barriers, [&](const Program::Barrier& b) { return b.id == id && b.place == thread_.place; });
    if (found != program_.barriers.end()) return static_cast<u32>(found - program_.barriers.begin());
    const auto mates = std::ranges::count(program_.threads, thread_.place, &Program::Thread::place);
    program_.barriers.push_back(
        {thread_.place, id, s.threads, s.threads ? *s.threads / warp_lanes : static_cast<u32>(mates)});
    return static_cast<u32>(program_.barriers.size() - 1);
  }

  void branch(const Statement& s) {
    auto& list = thread_.instructions;
    const auto jump = [&](Instruction::Kind kind) {
      list.emplace_back().kind = kind;
      return list.size() - 1;
    };
    Code condition = code(s.values[0]);
    const std::size_t unless = jump(Instruction::Kind::branch_unless);
    list[unless].value = std::move(condition);
    statements(s.then);
    if (s.otherwise.empty()) {
      list[unless].target = static_cast<u32>(list.size());
      return;
    }
    const std::size_t over = jump(Instruction::Kind::jump);
    list[unless].target = static_cast<u32>(list.size());
    statements(s.otherwise);
    list[over].target = static_cast<u32>(list.size());
  }

  Program& program_;
  Program::Thread& thread_;
};

/// A thread without a placement gets a block of its own, with a number behind the blocks of the test. A thread without
/// a warp gets a warp of its own, with a number behind the warps of the test.
void place_threads(Program& program, const Litmus& test) {
  u32 next_block = 0;
  std::map<std::pair<u32, u32>, u32> next_warp;
  for (const ThreadText& thread : test.threads) {
    if (!thread.placement) continue;
    const Placement& p = *thread.placement;
    if (p.device == 0) next_block = std::max(next_block, p.block + 1);
    u32& next = next_warp[{p.device, p.block}];
    if (p.warp) next = std::max(next, *p.warp + 1);
  }
  for (std::size_t t = 0; t < test.threads.size(); ++t) {
    const auto& placement = test.threads[t].placement;
    Program::Thread& thread = program.threads[t];
    thread.place = placement ? Place{placement->device, placement->block} : Place{0, next_block++};
    if (placement)
      thread.warp = placement->warp ? *placement->warp : next_warp[{placement->device, placement->block}]++;
  }
}

}  // namespace

Value apply(Operator op, Value left, Value right) {
  const auto wrap = [](u32 bits) { return static_cast<Value>(bits); };
  const u32 a = static_cast<u32>(left), b = static_cast<u32>(right);
  switch (op) {
    case Operator::logical_or:
      return left || right;
    case Operator::logical_and:
      return left && right;
    case Operator::bit_or:
      return wrap(a | b);
    case Operator::bit_xor:
      return wrap(a ^ b);
    case Operator::bit_and:
      return wrap(a & b);
    case Operator::equal:
      return left == right;
    case Operator::not_equal:
      return left != right;
    case Operator::less:
      return left < right;
    case Operator::less_equal:
      return left <= right;
    case Operator::greater:
      return left > right;
    case Operator::greater_equal:
      return left >= right;
    case Operator::add:
      return wrap(a + b);
    case Operator::subtract:
      return wrap(a - b);
    case Operator::multiply:
      return wrap(a * b);
    case Operator::negate:
      return wrap(0u - b);
    case Operator::logical_not:
      return !right;
  }
  return 0;
}

Value evaluate(const Code& code, std::span<const Value> slots) {
  std::vector<Value> stack;
  stack.reserve(code.steps.size());
  for (const Code::Step& step : code.steps) {
    if (step.kind == Code::Step::Kind::constant) {
      stack.push_back(step.value);
    } else if (step.kind == Code::Step::Kind::slot) {
      stack.push_back(slots[step.slot]);
    } else {
      const Value right = stack.back();
      if (step.op != Operator::negate && step.op != Operator::logical_not) stack.pop_back();
      stack.back() = apply(step.op, stack.back(), right);
    }
  }
  return stack.back();
}

std::optional<Value> written_by(const Instruction& i, Value old, std::span<const Value> slots) {
  const Value operand = evaluate(i.value, slots);
  switch (i.verb) {
    case Verb::add:
      return apply(Operator::add, old, operand);
    case Verb::bit_or:
      return apply(Operator::bit_or, old, operand);
    case Verb::max:
      return std::max(old, operand);
    case Verb::cas:
      if (old != evaluate(i.expected, slots)) return {};
      return operand;
    default:
      return operand;  // xchg
  }
}

std::string Program::slot_name(u32 slot) const {
  if (slot >= register_slots) return locations[slot - register_slots];
  for (const Thread& thread : threads)
    if (slot < thread.first_slot + thread.registers.size())
      return fmt::format("{}:{}", thread.name, thread.registers[slot - thread.first_slot]);
  return "?";
}

std::string Program::text_of(const FinalState& state) const {
  std::string text;
  for (u32 slot = 0; slot < state.values.size(); ++slot)
    text += fmt::format("{}{}={}", slot ? " " : "", slot_name(slot), state.values[slot]);
  return text;
}

std::string Program::text_of(const Event& e) const {
  return fmt::format("{}: {}", threads[e.thread].name, threads[e.thread].instructions[e.instruction].text);
}

u32 Program::devices() const {
  u32 most = 0;
  for (const Thread& thread : threads) most = std::max(most, thread.place.device + 1);
  return most;
}

void Program::refuse_as_too_large(std::string_view why) const {
  throw core::UserError(
      where,
      fmt::format("{} is too large to judge: {}. Fewer threads, reads, or atomics of one location help", name, why));
}

Program resolve(const Litmus& test, const std::string& file) {
  Program program;
  program.name = test.name;
  program.where = {file, test.line.number};
  program.locations = locations_of(test);
  for (const std::string& location : program.locations) {
    const auto found = std::ranges::find(test.initial, location, &Litmus::Initial::location);
    program.initial.push_back(found == test.initial.end() ? 0 : found->value);
  }
  for (const std::string& location : program.locations)
    program.persistent.push_back(std::ranges::find(test.persistent, location) != test.persistent.end());
  program.outputs = outputs_of(test);
  if (test.threads.size() > most_threads || program.outputs.size() > most_locations ||
      program.locations.size() > most_locations)
    throw core::UserError({file, test.line.number},
                          fmt::format("{} has more than {} threads, or {} locations or outputs", test.name,
                                      most_threads, most_locations));
  program.threads.resize(test.threads.size());
  place_threads(program, test);
  for (std::size_t t = 0; t < test.threads.size(); ++t) {
    Program::Thread& thread = program.threads[t];
    thread.name = fmt::format("T{}", test.threads[t].number);
    thread.line = test.threads[t].line.number;
    thread.first_slot = program.register_slots;
    ThreadResolver(program, thread).statements(test.threads[t].statements);
    program.register_slots += static_cast<u32>(thread.registers.size());
  }
  return program;
}

Code compile(const Expression& e, const std::function<u32(const std::string&)>& slot_of) {
  Code code;
  append(code, e, slot_of);
  return code;
}

Code resolve_condition(const Program& program, const Expression& condition) {
  return compile(condition, [&](const std::string& name) {
    for (u32 slot = 0; slot < program.slots(); ++slot)
      if (program.slot_name(slot) == name) return slot;
    return no_slot;  // never reached: the parser has checked the name
  });
}

}  // namespace ew::check
