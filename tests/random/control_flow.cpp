// Branches, loops, tables, calls.
#include "writer.hpp"

namespace ew::random_ptx {

void Writer::leave() {
  const u32 result = readable(function_.result);
  emit({.kind = Kind::label,
        .text = fmt::format("st.param.{} [{}_r], {};", type_of(function_.result), function_.name, name(result))});
  emit({.kind = Kind::ret, .sources = {reg(result)}, .text = "ret"});
}

void Writer::condition(u32 depth) {
  const u32 otherwise = label(), end = label();
  const int p = static_cast<int>(any_predicate());
  const bool has_else = one_in(2);
  branch(otherwise, p, one_in(2));
  const auto before = recent_;
  statements(depth - 1, 1 + below(3));
  recent_ = before;
  if (has_else) {
    branch(end);
    put(otherwise);
    statements(depth - 1, 1 + below(3));
    recent_ = before;
    put(end);
  } else {
    put(otherwise);
  }
}

void Writer::loop(u32 depth) {
  const u32 count = fresh('r'), p = fresh('p'), begin = label(), next = label(), end = label();
  compute("and.b32", count, {reg(readable('r')), immediate(one_in(4) ? 7 : 3)});
  const auto before = recent_;
  const bool tested_above = one_in(2);
  put(begin);
  if (tested_above) {
    compute("setp.eq.u32", p, {reg(count), immediate(0)});
    branch(end, static_cast<int>(p));
    compute("sub.s32", count, {reg(count), immediate(1)});
  }
  breaks_.push_back(end);
  continues_.push_back(next);
  ++loops_;
  statements(depth - 1, 1 + below(3));
  --loops_;
  breaks_.pop_back();
  continues_.pop_back();
  recent_ = before;
  put(next);
  if (tested_above) {
    branch(begin);
  } else {
    compute("sub.s32", count, {reg(count), immediate(1)});
    compute("setp.gt.s32", p, {reg(count), immediate(0)});
    branch(begin, static_cast<int>(p));
  }
  put(end);
}

/// Blocks that branch anywhere among themselves, as long as their fuel lasts: loops with several entries among them.
void Writer::soup() {
  const u32 fuel = fresh('r'), p = fresh('p'), end = label(), blocks = 3 + below(4);
  std::vector<u32> labels;
  for (u32 b = 0; b < blocks; ++b) labels.push_back(label());
  compute("and.b32", fuel, {reg(readable('r')), immediate(7)});
  const auto before = recent_;
  branch(labels[below(blocks)], static_cast<int>(any_predicate()), one_in(2));
  for (u32 b = 0; b < blocks; ++b) {
    put(labels[b]);
    compute("sub.s32", fuel, {reg(fuel), immediate(1)});
    compute("setp.gt.s32", p, {immediate(1), reg(fuel)});
    branch(end, static_cast<int>(p));
    recent_.clear();
    straight(1 + below(4));
    if (one_in(3)) call(false);
    branch(labels[below(blocks)], static_cast<int>(any_predicate()), one_in(2));
    if (one_in(3)) branch(labels[below(blocks)]);
  }
  put(end);
  recent_ = before;
}

void Writer::table(u32 depth) {
  const u32 cases = 2 + below(3), end = label(), index = fresh('r');
  Instruction jump{.kind = Kind::table};
  std::string list;
  for (u32 c = 0; c < cases; ++c) {
    jump.targets.push_back(label());
    list += fmt::format("{}L{}", c ? ", " : "", jump.targets.back());
  }
  static const Arithmetic remainder{
      "rem.u32", "rrr", [](u64 a, u64 b, u64, u64) -> u64 { return static_cast<u32>(a) % static_cast<u32>(b); }};
  compute(remainder, index, {reg(readable('r')), immediate(cases)});
  emit({.kind = Kind::label, .text = fmt::format("T{}: .branchtargets {};", end, list)});
  jump.sources = {reg(index)};
  jump.text = fmt::format("brx.idx {}, T{}", name(index), end);
  const auto targets = jump.targets;
  emit(std::move(jump));
  const auto before = recent_;
  for (const u32 target : targets) {
    put(target);
    statements(depth - 1, 1 + below(2));
    recent_ = before;
    if (below(3)) branch(end);  // or into the next
  }
  put(end);
}

/// One call sequence, as compilers write it. Callee -1: the function whose address is in `address`.
void Writer::call_one(int callee, u32 address, int guard, bool negated) {
  const Function& to = program_.functions[callee < 0 ? 0 : static_cast<u32>(callee)];
  Instruction i{.kind = Kind::call, .guard = guard, .negated = negated, .callee = callee};
  const u32 less = fresh('r');
  compute("sub.s32", less, {reg(depth_), immediate(1)});
  std::string text = "{\n", list;
  const auto& parameters = to.parameters;
  if (callee < 0) i.sources.push_back(reg(address));
  for (u32 n = 0; n < parameters.size(); ++n) {
    const u32 given = n == 0 ? less : n == 1 ? own_ : readable(parameters[n]);
    i.sources.push_back(reg(given));
    text += fmt::format("    .param .{0} param{1};\n    st.param.{0} [param{1}+0], {2};\n", type_of(parameters[n]), n,
                        name(given));
    list += fmt::format("{}param{}", n ? ", " : "", n);
  }
  const auto& pool = pool_of(to.result);
  i.dst = guard < 0 && one_in(2) ? fresh(to.result) : pool[below(static_cast<u32>(pool.size()))];
  const std::string type = type_of(to.result);
  text += fmt::format("    .param .{} retval0;\n", type);
  if (callee < 0) {
    std::string formals;
    for (u32 n = 0; n < parameters.size(); ++n)
      formals += fmt::format("{}.param .{} _", n ? ", " : "", type_of(parameters[n]));
    text += fmt::format("    prototype_{}: .callprototype (.param .{} _) _ ({});\n", less, type, formals);
    text += fmt::format("    \1call (retval0), {}, ({}), prototype_{};\n", name(address), list, less);
  } else {
    text += fmt::format("    \1call{} (retval0), {}, ({});\n", guard < 0 && one_in(2) ? ".uni" : "", to.name, list);
  }
  // A load of what a call returns has no guard in PTX.
  if (guard < 0)
    text += fmt::format("    ld.param.{} {}, [retval0+0];\n  }}", type, name(i.dst));
  else
    text += fmt::format("    .reg .{0} %t;\n    ld.param.{0} %t, [retval0+0];\n    \1mov.{0} {1}, %t;\n  }}", type,
                        name(i.dst));
  i.text = text;
  const u32 dst = i.dst;
  emit(std::move(i));
  if (guard < 0 && std::find(pool.begin(), pool.end(), dst) == pool.end()) recent_.push_back(dst);
}

/// A call where some depth is left: behind a branch or under a predicate, of a function or of what a register says.
void Writer::call(bool of_meeting) {
  const u32 functions = static_cast<u32>(program_.functions.size());
  std::vector<u32> chosen;
  for (u32 f = 0; f < functions; ++f)
    if ((program_.functions[f].name[0] == 'm') == of_meeting) chosen.push_back(f);
  const auto any = [&] { return chosen[below(static_cast<u32>(chosen.size()))]; };
  const int callee = static_cast<int>(any());
  if (of_meeting) {  // every lane calls one of them, and they meet in there
    const u32 otherwise = label(), end = label();
    branch(otherwise, static_cast<int>(any_predicate()));
    const auto before = recent_;
    call_one(callee, 0, -1, false);
    branch(end);
    put(otherwise);
    recent_ = before;
    straight(below(3));
    recent_ = before;
    call_one(static_cast<int>(any()), 0, -1, false);
    recent_ = before;
    put(end);
    return;
  }
  const u32 p = fresh('p');
  compute("setp.gt.s32", p, {reg(depth_), immediate(0)});
  if (one_in(3)) {
    compute("and.pred", p, {reg(p), reg(any_predicate())});
    return call_one(callee, 0, static_cast<int>(p), false);
  }
  const u32 over = label();
  branch(over, static_cast<int>(p), true);
  const auto before = recent_;
  if (one_in(4)) {
    // f0 and those with its parameters and result
    std::vector<u32> alike;
    for (const u32 f : chosen)
      if (program_.functions[f].parameters == program_.functions[0].parameters &&
          program_.functions[f].result == program_.functions[0].result)
        alike.push_back(f);
    const u32 a = alike[below(static_cast<u32>(alike.size()))], b = alike[below(static_cast<u32>(alike.size()))],
              q = any_predicate();
    const u32 address = fresh('l');
    static const Arithmetic choose{"", "lp", [](u64 c, u64 x, u64 y, u64) -> u64 { return c ? x : y; }};
    emit({.kind = Kind::arithmetic,
          .arithmetic = &choose,
          .dst = address,
          .sources = {reg(q), immediate(a), immediate(b)},
          .text = fmt::format("{{ .reg .b64 %a, %b; mov.u64 %a, {}; mov.u64 %b, {}; selp.b64 {}, %a, %b, {}; }}",
                              program_.functions[a].name, program_.functions[b].name, name(address), name(q))});
    call_one(-1, address, -1, false);
  } else {
    call_one(callee, 0, -1, false);
  }
  recent_ = before;
  put(over);
}

void Writer::statement(u32 depth) {
  if (budget_ == 0) return straight(1);
  --budget_;
  const u32 way = below(depth > 0 ? 12 : 6);
  switch (way) {
    default:
      straight(1 + below(5));
      break;
    case 3:
    case 4:
      call(false);
      break;
    case 5:
      if (loops_ && one_in(2)) {
        branch((one_in(2) ? breaks_ : continues_).back(), static_cast<int>(any_predicate()), one_in(2));
      } else if (!kernel_ && !meets_ && one_in(2)) {
        const u32 over = label();
        branch(over, static_cast<int>(any_predicate()), one_in(2));
        leave();
        put(over);
      } else {
        straight(2);
      }
      break;
    case 6:
    case 7:
      condition(depth);
      break;
    case 8:
    case 9:
      loop(depth);
      break;
    case 10:
      soup();
      break;
    case 11:
      table(depth);
      break;
  }
}

void Writer::statements(u32 depth, u32 count) {
  for (u32 i = 0; i < count; ++i) statement(depth);
}

}  // namespace ew::random_ptx
