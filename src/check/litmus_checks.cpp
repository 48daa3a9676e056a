#include "check/litmus_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "check/litmus_barriers.hpp"
#include "core/diagnostics.hpp"
#include "core/nearest.hpp"

namespace ew::check {

namespace {

bool is_atomic(Verb verb) {
  return verb == Verb::add || verb == Verb::xchg || verb == Verb::bit_or || verb == Verb::max || verb == Verb::cas;
}
bool is_access(Verb verb) {
  return verb == Verb::st || verb == Verb::ld || verb == Verb::await || is_atomic(verb);
}

/// Says why the access cannot have this order; empty if it can.
std::string wrong_order(Verb verb, Order order) {
  const bool reads = verb != Verb::st, writes = verb == Verb::st || is_atomic(verb);
  const bool right = order == Order::relaxed ||
                     (!is_atomic(verb) && (order == Order::weak || order == Order::is_volatile)) ||
                     (order == Order::acquire && reads) || (order == Order::release && writes) ||
                     (order == Order::acq_rel && is_atomic(verb));
  if (right) return {};
  return fmt::format("{}.{}: {} may be {}", text_of(verb), text_of(order), text_of(verb),
                     is_atomic(verb) ? "rlx, acq, rel or acqrel"
                     : reads         ? "weak, volatile, rlx or acq"
                                     : "weak, volatile, rlx or rel");
}

/// Walks every statement, also inside if.
template <class Visit>
void each_statement(const std::vector<Statement>& statements, Visit&& visit) {
  for (const Statement& s : statements) {
    visit(s);
    each_statement(s.then, visit);
    each_statement(s.otherwise, visit);
  }
}

template <class Visit>
void each_name(const Expression& e, Visit&& visit) {
  if (e.kind == Expression::Kind::name) visit(e.name);
  for (const Expression& operand : e.operands) each_name(operand, visit);
}

class Checker {
 public:
  Checker(const Litmus& test, const std::string& file) : test_(test), file_(file) {}

  void check() {
    if (test_.threads.empty()) fail(test_.line, fmt::format("test {} has no thread", test_.name));
    for (const ThreadText& thread : test_.threads) check_thread(thread);
    check_barriers(test_, file_);
    check_names_of_locations();
    for (const Expectation& row : test_.expectations) {
      if (row.condition) each_name(*row.condition, [&](const std::string& name) { check_condition_name(row, name); });
    }
  }

 private:
  [[noreturn]] void fail(Line line, const std::string& sentence) const {
    throw core::UserError({file_, line.number}, sentence);
  }

  void check_thread(const ThreadText& thread) {
    std::set<std::string>& registers = registers_[fmt::format("T{}", thread.number)];
    each_statement(thread.statements, [&](const Statement& s) {
      check_kind(thread, s);
      for (const Expression& e : s.values)
        each_name(e, [&](const std::string& name) { check_register(thread, registers, name); });
      if (s.verb == Verb::use) check_register(thread, registers, s.reg);
      if (!s.reg.empty()) registers.insert(s.reg);
      if (s.verb == Verb::out) outputs_.insert(s.location);
      for (const auto* part : {&s.then, &s.otherwise}) {
        each_statement(*part, [&](const Statement& inner) {
          if (inner.verb == Verb::bar && !inner.threads)
            fail(thread.line, "bar inside if: all threads of a block must reach a barrier without a thread count");
        });
      }
    });
  }

  void check_register(const ThreadText& thread, const std::set<std::string>& registers, const std::string& name) const {
    if (registers.contains(name)) return;
    const std::vector<std::string_view> names(registers.begin(), registers.end());
    fail(thread.line, fmt::format("nothing has been put into the register {} before it is read{}", name,
                                  core::did_you_mean(name, names)));
  }

  void check_kind(const ThreadText& thread, const Statement& s) const {
    static constexpr Verb persistent[] = {Verb::out, Verb::ofence, Verb::dfence, Verb::prel, Verb::pacq, Verb::pawait};
    if (test_.kind == TestKind::ptx && std::ranges::find(persistent, s.verb) != std::end(persistent))
      fail(thread.line,
           fmt::format("{} belongs to tests of kind pm, and {} is one of kind ptx", text_of(s.verb), test_.name));
    if (test_.kind == TestKind::ptx && s.tags.scope && is_access(s.verb) && !is_atomic(s.verb)) {
      const Order order = s.tags.order.value_or(Order::weak);
      if (order == Order::weak || order == Order::is_volatile)
        fail(thread.line, fmt::format("{} access with a scope: {}", order == Order::weak ? "a weak" : "a volatile",
                                      order == Order::weak ? "tag it rlx, acq or rel, or leave the scope out"
                                                           : "its scope is sys always"));
    }
  }

