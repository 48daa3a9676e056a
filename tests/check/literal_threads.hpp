// What threads of a litmus test do alone, for literal_ptx.cpp: their operations, for every value of every read.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "check/litmus.hpp"
#include "literal_persistency.hpp"

namespace ew::check::literal {

/// One operation. An atomic is one, which reads and, perhaps, writes.
struct Op {
  enum class Kind { memory, fence, barrier } kind = Kind::memory;
  int thread = -1;  // -1: the write of an initial value
  Order order = Order::weak;
  Scope scope = Scope::none;
  std::string location;
  bool reads = false, writes = false, atomic = false, red = false, sc = false, waits = true;
  Value got = 0, put = 0;
  std::set<int> from;     // operations of its thread whose reads decide what it writes, or whether it is there
  bool from_own = false;  // what it writes depends on what it reads
  u32 barrier = 0, threads = 0;
  int meeting = 0;

  bool strong() const { return thread >= 0 && (kind == Kind::fence || (kind == Kind::memory && order != Order::weak)); }
  bool releases() const { return writes && (order == Order::release || order == Order::acq_rel); }
  bool acquires() const { return reads && !red && (order == Order::acquire || order == Order::acq_rel); }
};

struct Run {
  std::vector<Op> ops;
  std::map<std::string, Value> registers;
  std::map<std::string, std::set<int>> taints;
  std::set<int> control;
};

using Universe = std::map<std::string, std::set<Value>>;

inline void names_in(const Expression& e, std::set<std::string>& names) {
  if (e.kind == Expression::Kind::name) names.insert(e.name);
  for (const Expression& part : e.operands) names_in(part, names);
}

/// Every way in which a thread runs, alone.
class Walker {
 public:
  Walker(int thread, const Universe& universe, Universe& written, u64 most)
      : thread_(thread), universe_(universe), written_(written), most_(most) {}

  std::vector<Run> runs;

  void walk(std::vector<const Statement*> rest, Run run) {
    if (runs.size() > most_) return;
    if (rest.empty()) {
      runs.push_back(std::move(run));
      return;
    }
    const Statement& s = *rest.back();
    rest.pop_back();
    if (s.verb == Verb::branch) {
      const std::set<int> why = taint(run, s.values[0]);
      run.control.insert(why.begin(), why.end());
      const auto& list = literal_value(s.values[0], run.registers) ? s.then : s.otherwise;
      for (auto at = list.rbegin(); at != list.rend(); ++at) rest.push_back(&*at);
    } else if (s.verb == Verb::let) {
      run.taints[s.reg] = taint(run, s.values[0]);
      run.registers[s.reg] = literal_value(s.values[0], run.registers);
    } else if (s.verb == Verb::fence || s.verb == Verb::bar || s.verb == Verb::arrive) {
      Op op;
      op.kind = s.verb == Verb::fence ? Op::Kind::fence : Op::Kind::barrier;
      op.thread = thread_;
      op.scope = s.tags.scope.value_or(Scope::none);
      op.sc = s.tags.sc;
      op.barrier = s.barrier.value_or(0);
      op.threads = s.threads.value_or(0);
      op.waits = s.verb == Verb::bar;
      run.ops.push_back(op);
    } else if (s.verb != Verb::use) {
      return access(s, rest, run);
    }
    walk(std::move(rest), std::move(run));
  }

 private:
  static std::set<int> taint(const Run& run, const Expression& e) {
    std::set<std::string> names;
    names_in(e, names);
    std::set<int> from;
    for (const std::string& name : names)
      if (const auto found = run.taints.find(name); found != run.taints.end())
        from.insert(found->second.begin(), found->second.end());
    return from;
  }

  void access(const Statement& s, const std::vector<const Statement*>& rest, const Run& before) {
    Op op;
    op.thread = thread_;
    op.location = s.location;
    op.atomic = s.verb != Verb::st && s.verb != Verb::ld && s.verb != Verb::await;
    op.order = s.tags.order.value_or(op.atomic ? Order::relaxed : Order::weak);
    if (op.order == Order::weak && s.tags.scope) op.order = Order::relaxed;
    if (op.order != Order::weak) op.scope = s.tags.scope.value_or(Scope::sys);
    const bool may_be_red = s.verb == Verb::add || s.verb == Verb::bit_or || s.verb == Verb::max;
    op.red = may_be_red && s.reg.empty() && op.order != Order::acquire && op.order != Order::acq_rel;
    op.reads = s.verb != Verb::st;
    const int number = static_cast<int>(before.ops.size());
    if (s.verb == Verb::st) {
      Run run = before;
      op.writes = true;
      op.put = literal_value(s.values[0], run.registers);
      op.from = taint(run, s.values[0]);
      op.from.insert(run.control.begin(), run.control.end());
      written_[op.location].insert(op.put);
      run.ops.push_back(op);
      return walk(rest, std::move(run));
    }
    for (const Value value : universe_.at(s.location)) {
      Run run = before;
      Op read = op;
      read.got = value;
      if (s.verb == Verb::await) {
        if (!holds(s.relation, value, literal_value(s.values[0], run.registers))) continue;
        const std::set<int> why = taint(run, s.values[0]);
        run.control.insert(why.begin(), why.end());
        run.control.insert(number);
      }
      if (read.atomic) update(s, read, run);
      if (read.writes) written_[read.location].insert(read.put);
      run.ops.push_back(read);
      if (!s.reg.empty()) {
        run.registers[s.reg] = value;
        run.taints[s.reg] = {number};
      }
      walk(rest, std::move(run));
    }
  }

  static bool holds(Operator relation, Value a, Value b) {
    switch (relation) {
      case Operator::equal:
        return a == b;
      case Operator::not_equal:
        return a != b;
      case Operator::less:
        return a < b;
      case Operator::less_equal:
        return a <= b;
      case Operator::greater:
        return a > b;
      default:
        return a >= b;
    }
  }

  static void update(const Statement& s, Op& op, const Run& run) {
    const Value operand = literal_value(s.values.back(), run.registers);
    op.writes = true;
    op.from_own = s.verb != Verb::xchg;
    op.put = operand;
    if (s.verb == Verb::add) op.put = static_cast<Value>(static_cast<u32>(op.got) + static_cast<u32>(operand));
    if (s.verb == Verb::bit_or) op.put = op.got | operand;
    if (s.verb == Verb::max) op.put = std::max(op.got, operand);
    // "write operation: ... atomic operations if they result in a write".
    if (s.verb == Verb::cas) op.writes = op.got == literal_value(s.values[0], run.registers);
    for (const Expression& e : s.values) op.from.merge(taint(run, e));
    op.from.insert(run.control.begin(), run.control.end());
  }

  int thread_;
  const Universe& universe_;
  Universe& written_;
  u64 most_;
};

}  // namespace ew::check::literal
