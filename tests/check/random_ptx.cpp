#include "random_ptx.hpp"

#include <string>

namespace ew::check {

namespace {

Statement bar(std::optional<u32> id = {}, std::optional<u32> threads = {}) {
  Statement s;
  s.verb = Verb::bar;
  s.barrier = id;
  s.threads = threads;
  return s;
}
Statement arrive(u32 id, u32 threads) {
  Statement s = bar(id, threads);
  s.verb = Verb::arrive;
  return s;
}

}  // namespace

Expression RandomPtx::operand(bool may_be_register) {
  Expression e;
  if (may_be_register && !registers_.empty() && below(4) == 0) {
    e.kind = Expression::Kind::name;
    e.name = registers_[below(static_cast<u32>(registers_.size()))];
  } else {
    e.value = static_cast<Value>(below(3));
  }
  return e;
}

Statement RandomPtx::access() {
  static constexpr Verb verbs[] = {Verb::st,   Verb::st,     Verb::st,  Verb::ld,  Verb::ld,  Verb::ld, Verb::await,
                                   Verb::xchg, Verb::bit_or, Verb::max, Verb::cas, Verb::cas, Verb::add};
  Statement s;
  s.verb = verbs[below(std::size(verbs))];
  static constexpr const char* locations[] = {"x", "x", "y", "y", "z"};
  s.location = locations[below(5)];
  const bool atomic = s.verb >= Verb::add && s.verb <= Verb::cas;
  switch (below(atomic ? 4 : 5)) {
    case 0:
      if (s.verb != Verb::st) s.tags.order = Order::acquire;
      break;
    case 1:
      if (s.verb == Verb::st || atomic) s.tags.order = Order::release;
      break;
    case 2:
      s.tags.order = atomic ? Order::acq_rel : below(2) ? Order::weak : Order::is_volatile;
      break;
    case 3:
      s.tags.order = Order::relaxed;
      break;
    default:
      break;
  }
  const bool takes_scope =
      atomic || (s.tags.order && *s.tags.order != Order::weak && *s.tags.order != Order::is_volatile);
  if (takes_scope && below(4)) s.tags.scope = scope();
  if (s.verb == Verb::await) {
    s.relation = below(3) ? Operator::not_equal : Operator::equal;
    s.values.push_back(operand(true));
    if (s.relation == Operator::not_equal) s.values[0].value = 0;
  } else if (s.verb != Verb::ld) {
    if (s.verb == Verb::cas) s.values.push_back(operand(true));
    s.values.push_back(operand(true));
  }
  if (s.verb != Verb::st && !(atomic && below(2))) {
    s.reg = "r" + std::to_string(next_register_++);
    registers_.push_back(s.reg);
  }
  return s;
}

Statement RandomPtx::step() {
  if (below(4)) return access();
  Statement s;
  s.verb = Verb::fence;
  s.tags.scope = scope();
  s.tags.sc = below(3) != 0;
  return s;
}

Statement RandomPtx::statement(u32 depth) {
  if (depth || registers_.empty() || below(6)) return step();
  Statement s;
  s.verb = Verb::branch;
  s.values.push_back(operand(true));
  s.then.push_back(statement(depth + 1));
  if (below(2)) s.otherwise.push_back(statement(depth + 1));
  return s;
}

/// Mostly so that everybody gets past them.
void RandomPtx::add_barriers(Litmus& test) {
  const u32 count = static_cast<u32>(test.threads.size()), all = 32 * count, form = below(6);
  for (u32 t = 0; t < count; ++t) {
    std::vector<Statement> barriers;
    if (form == 0) barriers = {bar()};
    if (form == 1) barriers = {bar(2), bar(2)};
    if (form == 2) barriers = {t && below(2) ? arrive(1, all) : bar(1, all)};
    if (form == 3) barriers = {bar(1, 32 * (1 + below(2) * (count - 1)))};
    if (form == 4) barriers = t ? std::vector{bar(1, 64), arrive(2, 64)} : std::vector{arrive(1, 64), bar(2, 64)};
    if (form == 5) barriers = {below(2) ? bar(1, 64) : arrive(1, 64), bar(1, 64)};
    if (form == 3) barriers[0].threads = 32 * count;
    auto& list = test.threads[t].statements;
    std::size_t at = 0;
    for (const Statement& s : barriers) {
      at += below(static_cast<u32>(list.size() - at) + 1);
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(at++), s);
    }
    test.threads[t].placement = Placement{0, 0, {}};
  }
}

Litmus RandomPtx::program() {
  Litmus test;
  test.name = "random";
  const u32 threads = 2 + below(8) / 4 + below(8) / 7, count = threads == 2 ? 4 : threads == 3 ? 2 + below(2) : 2;
  const bool barriers = below(4) == 0;
  if (below(3) == 0) test.initial.push_back({"x", 1});
  for (u32 t = 0; t < threads; ++t) {
    ThreadText thread;
    thread.number = t;
    thread.placement = Placement{below(6) == 0, below(2), {}};
    registers_.clear();
    next_register_ = 0;
    for (u32 i = 0; i < count; ++i) thread.statements.push_back(statement(0));
    test.threads.push_back(std::move(thread));
  }
  if (barriers) add_barriers(test);
  Statement first;
  first.location = "x";
  first.values.emplace_back();
  test.threads[0].statements.insert(test.threads[0].statements.begin(), first);
  return test;
}

}  // namespace ew::check