  void check_names_of_locations() {
    const auto list = locations_of(test_);
    locations_.insert(list.begin(), list.end());
    const std::vector<std::string_view> names(list.begin(), list.end());
    for (const auto& [location, value] : test_.initial)
      if (!locations_.contains(location))
        fail(test_.line, fmt::format("init names {}, which no thread of {} uses{}", location, test_.name,
                                     core::did_you_mean(location, names)));
  }

  void check_condition_name(const Expectation& row, const std::string& name) const {
    if (const auto colon = name.find(':'); colon != name.npos) {
      const auto thread = registers_.find(name.substr(0, colon));
      if (thread == registers_.end())
        fail(row.line, fmt::format("{} has no thread {}", test_.name, name.substr(0, colon)));
      if (!thread->second.contains(name.substr(colon + 1))) {
        const std::vector<std::string_view> names(thread->second.begin(), thread->second.end());
        fail(row.line, fmt::format("{} has no register {}{}", thread->first, name.substr(colon + 1),
                                   core::did_you_mean(name.substr(colon + 1), names)));
      }
      return;
    }
    if (locations_.contains(name) || outputs_.contains(name)) return;
    std::vector<std::string_view> names(locations_.begin(), locations_.end());
    names.insert(names.end(), outputs_.begin(), outputs_.end());
    fail(row.line,
         fmt::format("{} has no location{} {}{}", test_.name,
                     test_.kind == TestKind::pm ? " or output" : "; registers are written T0:r, and it has no", name,
                     core::did_you_mean(name, names)));
  }

  const Litmus& test_;
  const std::string& file_;
  std::map<std::string, std::set<std::string>> registers_;  // by thread
  std::set<std::string> locations_, outputs_;
};

}  // namespace

std::string wrong_tag(TestKind kind, const Statement& s) {
  const Tags& tags = s.tags;
  const bool access = is_access(s.verb), fence = s.verb == Verb::fence;
  const bool persistent = s.verb == Verb::prel || s.verb == Verb::pacq || s.verb == Verb::pawait;
  if (!access && !fence && !persistent) return fmt::format("{} takes no tags", text_of(s.verb));
  if (tags.sc && !fence) return fmt::format("{}.sc: only fences are sc", text_of(s.verb));
  if (tags.sc && kind != TestKind::ptx) return "fence.sc belongs to tests of kind ptx";
  if (tags.order && !access)
    return fmt::format("{}.{}: {} takes a scope only", text_of(s.verb), text_of(*tags.order), text_of(s.verb));
  if (tags.label && (!access || kind != TestKind::drf))
    return fmt::format("{}.{}: labels belong to accesses in tests of kind drf", text_of(s.verb), text_of(*tags.label));
  if (tags.order && kind != TestKind::ptx && (*tags.order == Order::weak || *tags.order == Order::is_volatile))
    return fmt::format("{}.{}: {} belongs to tests of kind ptx", text_of(s.verb), text_of(*tags.order),
                       text_of(*tags.order));
  return tags.order ? wrong_order(s.verb, *tags.order) : std::string{};
}

std::vector<std::string> locations_of(const Litmus& test) {
  std::vector<std::string> names;
  const auto note = [&](const std::string& name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const std::string& name : test.persistent) note(name);
  for (const ThreadText& thread : test.threads)
    each_statement(thread.statements, [&](const Statement& s) {
      if (s.verb != Verb::out) note(s.location);
    });
  return names;
}

std::vector<std::string> outputs_of(const Litmus& test) {
  std::vector<std::string> names;
  for (const ThreadText& thread : test.threads)
    each_statement(thread.statements, [&](const Statement& s) {
      if (s.verb == Verb::out && std::ranges::find(names, s.location) == names.end()) names.push_back(s.location);
    });
  return names;
}

void check_litmus(const Litmus& test, const std::string& file) {
  Checker(test, file).check();
}

}  // namespace ew::check
