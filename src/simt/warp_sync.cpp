#include "simt/warp_sync.hpp"

#include <array>
#include <bit>

#include "simt/block.hpp"
#include "simt/parting.hpp"

namespace ew::simt {
namespace {

using ptx::Instr;
using ptx::Op;

/// Lane values of a warp-synchronous operation, gathered from the splits that take part.
struct Gathered {
  alignas(64) std::array<u32, warp_lanes> value, high, b, c, result, result_high;
  LaneMask predicate = 0, predicate_result = 0;
};

struct Operands {
  ptx::Row mask = ptx::no_row, value = ptx::no_row, b = ptx::no_row, c = ptx::no_row, dst = ptx::no_row;
  ptx::Predicate source = ptx::always, dst_predicate = ptx::always;
  bool wide = false;
};

Operands operands_of(const ptx::Kernel& kernel, const Instr& instr) {
  switch (instr.op) {
    case Op::shfl: {
      const auto& form = kernel.shuffles[instr.imm];
      return {form.mask, form.a, form.b, form.c, form.dst, ptx::always, form.in_range};
    }
    case Op::vote: {
      const auto& form = kernel.votes[instr.imm];
      return {.mask = form.mask, .dst = form.dst, .source = form.source, .dst_predicate = form.dst_predicate};
    }
    case Op::match: {
      const auto& form = kernel.matches[instr.imm];
      return {
          .mask = form.mask, .value = form.a, .dst = form.dst, .dst_predicate = form.dst_predicate, .wide = form.wide};
    }
    case Op::redux: {
      const auto& form = kernel.reduxes[instr.imm];
      return {.mask = form.mask, .value = form.a, .dst = form.dst};
    }
    case Op::elect:
      return {.mask = instr.a, .dst = instr.dst, .dst_predicate = instr.b == ptx::no_row ? ptx::always : instr.b};
    default:
      return {.mask = instr.a};
  }
}

const u32* row_of(const Warp& warp, u32 frame, ptx::Row row) {
  if (row & ptx::constant_row) return warp.block->grid->kernel->constants.data() + (row & 0x7fff) * warp_lanes;
  return warp.rows.data() + (std::size_t{warp.frames[frame].row_base} + row) * warp_lanes;
}

void copy_lanes(std::array<u32, warp_lanes>& to, const u32* from, LaneMask lanes) {
  for (u32 i = 0; i < warp_lanes; ++i) to[i] = (lanes >> i) & 1 ? from[i] : to[i];
}

void shuffle(const ptx::ShuffleForm& form, LaneMask group, Gathered& g) {
  LaneMask in_range = 0;
  for (u32 lane = 0; lane < warp_lanes; ++lane) {
    const u32 b = g.b[lane] & 31, clamp = g.c[lane] & 31, segment = (g.c[lane] >> 8) & 31;
    const u32 last = (lane & segment) | (clamp & ~segment), first = lane & segment;
    u32 source = 0;
    bool inside = true;
    switch (form.kind) {
      case ptx::ShuffleKind::up:
        source = lane - b;
        inside = static_cast<i32>(source) >= static_cast<i32>(last);
        break;
      case ptx::ShuffleKind::down:
        source = lane + b;
        inside = source <= last;
        break;
      case ptx::ShuffleKind::bfly:
        source = lane ^ b;
        inside = source <= last;
        break;
      case ptx::ShuffleKind::idx:
        source = first | (b & ~segment);
        inside = source <= last;
        break;
    }
    // A lane outside the group gives zero: PTX leaves the value open, public reductions over a partial warp count on a
    // zero.
    const u32 from = inside ? source & 31 : lane;
    if ((group >> lane) & 1) g.result[lane] = (group >> from) & 1 ? g.value[from] : 0;
    in_range |= LaneMask{inside} << lane;
  }
  g.predicate_result = (g.predicate_result & ~group) | (in_range & group);
}

void vote(const ptx::VoteForm& form, LaneMask group, Gathered& g) {
  const LaneMask yes = g.predicate & group;
  bool answer = false;
  switch (form.kind) {
    case ptx::VoteKind::all:
      answer = yes == group;
      break;
    case ptx::VoteKind::any:
      answer = yes != 0;
      break;
    case ptx::VoteKind::uni:
      answer = yes == 0 || yes == group;
      break;
    case ptx::VoteKind::ballot:
      break;
  }
  for (u32 i = 0; i < warp_lanes; ++i) g.result[i] = (group >> i) & 1 ? yes : g.result[i];
  g.predicate_result = (g.predicate_result & ~group) | (answer ? group : 0);
}

void match(const ptx::MatchForm& form, LaneMask group, Gathered& g) {
  const u32 first = std::countr_zero(group);
  for (LaneMask left = group; left; left &= left - 1) {
    const u32 lane = form.all ? first : std::countr_zero(left);
    LaneMask same = 0;
    for (u32 i = 0; i < warp_lanes; ++i)
      same |= LaneMask{g.value[i] == g.value[lane] && (!form.wide || g.high[i] == g.high[lane])} << i;
    same &= group;
    if (!form.all) {
      g.result[lane] = same;
      continue;
    }
    for (u32 i = 0; i < warp_lanes; ++i)
      if ((group >> i) & 1) g.result[i] = same == group ? group : 0;
    g.predicate_result = (g.predicate_result & ~group) | (same == group ? group : 0);
    return;
  }
}

void reduce(const ptx::ReduxForm& form, LaneMask group, Gathered& g) {
  u32 total = g.value[std::countr_zero(group)];
  for (LaneMask left = group & (group - 1); left; left &= left - 1) {
    const u32 value = g.value[std::countr_zero(left)];
    const bool less = form.is_signed ? static_cast<i32>(value) < static_cast<i32>(total) : value < total;
    switch (form.kind) {
      case ptx::ReduxKind::add:
        total += value;
        break;
      case ptx::ReduxKind::min:
        total = less ? value : total;
        break;
      case ptx::ReduxKind::max:
        total = less ? total : value;
        break;
      case ptx::ReduxKind::bit_and:
        total &= value;
        break;
      case ptx::ReduxKind::bit_or:
        total |= value;
        break;
      case ptx::ReduxKind::bit_xor:
        total ^= value;
        break;
    }
  }
  for (u32 i = 0; i < warp_lanes; ++i) g.result[i] = (group >> i) & 1 ? total : g.result[i];
}

/// Calls `visit(mask, lanes)` for every member mask that lanes of `among` name.
template <class Visit>
void each_group(const std::array<u32, warp_lanes>& masks, LaneMask among, Visit visit) {
  while (among) {
    const u32 mask = masks[std::countr_zero(among)];
    LaneMask lanes = 0;
    for (u32 i = 0; i < warp_lanes; ++i) lanes |= LaneMask{masks[i] == mask} << i;
    lanes &= among;
    visit(mask, lanes);
    among &= ~lanes;
  }
}

bool has_mask(const ptx::Kernel& kernel, const Instr& instr) {
  if (instr.op == Op::shfl) return kernel.shuffles[instr.imm].sync;
  if (instr.op == Op::vote) return kernel.votes[instr.imm].sync;
  return true;
}

/// May lanes at these two instructions meet?
bool same_operation(const ptx::Kernel& kernel, const Instr& a, const Instr& b) {
  if (a.op != b.op) return false;
  switch (a.op) {
    case Op::shfl:
      return kernel.shuffles[a.imm].kind == kernel.shuffles[b.imm].kind;
    case Op::vote:
      return kernel.votes[a.imm].kind == kernel.votes[b.imm].kind;
    case Op::match:
      return kernel.matches[a.imm].all == kernel.matches[b.imm].all &&
             kernel.matches[a.imm].wide == kernel.matches[b.imm].wide;
    case Op::redux:
      return kernel.reduxes[a.imm].kind == kernel.reduxes[b.imm].kind &&
             kernel.reduxes[a.imm].is_signed == kernel.reduxes[b.imm].is_signed;
    default:
      return true;
  }
}

void gather(Warp& warp, const Split& split, const Instr& instr, LaneMask lanes, Gathered& g) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  const Operands operands = operands_of(kernel, instr);
  if (operands.value != ptx::no_row) {
    const u32* value = row_of(warp, split.frame, operands.value);
    if (operands.wide) {
      const u64* both = reinterpret_cast<const u64*>(value);
      for (u32 i = 0; i < warp_lanes; ++i) {
        if (!((lanes >> i) & 1)) continue;
        g.value[i] = static_cast<u32>(both[i]);
        g.high[i] = static_cast<u32>(both[i] >> 32);
      }
    } else {
      copy_lanes(g.value, value, lanes);
    }
  }
  if (operands.b != ptx::no_row) copy_lanes(g.b, row_of(warp, split.frame, operands.b), lanes);
  if (operands.c != ptx::no_row) copy_lanes(g.c, row_of(warp, split.frame, operands.c), lanes);
  LaneMask source = all_lanes;
  if (operands.source != ptx::always) {
    source = warp.predicates.data()[warp.frames[split.frame].predicate_base + (operands.source & 0x7fff)];
    if (operands.source & ptx::negated) source = ~source;
  }
  g.predicate = (g.predicate & ~lanes) | (source & lanes);
}

void scatter(Warp& warp, const Split& split, const Instr& instr, LaneMask lanes, const Gathered& g) {
  const Operands operands = operands_of(*warp.block->grid->kernel, instr);
  if (operands.dst != ptx::no_row) {
    u32* to = const_cast<u32*>(row_of(warp, split.frame, operands.dst));
    for (u32 i = 0; i < warp_lanes; ++i) to[i] = (lanes >> i) & 1 ? g.result[i] : to[i];
  }
  if (operands.dst_predicate != ptx::always) {
    u32& to = warp.predicates.data()[warp.frames[split.frame].predicate_base + operands.dst_predicate];
    to = (to & ~lanes) | (g.predicate_result & lanes);
  }
}

void perform(const ptx::Kernel& kernel, const Instr& instr, LaneMask group, Gathered& g) {
  switch (instr.op) {
    case Op::shfl:
      return shuffle(kernel.shuffles[instr.imm], group, g);
    case Op::vote:
      return vote(kernel.votes[instr.imm], group, g);
    case Op::match:
      return match(kernel.matches[instr.imm], group, g);
    case Op::redux:
      return reduce(kernel.reduxes[instr.imm], group, g);
    case Op::elect: {
      const u32 leader = std::countr_zero(group);
      for (u32 i = 0; i < warp_lanes; ++i) g.result[i] = (group >> i) & 1 ? leader : g.result[i];
      g.predicate_result = (g.predicate_result & ~group) | LaneMask{1} << leader;
      return;
    }
    default:
      return;
  }
}

}  // namespace

