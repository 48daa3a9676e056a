#include "check/litmus.hpp"

#include <fmt/format.h>

#include "check/litmus_words.hpp"

namespace ew::check {

std::string_view text_of(TestKind kind) {
  return word_for(kind_words, kind);
}
std::string_view text_of(Verb verb) {
  return word_for(verb_words, verb);
}
std::string_view text_of(Label label) {
  return word_for(label_words, label);
}
std::string_view text_of(Order order) {
  return word_for(order_words, order);
}
std::string_view text_of(Scope scope) {
  return word_for(scope_words, scope);
}

std::string_view text_of(Operator op) {
  if (op == Operator::negate || op == Operator::logical_not) return word_for(unary_operators, op);
  return word_for(binary_operators, op);
}

namespace {

int binding(const Expression& e) {
  if (e.kind != Expression::Kind::operation) return e.value < 0 ? 10 : 11;
  if (e.operands.size() == 1) return 10;
  for (const OperatorWord& word : binary_operators)
    if (word.meaning == e.op) return word.binds;
  return 0;
}

/// The expression, in parentheses if its operator binds less tightly than `least`.
std::string print_bound(const Expression& e, int least) {
  std::string text = print(e);
  return binding(e) < least ? fmt::format("({})", text) : text;
}

std::string print(const Tags& tags) {
  std::string text;
  if (tags.sc) text += ".sc";
  if (tags.label) text += fmt::format(".{}", text_of(*tags.label));
  if (tags.order) text += fmt::format(".{}", text_of(*tags.order));
  if (tags.scope) text += fmt::format(".{}", text_of(*tags.scope));
  return text;
}

std::string print(const std::vector<Statement>& statements);

}  // namespace

std::string print(const Statement& s) {
  const std::string head = fmt::format("{}{}", text_of(s.verb), print(s.tags)), reg = s.reg.empty() ? "_" : s.reg;
  switch (s.verb) {
    case Verb::st:
    case Verb::prel:
    case Verb::out:
      return fmt::format("{} {} {}", head, s.location, print(s.values[0]));
    case Verb::ld:
    case Verb::pacq:
      return fmt::format("{} {} {}", head, reg, s.location);
    case Verb::await:
    case Verb::pawait:
      return fmt::format("{} {} {} {}{}", head, reg, s.location, text_of(s.relation), print(s.values[0]));
    case Verb::add:
    case Verb::xchg:
    case Verb::bit_or:
    case Verb::max:
      return fmt::format("{} {} {} {}", head, reg, s.location, print(s.values[0]));
    case Verb::cas:
      return fmt::format("{} {} {} {} {}", head, reg, s.location, print_bound(s.values[0], 10), print(s.values[1]));
    case Verb::branch: {
      std::string text = fmt::format("if {} {{ {} }}", print(s.values[0]), print(s.then));
      if (!s.otherwise.empty()) text += fmt::format(" else {{ {} }}", print(s.otherwise));
      return text;
    }
    case Verb::let:
      return fmt::format("let {} = {}", reg, print(s.values[0]));
    case Verb::use:
      return fmt::format("use {}", reg);
    case Verb::bar:
    case Verb::arrive:
      return fmt::format("{}{}{}", head, s.barrier ? fmt::format(" {}", *s.barrier) : "",
                         s.threads ? fmt::format(" {}", *s.threads) : "");
    default:
      return head;
  }
}

namespace {

std::string print(const std::vector<Statement>& statements) {
  std::string text;
  for (const Statement& s : statements) text += fmt::format("{}{}", text.empty() ? "" : " ; ", print(s));
  return text;
}

std::string print(const ThreadText& thread) {
  std::string text = fmt::format("T{}", thread.number);
  if (thread.placement) {
    const Placement& p = *thread.placement;
    text += '@';
    if (p.device) text += fmt::format("d{}.", p.device);
    text += fmt::format("b{}", p.block);
    if (p.warp) text += fmt::format(".w{}", *p.warp);
  }
  return fmt::format("{}: {}\n", text, print(thread.statements));
}

std::string print(const Expectation& row) {
  std::string text = "expect";
  if (row.kind == Expectation::Kind::crash) text += " crash";
  if (row.kind == Expectation::Kind::images) text += " images";
  if (row.kind == Expectation::Kind::final) text += " final";
  if (row.condition) text += fmt::format(" {} ::", print(*row.condition));
  for (const auto& [column, value] : row.cells) text += fmt::format(" {}={}", column, value);
  text += '\n';
  for (std::size_t i = 0; i < row.shown.size(); ++i) {
    const auto& [protocol, model] = row.shown[i];
    const bool first = i == 0 || row.shown[i - 1].model != model;
    const bool last = i + 1 == row.shown.size() || row.shown[i + 1].model != model;
    text += fmt::format("{}{}", first ? "expect shown " : ",", protocol);
    if (last) text += model == usual_model ? "\n" : fmt::format(" under {}\n", model);
  }
  return text;
}

}  // namespace

std::string print(const Expression& e) {
  if (e.kind == Expression::Kind::constant) return std::to_string(e.value);
  if (e.kind == Expression::Kind::name) return e.name;
  const std::string_view op = text_of(e.op);
  // If the operand of a unary operator has a sign itself, it stands in parentheses: -(-1).
  if (e.operands.size() == 1) return fmt::format("{}{}", op, print_bound(e.operands[0], 11));
  const int binds = binding(e);
  return fmt::format("{} {} {}", print_bound(e.operands[0], binds), op, print_bound(e.operands[1], binds + 1));
}

std::string print(const Litmus& test) {
  std::string text = fmt::format("test {} {}\n", test.name, text_of(test.kind));
  for (const Litmus::Note& note : test.notes) text += fmt::format("{} {}\n", note.source ? "src" : "doc", note.text);
  if (!test.persistent.empty()) text += fmt::format("pm {}\n", fmt::join(test.persistent, " "));
  if (!test.initial.empty()) {
    text += "init";
    for (const auto& [location, value] : test.initial) text += fmt::format(" {}={}", location, value);
    text += '\n';
  }
  if (!test.domain.empty()) text += fmt::format("dom {}\n", fmt::join(test.domain, " "));
  for (const ThreadText& thread : test.threads) text += print(thread);
  for (const Expectation& row : test.expectations) text += print(row);
  return text;
}

std::string print(const std::vector<Litmus>& tests) {
  std::string text;
  for (const Litmus& test : tests) text += print(test);
  return text;
}

}  // namespace ew::check
