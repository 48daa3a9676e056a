// Arithmetic, memory and atomics, and what a function begins with.
#include "writer.hpp"

namespace ew::random_ptx {

void Writer::initialise() {
  for (const Class c : function_.parameters) {
    const u32 r = fresh(c);
    const u32 n = static_cast<u32>(function_.parameter_regs.size());
    function_.parameter_regs.push_back(r);
    emit({.kind = Kind::label,
          .text = fmt::format("ld.param.{} {}, [{}_p{}];", type_of(c), name(r), function_.name, n)});
    if (n == 0)
      depth_ = r;
    else if (n == 1)
      own_ = r;
    else
      pool_of(c).push_back(r);
  }
  const auto special = [&](Special which, const char* text) {
    const u32 r = fresh('r');
    emit({.kind = Kind::special,
          .dst = r,
          .offset = static_cast<u32>(which),
          .text = fmt::format(fmt::runtime(text), name(r))});
    pool_of('r').push_back(r);
    return r;
  };
  const u32 tid = special(Special::tid, "mov.u32 {}, %tid.x");
  if (kernel_) {
    special(Special::block, "mov.u32 {}, %ctaid.x");
    const u32 id = special(Special::global_id,
                           "{{ .reg .b32 %n, %b; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x; mul.lo.u32 %n, %n, %b; "
                           "mov.u32 %b, %tid.x; add.u32 {}, %n, %b; }}");
    own_ = fresh('l');
    emit({.kind = Kind::label,
          .text = fmt::format(
              "ld.param.u64 {0}, [pown]; {{ .reg .b64 %o; mul.wide.u32 %o, {1}, {2}; add.u64 {0}, {0}, %o; }}",
              name(own_), name(id), own_bytes)});
    depth_ = fresh('r');
    compute("mov.b32", depth_, {immediate(2 + below(3))});
  } else {
    special(Special::lane, "mov.u32 {}, %laneid");
  }
  shared_ = fresh('r');
  emit({.kind = Kind::label,
        .text = fmt::format("mad.lo.u32 {}, {}, {}, 0;", name(shared_), name(tid), shared_own_bytes)});
  emit({.kind = Kind::arithmetic,
        .arithmetic = &named("mad.lo.u32"),
        .dst = shared_,
        .sources = {reg(tid), immediate(shared_own_bytes), immediate(0)},
        .text = "// its place in shared memory"});
  if (function_.local_bytes)
    for (u32 at = 0; at < local_bytes; at += 4)
      emit({.kind = Kind::store,
            .sources = {immediate(0), reg(tid)},
            .place = Place::local,
            .offset = at,
            .text = fmt::format("st.local.u32 [loc+{}], {}", at, name(tid))});
  const auto more = [&](Class c, u32 count) {
    while (pool_of(c).size() < count) pool_of(c).push_back(fresh(c));
  };
  const u32 known = static_cast<u32>(pool_of('r').size());
  more('r', known + 1 + below(4));
  for (u32 i = known; i < pool_of('r').size(); ++i)
    compute("mad.lo.u32", pool_of('r')[i], {reg(pool_of('r')[below(i)]), immediate(draw() | 1), immediate(below(100))});
  const std::size_t wide = pool_of('l').size();
  more('l', 1 + below(4));
  for (std::size_t i = wide; i < pool_of('l').size(); ++i)
    compute("mul.wide.s32", pool_of('l')[i], {reg(readable('r')), immediate(draw() & 0x7fffffff)});
  for (const auto& [c, text] :
       {std::pair{'h', "cvt.u16.u32"}, std::pair{'f', "cvt.rn.f32.s32"}, std::pair{'d', "cvt.rn.f64.s32"}}) {
    const std::size_t before = pool_of(c).size();
    more(c, 1 + below(3));
    for (std::size_t i = before; i < pool_of(c).size(); ++i) compute(text, pool_of(c)[i], {reg(readable('r'))});
  }
  more('p', 1 + below(3));
  for (const u32 p : pool_of('p')) compute("setp.gt.s32", p, {reg(readable('r')), immediate(below(1000))});
}

void Writer::one_arithmetic() {
  const auto& a = arithmetic()[below(static_cast<u32>(arithmetic().size()))];
  std::vector<Operand> sources;
  for (const char* c = a.classes + 1; *c; ++c) sources.push_back(source(*c));
  if (std::string_view(a.text).starts_with("bf"))  // a field's place and length are a byte
    for (auto& s : sources)
      if (s.immediate) s.bits &= 63;
  if (std::all_of(sources.begin(), sources.end(), [](const Operand& o) { return o.immediate; }))
    sources[0] = reg(readable(a.classes[1]));
  if (a.pack)
    for (auto& s : sources)
      if (s.immediate) s = reg(readable('r'));
  const bool guarded = one_in(5);
  const int guard = guarded ? static_cast<int>(any_predicate()) : -1;
  // A guarded write goes to a register that has a value already.
  if (guarded || one_in(3)) {
    const auto& pool = pool_of(a.classes[0]);
    compute(a, pool[below(static_cast<u32>(pool.size()))], sources, guard, one_in(2));
  } else {
    const u32 dst = fresh(a.classes[0]);
    compute(a, dst, sources);
    recent_.push_back(dst);
    if (recent_.size() > 12) recent_.erase(recent_.begin());
  }
}

void Writer::divide() {
  const u32 by = fresh('r'), to = fresh('r');
  const bool signs = one_in(2);
  compute("or.b32", by, {reg(readable('r')), immediate(1)});
  if (signs) compute("shr.u32", by, {reg(by), immediate(1 + below(20))});
  if (signs) compute("or.b32", by, {reg(by), immediate(1)});
  static const Arithmetic list[] = {
      {"div.u32", "rrr", [](u64 a, u64 b, u64, u64) -> u64 { return static_cast<u32>(a) / static_cast<u32>(b); }},
      {"rem.u32", "rrr", [](u64 a, u64 b, u64, u64) -> u64 { return static_cast<u32>(a) % static_cast<u32>(b); }},
      {"div.s32", "rrr",
       [](u64 a, u64 b, u64, u64) -> u64 { return static_cast<u32>(static_cast<int>(a) / static_cast<int>(b)); }},
      {"rem.s32", "rrr",
       [](u64 a, u64 b, u64, u64) -> u64 { return static_cast<u32>(static_cast<int>(a) % static_cast<int>(b)); }}};
  compute(list[(signs ? 2 : 0) + below(2)], to, {reg(readable('r')), reg(by)});
  recent_.push_back(to);
}

/// The bits of a float as an integer; those of a NaN are the machine's choice, and are not looked at.
void Writer::bits_of_float() {
  const bool wide = one_in(2);
  const u32 from = readable(wide ? 'd' : 'f'), to = fresh(wide ? 'l' : 'r');
  static const Arithmetic list[] = {
      {"mov.b32", "rf", [](u64 a, u64, u64, u64) -> u64 { return (a & 0x7fffffff) > 0x7f800000 ? 5 : a; }},
      {"mov.b64", "ld",
       [](u64 a, u64, u64, u64) -> u64 { return (a & ~(u64{1} << 63)) > 0x7ff0000000000000 ? 5 : a; }}};
  emit({.kind = Kind::arithmetic,
        .arithmetic = &list[wide],
        .dst = to,
        .sources = {reg(from)},
        .text =
            fmt::format("{{ .reg .pred %q; setp.nan.{0} %q, {2}, {2}; mov.{1} {3}, {2}; selp.{1} {3}, 5, {3}, %q; }}",
                        wide ? "f64" : "f32", wide ? "b64" : "b32", name(from), name(to))});
  recent_.push_back(to);
}

u32 Writer::offset_register(u32 mask) {
  const u32 at = fresh('r');
  compute("and.b32", at, {reg(readable('r')), immediate(mask)});
  return at;
}

/// Loads and stores of its own bytes, and loads of the input.
void Writer::memory() {
  const u32 way = below(4);
  const u32 bytes = 1u << below(4);
  const Class c = bytes == 8 ? 'l' : 'r';
  const bool sign = bytes < 4 && one_in(2);
  const char* const type = bytes == 8   ? "u64"
                           : bytes == 4 ? "u32"
                           : bytes == 2 ? (sign ? "s16" : "u16")
                           : sign       ? "s8"
                                        : "u8";
  const int guard = one_in(4) ? static_cast<int>(any_predicate()) : -1;
  const bool negated = one_in(2);
  const auto destination = [&](Class k) {
    if (guard >= 0) return pool_of(k)[below(static_cast<u32>(pool_of(k).size()))];
    const u32 r = fresh(k);
    return r;
  };
  if (way == 0) {
    const u32 at = offset_register((input_words * 4 - 1) & ~3u), dst = destination('r');
    emit({.kind = Kind::load,
          .guard = guard,
          .negated = negated,
          .dst = dst,
          .sources = {reg(at)},
          .place = Place::input,
          .bytes = 4,
          .text = fmt::format("{{ .reg .b64 %a, %b; mov.u64 %b, input; cvt.u64.u32 %a, {0}; add.s64 %a, %b, %a; "
                              "\1ld.global.u32 {1}, [%a]; }}",
                              name(at), name(dst))});
    if (guard < 0) recent_.push_back(dst);
    return;
  }
  const u32 at = offset_register((own_bytes / 2 - 1) & ~(bytes - 1));
  const u32 offset = below(2) * own_bytes / 2;
  const std::string address =
      fmt::format("{{ .reg .b64 %a; cvt.u64.u32 %a, {}; add.s64 %a, {}, %a; \1", name(at), name(own_));
  const char* const space = one_in(3) ? "" : ".global";
  if (way == 1) {
    const u32 dst = destination(c);
    emit({.kind = Kind::load,
          .guard = guard,
          .negated = negated,
          .dst = dst,
          .sources = {reg(at)},
          .place = Place::own,
          .bytes = static_cast<u8>(bytes),
          .sign = sign,
          .offset = offset,
          .text = fmt::format("{}ld{}.{} {}, [%a+{}]; }}", address, space, type, name(dst), offset)});
    if (guard < 0) recent_.push_back(dst);
  } else if (way == 2) {
    const u32 from = readable(c);
    emit({.kind = Kind::store,
          .guard = guard,
          .negated = negated,
          .sources = {reg(at), reg(from)},
          .place = Place::own,
          .bytes = static_cast<u8>(bytes),
          .offset = offset,
          .text = fmt::format("{}st{}.{} [%a+{}], {}; }}", address, space,
                              bytes == 8   ? "u64"
                              : bytes == 4 ? "u32"
                              : bytes == 2 ? "u16"
                                           : "u8",
                              offset, name(from))});
  } else {
    const u32 word = offset_register(own_bytes / 2 - 4), from = readable('r'), dst = destination('r');
    const u32 which = below(6);
    static const char* const names[] = {"add.u32", "xor.b32", "or.b32", "and.b32", "min.u32", "max.u32"};
    emit({.kind = Kind::atomic,
          .guard = guard,
          .negated = negated,
          .dst = dst,
          .sources = {reg(word), reg(from)},
          .place = Place::own,
          .offset = offset,
          .target = which,
          .text = fmt::format(
              "{{ .reg .b64 %a; cvt.u64.u32 %a, {}; add.s64 %a, {}, %a; \1atom.global.{} {}, [%a+{}], {}; }}",
              name(word), name(own_), names[which], name(dst), offset, name(from))});
    if (guard < 0) recent_.push_back(dst);
  }
}

void Writer::local() {
  const u32 at = offset_register(local_bytes - 4);
  const std::string address =
      fmt::format("{{ .reg .b64 %a, %b; mov.u64 %b, loc; cvt.u64.u32 %a, {}; add.s64 %a, %b, %a; \1", name(at));
  if (one_in(2)) {
    const u32 from = readable('r');
    emit({.kind = Kind::store,
          .sources = {reg(at), reg(from)},
          .place = Place::local,
          .text = fmt::format("{}st.local.u32 [%a], {}; }}", address, name(from))});
  } else {
    const u32 dst = fresh('r');
    emit({.kind = Kind::load,
          .dst = dst,
          .sources = {reg(at)},
          .place = Place::local,
          .text = fmt::format("{}ld.local.u32 {}, [%a]; }}", address, name(dst))});
    recent_.push_back(dst);
  }
}

/// A cell that all threads update in the same way: the order does not show.
void Writer::reduce() {
  const bool shared = one_in(2);
  const u32 which = below(6), all = shared ? shared_cells : cells, group = all / 8;
  static const char* const names[] = {"add.u32", "xor.b32", "or.b32", "and.b32", "min.u32", "max.u32"};
  const u32 at = fresh('r'), from = readable('r');
  compute("and.b32", at, {reg(readable('r')), immediate(group > 4 ? 3 * 4 : 1 * 4)});
  const u32 offset = which * group * 4;
  const int guard = one_in(2) ? static_cast<int>(any_predicate()) : -1;
  emit({.kind = Kind::reduce,
        .guard = guard,
        .sources = {reg(at), reg(from)},
        .place = shared ? Place::shared_cell : Place::cell,
        .offset = offset,
        .target = which,
        .text = shared ? fmt::format(
                             "{{ .reg .b32 %a; mov.u32 %a, scells; add.u32 %a, %a, {}; \1red.shared.{} [%a+{}], {}; }}",
                             name(at), names[which], offset, name(from))
                       : fmt::format("{{ .reg .b64 %a, %b; mov.u64 %b, cells; cvt.u64.u32 %a, {}; add.s64 %a, %b, %a; "
                                     "\1red.global.{} [%a+{}], {}; }}",
                                     name(at), names[which], offset, name(from))});
}

void Writer::straight(u32 count) {
  for (u32 i = 0; i < count; ++i) {
    switch (below(12)) {
      case 0:
      case 1:
        memory();
        break;
      case 2:
        reduce();
        break;
      case 3:
        divide();
        break;
      case 4:
        bits_of_float();
        break;
      case 5:
        if (function_.local_bytes) {
          local();
          break;
        }
        [[fallthrough]];
      default:
        one_arithmetic();
    }
  }
}

}  // namespace ew::random_ptx