bool arrive_at_warp_sync(Warp& warp, const Instr& instr, LaneMask mask) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  Split& split = warp.split();
  std::array<u32, warp_lanes> members;
  bool complete = true, one_group = true;
  if (has_mask(kernel, instr)) {
    const u32* row = row_of(warp, split.frame, operands_of(kernel, instr).mask);
    const u32 first = row[std::countr_zero(mask)];
    LaneMask same = 0;
    for (u32 i = 0; i < warp_lanes; ++i) {
      members[i] = row[i];
      same |= LaneMask{row[i] == first} << i;
    }
    one_group = (same & mask) == mask;
    if (one_group)
      complete = !(first & warp.live & ~mask);
    else
      each_group(members, mask, [&](LaneMask wanted, LaneMask lanes) { complete &= !(wanted & warp.live & ~lanes); });
  }
  if (complete) {
    Gathered g;
    g.predicate_result = 0;
    gather(warp, split, instr, mask, g);
    if (one_group)
      perform(kernel, instr, mask, g);
    else
      each_group(members, mask, [&](LaneMask, LaneMask lanes) { perform(kernel, instr, lanes, g); });
    scatter(warp, split, instr, mask, g);
    return go_on(warp, split.pc + 1);
  }
  keep_only(warp, mask);
  warp.split().state = SplitState::at_warp_sync;
  complete_warp_syncs(warp);
  if (warp.split().state != SplitState::running) return another(warp);
  warp.merge();
  return true;
}

