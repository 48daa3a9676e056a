// What the threads of a warp or a block do together, and the frame of a function.
#include "writer.hpp"

namespace ew::random_ptx {

/// What all threads of the kernel reach together.
void Writer::top() {
  switch (below(8)) {
    case 0:
      exchange();
      break;
    case 1:
      shared();
      break;
    case 2:
      ballot_branch();
      break;
    case 3:
    case 4:
      call(true);
      break;
    default:
      statements(3, 1 + below(3));
  }
}

void Writer::exchange() {
  const u32 dst = fresh('r'), from = readable('r');
  const u32 by = below(32);
  if (one_in(3)) {
    const u32 p = any_predicate(), way = below(3);
    const u32 to = way ? fresh('p') : dst;
    static const char* const names[] = {"ballot.sync.b32", "all.sync.pred", "any.sync.pred"};
    emit({.kind = Kind::vote,
          .dst = to,
          .sources = {immediate(0xffffffff), reg(p)},
          .offset = way,
          .text = fmt::format("vote.{} {}, {}, 0xffffffff", names[way], name(to), name(p))});
    recent_.push_back(to);
    return;
  }
  const u32 way = below(4);
  static const char* const names[] = {"up", "down", "bfly", "idx"};
  // Lanes that are not there have nothing to give: only full warps look at others.
  const u32 distance = program_.threads % 32 ? 0 : by;
  const Shuffle kind = static_cast<Shuffle>(program_.threads % 32 ? 2 : way);
  emit({.kind = Kind::shuffle,
        .dst = dst,
        .sources = {immediate(0xffffffff), reg(from), immediate(distance)},
        .offset = static_cast<u32>(kind),
        .text = fmt::format("shfl.sync.{}.b32 {}, {}, {}, {}, 0xffffffff", names[static_cast<u32>(kind)], name(dst),
                            name(from), distance, kind == Shuffle::up ? 0 : 31)});
  recent_.push_back(dst);
}

/// Writes its place, meets the block, reads a neighbour's, meets the block again.
void Writer::shared() {
  const u32 slot = 4 * below(shared_own_bytes / 4), from = readable('r'), at = fresh('r'), dst = fresh('r');
  emit({.kind = Kind::store,
        .sources = {reg(shared_), reg(from)},
        .place = Place::shared,
        .offset = slot,
        .text = fmt::format("{{ .reg .b32 %a; mov.u32 %a, places; add.u32 %a, %a, {}; st.shared.u32 [%a+{}], {}; }}",
                            name(shared_), slot, name(from))});
  const auto meet = [&] { emit({.kind = Kind::block_barrier, .text = one_in(2) ? "bar.sync 0" : "barrier.sync 0"}); };
  meet();
  static const Arithmetic next{
      "", "rrr", [](u64 a, u64 by, u64 n, u64) -> u64 { return (a / shared_own_bytes + by) % n * shared_own_bytes; }};
  const u32 by = 1 + below(program_.threads);
  emit({.kind = Kind::arithmetic,
        .arithmetic = &next,
        .dst = at,
        .sources = {reg(shared_), immediate(by), immediate(program_.threads)},
        .text = fmt::format("{{ .reg .b32 %n; mov.u32 %n, %ntid.x; shr.u32 {0}, {1}, 4; add.u32 {0}, {0}, {2}; rem.u32 "
                            "{0}, {0}, %n; shl.b32 {0}, {0}, 4; }}",
                            name(at), name(shared_), by)});
  emit({.kind = Kind::load,
        .dst = dst,
        .sources = {reg(at)},
        .place = Place::shared,
        .offset = slot,
        .text = fmt::format("{{ .reg .b32 %a; mov.u32 %a, places; add.u32 %a, %a, {}; ld.shared.u32 {}, [%a+{}]; }}",
                            name(at), name(dst), slot)});
  recent_.push_back(dst);
  meet();
}

/// Some lanes vote who they are and exchange among themselves, apart from the others.
void Writer::ballot_branch() {
  const u32 p = fresh('p'), mask = fresh('r'), lane = fresh('r'), over = label(), dst = pool_of('r').back();
  compute("xor.pred", p, {reg(any_predicate()), reg(any_predicate())});
  emit({.kind = Kind::vote,
        .dst = mask,
        .sources = {immediate(0xffffffff), reg(p)},
        .text = fmt::format("vote.sync.ballot.b32 {}, {}, 0xffffffff", name(mask), name(p))});
  compute("brev.b32", lane, {reg(mask)});
  compute("clz.b32", lane, {reg(lane)});
  branch(over, static_cast<int>(p), true);
  const auto before = recent_;
  straight(below(4));
  const u32 from = readable('r');
  emit({.kind = Kind::shuffle,
        .dst = dst,
        .sources = {reg(mask), reg(from), reg(lane)},
        .offset = static_cast<u32>(Shuffle::index),
        .text = fmt::format("shfl.sync.idx.b32 {}, {}, {}, 31, {}", name(dst), name(from), name(lane), name(mask))});
  statements(2, 1);
  recent_ = before;
  put(over);
}

/// Every register that lives long is folded into its own bytes, and what the block has in shared memory.
void Writer::finish() {
  emit({.kind = Kind::block_barrier, .text = "bar.sync 0"});
  const u32 sum = fresh('r');
  compute("mov.b32", sum, {immediate(17)});
  const auto fold = [&](u32 r) { compute("mad.lo.u32", sum, {reg(sum), immediate(31), reg(r)}); };
  for (const Class c : {'r', 'l', 'h', 'f', 'd', 'p'})
    for (const u32 r : pool_of(c)) {
      const u32 word = c == 'r' ? r : fresh('r');
      if (c == 'h') compute("cvt.u32.u16", word, {reg(r)});
      if (c == 'p') compute("selp.b32", word, {immediate(3), immediate(8), reg(r)});
      if (c == 'f') compute("cvt.rzi.s32.f32", word, {reg(r)});
      if (c == 'd' || c == 'l') {
        const u32 wide = fresh('l');
        compute(c == 'd' ? "cvt.rzi.s64.f64" : "mov.b64", wide, {reg(r)});
        const u32 high = fresh('l');
        compute("shr.u64", high, {reg(wide), immediate(32)});
        compute("xor.b64", wide, {reg(wide), reg(high)});
        compute("cvt.u32.u64", word, {reg(wide)});
      }
      fold(word);
    }
  const u32 at = fresh('r'), cell = fresh('r');
  static const Arithmetic place{"", "rr",
                                [](u64 a, u64, u64, u64) -> u64 { return a / shared_own_bytes % shared_cells * 4; }};
  emit({.kind = Kind::arithmetic,
        .arithmetic = &place,
        .dst = at,
        .sources = {reg(shared_)},
        .text = fmt::format("{{ shr.u32 {0}, {1}, 4; and.b32 {0}, {0}, {2}; shl.b32 {0}, {0}, 2; }}", name(at),
                            name(shared_), shared_cells - 1)});
  emit({.kind = Kind::load,
        .dst = cell,
        .sources = {reg(at)},
        .place = Place::shared_cell,
        .text = fmt::format("{{ .reg .b32 %a; mov.u32 %a, scells; add.u32 %a, %a, {}; ld.shared.u32 {}, [%a]; }}",
                            name(at), name(cell))});
  fold(cell);
  emit({.kind = Kind::store,
        .sources = {immediate(0), reg(sum)},
        .place = Place::own,
        .text = fmt::format("st.global.u32 [{}], {}", name(own_), name(sum))});
}

Function Writer::write(const Function& signature) {
  function_ = signature;
  initialise();
  if (kernel_) {
    for (u32 cell = 0; cell < shared_cells; ++cell)  // each thread the same
      emit({.kind = Kind::label,
            .text = fmt::format("{{ .reg .b32 %a; mov.u32 %a, scells; st.shared.u32 [%a+{}], {}; }}", 4 * cell,
                                first_of_cell(cell, shared_cells))});
    emit({.kind = Kind::block_barrier, .text = "bar.sync 0"});
    const u32 count = 3 + below(4);
    for (u32 i = 0; i < count; ++i) {
      if (one_in(4)) {  // together around a loop
        const u32 round = fresh('r'), p = fresh('p'), begin = label();
        compute("mov.b32", round, {immediate(0)});
        const auto before = recent_;
        put(begin);
        top();
        top();
        recent_ = before;
        compute("add.u32", round, {reg(round), immediate(1)});
        compute("setp.lt.u32", p, {reg(round), immediate(2 + below(2))});
        branch(begin, static_cast<int>(p));
      } else {
        top();
      }
    }
    finish();
    emit({.kind = Kind::exit, .text = one_in(2) ? "ret" : "exit"});
  } else {
    statements(meets_ ? 2 : 3, 1 + below(4));
    if (meets_) {
      const auto meet = [&] {
        emit({.kind = Kind::warp_barrier, .sources = {immediate(0xffffffff)}, .text = "bar.warp.sync 0xffffffff"});
      };
      meet();
      statements(2, 1 + below(2));
      meet();
      statements(2, 1);
    }
    leave();
  }
  return std::move(function_);
}

}  // namespace ew::random_ptx
