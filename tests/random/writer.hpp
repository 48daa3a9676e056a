// Draws one function: straight code, control flow, calls, and what the threads of the kernel do together.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "program.hpp"

namespace ew::random_ptx {

inline std::string name_of(Class c, u32 reg) {
  return fmt::format("%{}{}", c == 'l' ? "rd" : c == 'd' ? "fd" : std::string(1, c), reg);
}

inline std::string type_of(Class c) {
  return c == 'l' ? "b64" : c == 'f' ? "f32" : c == 'd' ? "f64" : c == 'h' ? "b16" : c == 'p' ? "pred" : "b32";
}

/// ".func (…) name(…)".
std::string head_of(const Function&);

/// Every register is written at a function's beginning, every loop counts a register of its own down, every call leaves
/// one less of the depth: whatever is drawn ends, and reads nothing unknown. Guards are put where the text has a '\1'.
class Writer {
 public:
  Writer(const Program& program, u64 seed, u32 budget, bool kernel, bool meets)
      : program_(program), state_(seed), budget_(budget), kernel_(kernel), meets_(meets) {}

  Function write(const Function& signature);

 private:
  u32 draw() {
    state_ += 0x9e3779b97f4a7c15;
    u64 z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return static_cast<u32>((z ^ z >> 31) >> 16);
  }
  u32 below(u32 n) { return draw() % n; }
  bool one_in(u32 n) { return below(n) == 0; }

  u32 fresh(Class c) {
    function_.registers.push_back(c);
    return static_cast<u32>(function_.registers.size() - 1);
  }
  std::string name(u32 reg) const { return name_of(function_.registers[reg], reg); }
  std::string name(const Operand& o) const { return o.immediate ? fmt::format("{}", o.bits) : name(o.reg); }
  static Operand reg(u32 r) { return {.reg = r}; }
  static Operand immediate(u64 bits) { return {.immediate = true, .bits = bits}; }

  u32 label() {
    function_.labels.push_back(0);
    return static_cast<u32>(function_.labels.size() - 1);
  }
  void put(u32 label) {
    function_.labels[label] = static_cast<u32>(function_.body.size());
    function_.body.push_back({.kind = Kind::label, .text = fmt::format("L{}:", label)});
  }
  Instruction& emit(Instruction i) {
    function_.body.push_back(std::move(i));
    return function_.body.back();
  }
  void branch(u32 target, int guard = -1, bool negated = false) {
    emit({.kind = Kind::branch,
          .guard = guard,
          .negated = negated,
          .target = target,
          .text = fmt::format("\1bra L{}", target)});
  }
  const Arithmetic& named(const std::string& text) const {
    for (const auto& a : arithmetic())
      if (text == a.text) return a;
    throw std::logic_error(text);
  }
  void compute(const Arithmetic& a, u32 dst, std::vector<Operand> sources, int guard = -1, bool negated = false) {
    std::string text = fmt::format("\1{} {}, ", a.text, name(dst));
    std::string list;
    for (const auto& s : sources) list += (list.empty() ? "" : ", ") + name(s);
    text += a.pack ? "{" + list + "}" : list;
    emit({.kind = Kind::arithmetic,
          .arithmetic = &a,
          .guard = guard,
          .negated = negated,
          .dst = dst,
          .sources = std::move(sources),
          .text = text});
  }
  void compute(const std::string& text, u32 dst, std::vector<Operand> sources) {
    compute(named(text), dst, std::move(sources));
  }

  /// A register that may be read: one that lives long, or one that was written a moment ago.
  u32 readable(Class c) {
    std::vector<u32> recent;
    for (const u32 r : recent_)
      if (function_.registers[r] == c) recent.push_back(r);
    if (!recent.empty() && below(3)) return recent[below(static_cast<u32>(recent.size()))];
    const auto& pool = pool_of(c);
    return pool[below(static_cast<u32>(pool.size()))];
  }
  std::vector<u32>& pool_of(Class c) {
    static constexpr char classes[] = "rlhfdp";
    return pools_[std::find(classes, classes + 6, c) - classes];
  }
  Operand source(Class c) {
    if ((c == 'r' || c == 'l') && one_in(5))
      return immediate(one_in(2) ? below(70) : c == 'r' ? u64{draw()} : u64{draw()} << 29);
    return reg(readable(c));
  }
  u32 any_predicate() { return readable('p'); }

  void initialise();
  void straight(u32 count);
  void one_arithmetic();
  void divide();
  void bits_of_float();
  void memory();
  void local();
  void reduce();
  void statements(u32 depth, u32 count);
  void statement(u32 depth);
  void condition(u32 depth);
  void loop(u32 depth);
  void soup();
  void table(u32 depth);
  void call(bool of_meeting);
  void call_one(int callee, u32 address, int guard, bool negated);
  void leave();
  void top();
  void exchange();
  void shared();
  void ballot_branch();
  void finish();
  u32 offset_register(u32 mask);

  const Program& program_;
  u64 state_;
  u32 budget_;
  bool kernel_, meets_;
  Function function_;
  std::vector<u32> pools_[6], recent_;
  u32 own_ = 0, shared_ = 0, depth_ = 0, loops_ = 0;
  std::vector<u32> breaks_, continues_;
};

}  // namespace ew::random_ptx