LaneMask members_at_warp_sync(Warp& warp, const Instr& instr, LaneMask mask) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  const u32* members = row_of(warp, warp.split().frame, operands_of(kernel, instr).mask);
  const u32 first = members[std::countr_zero(mask)];
  for (LaneMask left = mask; left; left &= left - 1)
    if (members[std::countr_zero(left)] != first) return 0;
  return first;
}

LaneMask missing_lanes(const Warp& warp, const Split& split) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  const Instr& instr = kernel.code[split.pc];
  if (!has_mask(kernel, instr)) return 0;
  const u32* members = row_of(warp, split.frame, operands_of(kernel, instr).mask);
  return members[std::countr_zero(split.mask)] & warp.live & ~split.mask;
}

void complete_warp_syncs(Warp& warp) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  for (bool again = true; again;) {
    again = false;
    for (u32 s = 0; s < warp.split_count && !again; ++s) {
      if (warp.splits[s].state != SplitState::at_warp_sync) continue;
      const Instr& wanted = kernel.code[warp.splits[s].pc];
      // All lanes that wait at the same operation, with the member masks that they name.
      std::array<u32, warp_lanes> members{};
      LaneMask there = 0;
      for (u32 t = 0; t < warp.split_count; ++t) {
        const Split& other = warp.splits[t];
        if (other.state != SplitState::at_warp_sync || !same_operation(kernel, wanted, kernel.code[other.pc])) continue;
        copy_lanes(members, row_of(warp, other.frame, operands_of(kernel, kernel.code[other.pc]).mask), other.mask);
        there |= other.mask;
      }
      LaneMask ready = 0;
      each_group(members, there, [&](LaneMask mask, LaneMask lanes) {
        if (!(mask & warp.live & ~lanes)) ready |= lanes;
      });
      if (!ready) continue;
      Gathered g{};
      for (u32 t = 0; t < warp.split_count; ++t)
        if (warp.splits[t].mask & ready && warp.splits[t].state == SplitState::at_warp_sync)
          gather(warp, warp.splits[t], kernel.code[warp.splits[t].pc], warp.splits[t].mask, g);
      each_group(members, ready, [&](LaneMask, LaneMask lanes) { perform(kernel, wanted, lanes, g); });
      const u32 count = warp.split_count;
      for (u32 t = 0; t < count; ++t) {
        Split& other = warp.splits[t];
        const LaneMask lanes = other.mask & ready;
        if (other.state != SplitState::at_warp_sync || !lanes) continue;
        scatter(warp, other, kernel.code[other.pc], lanes, g);
        if (lanes != other.mask) {
          Split& fresh = warp.splits[warp.split_count++];
          fresh = other;
          fresh.mask &= ~lanes;
          other.mask = lanes;
        }
        other.state = SplitState::running;
        ++other.pc;
      }
      again = true;
    }
  }
}

}  // namespace ew::simt
