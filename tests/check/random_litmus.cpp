#include "random_litmus.hpp"

#include <string>

namespace ew::check {

namespace {

constexpr Verb accesses[] = {Verb::st,   Verb::ld,     Verb::await, Verb::add,
                             Verb::xchg, Verb::bit_or, Verb::max,   Verb::cas};
constexpr Scope scopes[] = {Scope::cta, Scope::gpu, Scope::sys};

std::string numbered(const char* stem, u32 number) {
  return stem + std::to_string(number);
}

bool is_atomic(Verb verb) {
  return verb >= Verb::add && verb <= Verb::cas;
}

Expression constant(Value value) {
  Expression e;
  e.value = value;
  return e;
}

Expression named(std::string name) {
  Expression e;
  e.kind = Expression::Kind::name;
  e.name = std::move(name);
  return e;
}

Expression operation(Operator op, std::vector<Expression> operands) {
  Expression e;
  e.kind = Expression::Kind::operation;
  e.op = op;
  e.operands = std::move(operands);
  return e;
}

}  // namespace

Expression RandomLitmus::expression(const Names& names, u32 depth) {
  const u32 kind = below(depth ? 5 : 2);
  if (kind == 0 || (kind == 1 && names.registers.empty())) return constant(static_cast<Value>(below(8)) - 3);
  if (kind == 1) return named(names.registers[below(static_cast<u32>(names.registers.size()))]);
  if (kind == 2) {
    Expression inner = expression(names, depth - 1);
    const Operator op = below(2) ? Operator::negate : Operator::logical_not;
    if (op == Operator::negate && inner.kind == Expression::Kind::constant) return inner;  // that is one constant
    return operation(op, {std::move(inner)});
  }
  const auto op = static_cast<Operator>(below(static_cast<u32>(Operator::negate)));
  Expression left = expression(names, depth - 1);
  return operation(op, {std::move(left), expression(names, depth - 1)});
}

void RandomLitmus::tag(TestKind kind, Statement& s) {
  const bool atomic = is_atomic(s.verb), reads = s.verb != Verb::st, writes = s.verb == Verb::st || atomic;
  if (kind == TestKind::drf && below(2)) s.tags.label = static_cast<Label>(below(7));
  std::vector<Order> orders{Order::relaxed};
  if (reads) orders.push_back(Order::acquire);
  if (writes) orders.push_back(Order::release);
  if (atomic) orders.push_back(Order::acq_rel);
  if (below(2)) s.tags.order = orders[below(static_cast<u32>(orders.size()))];
  if ((atomic || s.tags.order || kind != TestKind::ptx) && below(2)) s.tags.scope = scopes[below(3)];
  if (kind == TestKind::ptx && !atomic && !s.tags.order && below(3) == 0)
    s.tags.order = below(2) ? Order::weak : Order::is_volatile;
}

Statement RandomLitmus::statement(TestKind kind, Names& names) {
  Statement s;
  const u32 choice = below(kind == TestKind::pm ? 16 : 11);
  const auto access = [&](Verb verb) {
    s.verb = verb;
    s.location = numbered("x", below(3));
  };
  const auto value = [&] { s.values.push_back(expression(names, 3)); };
  const auto put = [&] {
    s.reg = numbered("r", below(4));
    names.registers.push_back(s.reg);
  };
  if (choice < 7) {
    access(accesses[below(8)]);
    tag(kind, s);
    if (s.verb == Verb::await) s.relation = static_cast<Operator>(u32(Operator::equal) + below(6));
    if (s.verb == Verb::cas) s.values.push_back(expression(names, 1));
    if (s.verb != Verb::ld) value();
    if (s.verb != Verb::st && !(is_atomic(s.verb) && below(2))) put();
  } else if (choice == 7) {
    s.verb = Verb::fence;
    s.tags.scope = scopes[below(3)];
    s.tags.sc = kind == TestKind::ptx && below(2);
  } else if (choice == 8) {
    s.verb = Verb::let;
    value();
    put();
  } else if (choice == 9 && !names.registers.empty()) {
    s.verb = Verb::use;
    s.reg = names.registers[below(static_cast<u32>(names.registers.size()))];
  } else if (choice == 10 && names.depth < 2) {
    s.verb = Verb::branch;
    value();
    ++names.depth;
    s.then = statements(kind, names, 1 + below(2));
    if (below(2)) s.otherwise = statements(kind, names, 1 + below(2));
    --names.depth;
  } else if (choice == 11) {
    s.verb = below(2) ? Verb::ofence : Verb::dfence;
  } else if (choice == 12) {
    s.verb = Verb::out;
    s.location = numbered("o", below(2));
    value();
  } else if (choice >= 13) {
    access(choice == 13 ? Verb::prel : choice == 14 ? Verb::pacq : Verb::pawait);
    s.tags.scope = scopes[below(3)];
    if (s.verb == Verb::pawait) s.relation = static_cast<Operator>(u32(Operator::equal) + below(6));
    if (s.verb != Verb::pacq) value();
    if (s.verb != Verb::prel) put();
  } else {
    access(Verb::st);
    value();
  }
  return s;
}

std::vector<Statement> RandomLitmus::statements(TestKind kind, Names& names, u32 count) {
  std::vector<Statement> list;
  for (u32 i = 0; i < count; ++i) list.push_back(statement(kind, names));
  return list;
}

Expression RandomLitmus::condition(const Litmus& test) {
  Names names;
  for (const ThreadText& thread : test.threads)
    for (const Statement& s : thread.statements) {
      if (!s.location.empty()) names.registers.push_back(s.location);
      if (!s.reg.empty()) names.registers.push_back(numbered("T", thread.number) + ":" + s.reg);
    }
  return expression(names, 3);
}

Litmus RandomLitmus::test() {
  Litmus test;
  test.name = numbered("random+", below(100));
  test.kind = static_cast<TestKind>(below(3));
  for (u32 i = 0; i < below(3); ++i) test.notes.push_back({below(2) != 0, numbered("a note # ", below(10))});
  const u32 threads = 1 + below(4);
  for (u32 t = 0; t < threads; ++t) {
    ThreadText thread;
    thread.number = 2 * t;
    if (below(4)) thread.placement = Placement{below(2), below(3), {}};
    if (thread.placement && below(2)) thread.placement->warp = below(3);
    Names names;
    thread.statements = statements(test.kind, names, 1 + below(5));
    Statement first;
    first.verb = Verb::st;
    first.location = "x0";
    first.values.push_back(constant(1));
    thread.statements.insert(thread.statements.begin(), first);
    test.threads.push_back(std::move(thread));
  }
  if (below(2)) test.initial.push_back({"x0", static_cast<Value>(below(10)) - 5});
  if (below(2)) test.domain = {0, 7, -2};
  if (test.kind == TestKind::pm && below(2)) test.persistent = {"x0", "x1"};
  for (u32 i = 0; i < below(4); ++i) {
    Expectation row;
    const char* answer = below(2) ? "A" : "F";
    if (test.kind == TestKind::drf) {
      row.kind = Expectation::Kind::models;
      row.cells = {{"drf0", below(2) ? "legal" : "data+quantum"}, {"hrf-direct", "ordinary"}};
    } else if (test.kind == TestKind::pm && below(2)) {
      row.kind = Expectation::Kind::images;
      row.cells = {{"sbrp-lit", "12"}, {"gpm-ddio", "3"}};
    } else if (test.kind == TestKind::pm) {
      row.kind = Expectation::Kind::crash;
      row.condition = condition(test);
      row.cells = {{"sbrp", answer}, {"strict", "F"}};
    } else {
      row.kind = Expectation::Kind::final;
      row.condition = condition(test);
      row.cells = {{"ptx", answer}};
      if (below(2)) row.cells.push_back({"hrf", "A"});
      if (row.cells[0].value == "A" && below(2)) row.shown = {{"gpu", "ptx"}, {"none-l1", "ptx"}};
      if (row.cells.size() == 2 && below(2)) row.shown.push_back({"gpu-hrf", "hrf"});
    }
    test.expectations.push_back(std::move(row));
  }
  return test;
}

Statement RandomLitmus::simple_access(u32 thread, u32 number) {
  Statement s;
  static constexpr Verb verbs[] = {Verb::st, Verb::st, Verb::ld, Verb::ld, Verb::add, Verb::xchg, Verb::cas};
  s.verb = verbs[below(std::size(verbs))];
  s.location = below(2) ? "x" : "y";
  tag(TestKind::ptx, s);
  if (s.verb != Verb::st) s.reg = numbered("r", number);
  if (s.verb == Verb::cas) s.values.push_back(constant(static_cast<Value>(below(2))));
  if (s.verb != Verb::ld) s.values.push_back(constant(s.verb == Verb::add ? 1 : static_cast<Value>(1 + thread)));
  return s;
}

Litmus RandomLitmus::program(u32 threads, u32 count) {
  Litmus test;
  test.name = "random";
  for (u32 t = 0; t < threads; ++t) {
    ThreadText thread;
    thread.number = t;
    thread.placement = Placement{below(6) == 0, below(2), {}};
    for (u32 i = 0; i < count; ++i) {
      Statement s = simple_access(t, i);
      if (below(5) == 0) {
        s = {};
        s.verb = Verb::fence;
        s.tags.scope = scopes[below(3)];
        s.tags.sc = below(2);
      } else if (below(6) == 0 && i > 0 && !thread.statements.back().reg.empty()) {
        Statement branch;
        branch.verb = Verb::branch;
        branch.values.push_back(named(thread.statements.back().reg));
        branch.then.push_back(std::move(s));
        s = std::move(branch);
      } else if (below(5) == 0 && i > 0 && !thread.statements.back().reg.empty() && s.verb == Verb::st) {
        s.values[0] = named(thread.statements.back().reg);
      }
      thread.statements.push_back(std::move(s));
    }
    test.threads.push_back(std::move(thread));
  }
  return test;
}

/// An access of a flag: f is volatile, g persistent; both begin at 0 and mostly become 1.
Statement RandomLitmus::flag_access(bool may_wait) {
  Statement s;
  s.location = below(3) ? "f" : "g";
  const Scope scope = scopes[below(3)];
  switch (below(may_wait ? 10 : 6)) {
    case 0:
    case 1:
      s.verb = Verb::prel;
      s.tags.scope = scope;
      s.values = {constant(1)};
      break;
    case 2:
      s.verb = Verb::st;
      s.tags.order = below(2) ? Order::release : Order::relaxed;
      if (below(2)) s.tags.scope = scope;
      s.values = {constant(1)};
      break;
    case 3:
    case 4: {
      static constexpr Verb verbs[] = {Verb::add, Verb::xchg, Verb::cas};
      static constexpr Order orders[] = {Order::relaxed, Order::acquire, Order::release, Order::acq_rel};
      s.verb = verbs[below(3)];
      if (below(4)) s.tags.order = orders[below(4)];
      if (below(2)) s.tags.scope = scope;
      s.reg = "r";
      if (s.verb == Verb::cas) s.values = {constant(0)};
      s.values.push_back(constant(1));
      break;
    }
    case 5:
      s.verb = below(2) ? Verb::pacq : Verb::ld;
      if (s.verb == Verb::pacq || below(2)) s.tags.scope = scope;
      if (s.verb == Verb::ld && below(2)) s.tags.order = Order::acquire;
      s.reg = "r";
      break;
    default:
      s.verb = below(3) ? Verb::pawait : Verb::await;
      if (s.verb == Verb::pawait || below(2)) s.tags.scope = scope;
      if (s.verb == Verb::await) s.tags.order = below(2) ? Order::acquire : Order::relaxed;
      s.relation = below(5) ? Operator::not_equal : Operator::equal;
      s.values = {constant(s.relation == Operator::equal)};
      s.reg = "r";
  }
  return s;
}

Statement RandomLitmus::persist_step(std::vector<std::string>& registers) {
  Statement s;
  const u32 choice = below(16);
  if (choice < 6) {
    s.verb = Verb::st;
    s.location = below(2) ? "A" : "B";
    s.values = {!registers.empty() && below(6) == 0 ? named(registers[0]) : constant(++next_value_)};
  } else if (choice < 12) {
    s = flag_access(true);
  } else if (choice == 12) {
    s.verb = Verb::fence;
    s.tags.scope = scopes[below(3)];
  } else if (choice == 13) {
    s.verb = below(2) ? Verb::ofence : Verb::dfence;
  } else if (choice == 14) {
    s.verb = Verb::out;
    s.location = below(3) ? "o" : "p";
    s.values = {!registers.empty() && below(2) ? named(registers[0]) : constant(++next_value_)};
  } else if (registers.empty()) {
    s.verb = Verb::ld;
    s.reg = "r";
    s.location = below(2) ? "A" : "f";
  } else {
    s.verb = Verb::branch;
    s.values = {named(registers[0])};
    s.then.push_back(persist_step(registers));
    if (below(2)) s.otherwise.push_back(persist_step(registers));
  }
  if (!s.reg.empty()) registers = {s.reg};
  return s;
}

Litmus RandomLitmus::persistency(u32 threads, u32 count) {
  Litmus test;
  test.name = "random";
  test.kind = TestKind::pm;
  test.persistent = {"A", "B", "g"};
  next_value_ = 0;
  if (below(4) == 0) test.initial.push_back({"A", 9});
  const bool barriers = below(3) == 0;
  for (u32 t = 0; t < threads; ++t) {
    ThreadText thread;
    thread.number = t;
    thread.placement = Placement{below(8) == 0, barriers ? 0 : below(2), {}};
    std::vector<std::string> registers;
    for (u32 i = 0; i < count; ++i) thread.statements.push_back(persist_step(registers));
    if (barriers) {
      Statement bar;
      bar.verb = Verb::bar;
      const auto at = static_cast<std::ptrdiff_t>(below(count + 1));
      thread.statements.insert(thread.statements.begin() + at, bar);
    }
    test.threads.push_back(std::move(thread));
  }
  return test;
}

void RandomLitmus::release(std::vector<Statement>& list, const std::string& flag) {
  Statement s, fence;
  const u32 form = below(6);
  s.verb = form < 2 ? Verb::prel : form == 2 ? Verb::add : Verb::st;
  s.location = flag;
  s.values = {constant(1)};
  s.tags.scope = scopes[below(3)];
  if (form == 2 || form == 3) s.tags.order = Order::release;
  if (form == 4) s.tags.order = Order::relaxed;
  if (form == 5 && below(2)) s.tags.scope.reset();  // weak
  fence.verb = below(4) ? Verb::fence : Verb::ofence;
  if (fence.verb == Verb::fence) fence.tags.scope = scopes[below(3)];
  if (form >= 4) list.push_back(fence);
  list.push_back(s);
}

void RandomLitmus::acquire(std::vector<Statement>& list, const std::string& flag) {
  Statement s, fence;
  const u32 form = below(6);
  s.verb = form < 3 ? Verb::pawait : Verb::await;
  s.location = flag;
  s.reg = "r" + flag;
  s.relation = Operator::not_equal;
  s.values = {constant(0)};
  s.tags.scope = scopes[below(3)];
  if (form == 3) s.tags.order = Order::acquire;
  if (form >= 4) s.tags.order = Order::relaxed;
  list.push_back(s);
  fence.verb = Verb::fence;
  fence.tags.scope = scopes[below(3)];
  if (form >= 4) list.push_back(fence);
}

Litmus RandomLitmus::hand_over() {
  Litmus test;
  test.name = "random";
  test.kind = TestKind::pm;
  test.persistent = {"A", "B", "g"};
  const auto persist = [&](const char* location) {
    Statement s;
    s.verb = Verb::st;
    s.location = location;
    s.values = {constant(1)};
    return s;
  };
  const u32 threads = 2 + below(2);
  for (u32 t = 0; t < threads; ++t) {
    ThreadText thread;
    thread.number = t;
    thread.placement = Placement{below(6) == 0, below(2), {}};
    auto& list = thread.statements;
    if (t == 0) list.push_back(persist("A"));
    if (t > 0) acquire(list, t == 1 ? "f" : "g");
    if (t == 1 && threads == 3 && below(3) == 0) {
      Statement atomic = persist(below(2) ? "f" : "g");
      atomic.verb = Verb::add;
      atomic.tags.order = below(2) ? Order::acq_rel : Order::relaxed;
      list.push_back(atomic);
    }
    if (t + 1 < threads) release(list, t == 0 ? "f" : "g");
    if (t + 1 == threads) list.push_back(persist("B"));
    if (below(5) == 0) {
      Statement done;
      done.verb = Verb::out;
      done.location = "o";
      done.values = {constant(static_cast<Value>(t) + 1)};
      done.verb = below(2) ? Verb::out : Verb::dfence;
      if (done.verb == Verb::dfence) done.location.clear(), done.values.clear();
      list.insert(list.begin() + below(static_cast<u32>(list.size()) + 1), done);
    }
    test.threads.push_back(std::move(thread));
  }
  return test;
}

}  // namespace ew::check
