// A valid PTX kernel from any bytes: four bytes an instruction, one that chooses a template and three that fill its
// places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "core/types.hpp"

namespace ew::fuzz {

struct KernelText {
  std::string ptx;
  u32 blocks = 1, threads = 32;
};

// Places: $d $a $b words, $D $A $B double words, $p $q predicates, $f $g floats, $F $G doubles, $h $i halves, $L a
// label, $n a small number, $s an address in shared memory, $m one in global memory, $l one in local memory, $x any
// address.
inline constexpr std::string_view templates[] = {
    "add.s32 $d, $a, $b;",
    "sub.s32 $d, $a, $b;",
    "mul.lo.s32 $d, $a, $b;",
    "mad.lo.s32 $d, $a, $b, $d;",
    "div.u32 $d, $a, $b;",
    "rem.s32 $d, $a, $b;",
    "div.s64 $D, $A, $B;",
    "shl.b32 $d, $a, $b;",
    "shf.l.wrap.b32 $d, $a, $b, $n;",
    "bfe.s32 $d, $a, $b, $n;",
    "bfi.b32 $d, $a, $b, $n, $n;",
    "prmt.b32 $d, $a, $b, $n;",
    "lop3.b32 $d, $a, $b, $d, $n;",
    "popc.b32 $d, $a;",
    "fns.b32 $d, $a, $n, $b;",
    "mov.u32 $d, $n;",
    "mov.u32 $d, %tid.x;",
    "mov.u32 $d, %laneid;",
    "mov.u32 $d, %ctaid.x;",
    "mov.u32 $d, %lanemask_lt;",
    "mov.b64 $D, {$a, $b};",
    "mov.b64 {$d, $a}, $B;",
    "cvt.u64.u32 $D, $a;",
    "cvt.rzi.s32.f32 $d, $f;",
    "cvt.rn.f32.s32 $f, $a;",
    "cvt.f64.f32 $F, $f;",
    "cvt.rn.f16.f32 $h, $f;",
    "cvt.sat.u8.s32 $d, $a;",
    "fma.rn.f32 $f, $f, $g, $f;",
    "div.rn.f32 $f, $f, $g;",
    "sqrt.rn.f64 $F, $G;",
    "ex2.approx.ftz.f32 $f, $g;",
    "add.f16 $h, $h, $i;",
    "setp.lt.s32 $p, $a, $b;",
    "setp.eq.u32 $p|$q, $a, $n;",
    "setp.ne.s64 $p, $A, $B;",
    "setp.gt.f32 $p, $f, $g;",
    "selp.b32 $d, $a, $b, $p;",
    "and.pred $p, $p, $q;",
    "not.pred $p, $q;",
    "@$p bra $L;",
    "@!$p bra $L;",
    "@$p bra.uni $L;",
    "bra $L;",
    "@$p exit;",
    "@$p trap;",
    "brx.idx $a, table;",
    "bar.sync 0;",
    "@$p bar.sync 0;",
    "bar.sync 1, 32;",
    "@$p bar.arrive 1, 64;",
    "bar.red.popc.u32 $d, 0, $p;",
    "bar.warp.sync -1;",
    "bar.warp.sync $a;",
    "shfl.sync.idx.b32 $d|$p, $a, $b, 31, -1;",
    "shfl.sync.down.b32 $d, $a, $n, 31, $b;",
    "vote.sync.ballot.b32 $d, $p, -1;",
    "vote.sync.any.pred $p, $q, $a;",
    "match.any.sync.b32 $d, $a, -1;",
    "redux.sync.add.s32 $d, $a, $b;",
    "activemask.b32 $d;",
    "elect.sync _|$p, $a;",
    "ld.global.u32 $d, $m;",
    "ld.global.v4.u32 {$d, $a, $b, %r0}, $m;",
    "ld.global.u8 $d, $m;",
    "st.global.u32 $m, $a;",
    "st.global.v2.f32 $m, {$f, $g};",
    "ld.shared.u32 $d, $s;",
    "st.shared.u32 $s, $a;",
    "st.shared.v4.u32 $s, {$a, $b, $a, $b};",
    "ld.local.u64 $D, $l;",
    "st.local.u32 $l, $a;",
    "ld.u32 $d, $x;",
    "st.u32 $x, $a;",
    "ld.relaxed.gpu.global.u32 $d, $m;",
    "st.release.sys.global.u32 $m, $a;",
    "ld.acquire.cta.shared.u32 $d, $s;",
    "atom.global.add.u32 $d, $m, $a;",
    "atom.global.cas.b32 $d, $m, $a, $b;",
    "atom.shared.exch.b32 $d, $s, $a;",
    "atom.global.add.f32 $f, $m, $g;",
    "atom.max.s64 $D, $x, $A;",
    "red.global.xor.b32 $m, $a;",
    "fence.acq_rel.gpu;",
    "membar.cta;",
    "cvta.to.global.u64 $D, $A;",
    "cvta.shared.u64 $D, $A;",
    "isspacep.shared $p, $A;",
    "{ .param .b32 i, o; st.param.b32 [i], $a; call (o), leaf, (i); ld.param.b32 $d, [o]; }",
    "{ .param .b32 i, o; st.param.b32 [i], $a; call (o), tree, (i); ld.param.b32 $d, [o]; }",
    "{ .param .b32 i, o; .reg .b64 t; mov.u64 t, leaf; st.param.b32 [i], $a; call (o), t, (i), shape; "
    "ld.param.b32 $d, [o]; }",
    "nanosleep.u32 $n;",
    "mov.u32 $d, %clock;",
};

class KernelMaker {
 public:
  KernelMaker(const uint8_t* bytes, std::size_t size) : bytes_(bytes), size_(size) {}

  KernelText make() {
    KernelText text;
    text.blocks = 1 + next() % 3;
    const u32 shape = next();
    text.threads = shape % 4 == 0 ? 1 + shape : shape % 4 == 1 ? 64 : 32;
    std::string body;
    u32 count = 0;
    while (at_ < size_ && count < instructions_) body += line(count++);
    while (count < instructions_) body += "L" + std::to_string(count++) + ":\n";
    text.ptx = std::string(head) + body + "  st.global.u32 [%rd0], %r1;\n  ret;\n}\n";
    return text;
  }

 private:
  static constexpr u32 instructions_ = 48;
  static constexpr std::string_view head = R"(.version 8.3
.target sm_90
.address_size 64
.global .align 16 .b8 cells[2048];
.func (.param .b32 r) leaf(.param .b32 a)
{
  .reg .b32 x;
  ld.param.b32 x, [a];
  add.s32 x, x, 1;
  st.param.b32 [r], x;
  ret;
}
.func (.param .b32 r) tree(.param .b32 a)
{
  .reg .b32 x, y;
  .reg .pred p;
  ld.param.b32 x, [a];
  and.b32 x, x, 7;
  mov.u32 y, 1;
  setp.lt.s32 p, x, 2;
  @p bra done;
  add.s32 x, x, -1;
  { .param .b32 i, o; st.param.b32 [i], x; call (o), tree, (i); ld.param.b32 y, [o]; }
  add.s32 x, x, -1;
  { .param .b32 i, o; st.param.b32 [i], x; call (o), tree, (i); ld.param.b32 x, [o]; }
  add.s32 y, y, x;
done:
  st.param.b32 [r], y;
  ret;
}
.visible .entry k(.param .u64 buffer)
{
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  .reg .f32 %f<4>;
  .reg .f64 %fd<4>;
  .shared .align 16 .b8 arena[1024];
  .local .align 16 .b8 frame[128];
shape: .callprototype (.param .b32 _) _ (.param .b32 _);
table: .branchtargets L0, L7, L20, L33, L47;
  ld.param.u64 %rd0, [buffer];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mov.u64 %rd1, cells;
  mov.u32 %r2, arena;
  mov.u64 %rd2, frame;
  cvta.local.u64 %rd2, %rd2;
  mov.u64 %rd3, arena;
  cvta.shared.u64 %rd3, %rd3;
)";

  uint8_t next() { return at_ < size_ ? bytes_[at_++] : 0; }
  static std::string word(u32 n) { return "%r" + std::to_string(n % 6); }

  std::string line(u32 number) {
    const auto pattern = templates[next() % std::size(templates)];
    std::string out = "L" + std::to_string(number) + ":\n  ";
    const u32 fill[3] = {next(), next(), next()};
    u32 used = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '$') {
        out += pattern[i];
        continue;
      }
      out += place(pattern[++i], fill[used++ % 3]);
    }
    return out + "\n";
  }

  static std::string place(char kind, u32 n) {
    const auto text = [](u32 number) { return std::to_string(number); };
    switch (kind) {
      case 'd':
      case 'a':
      case 'b':
        return "%r" + text(n % 6);
      case 'D':
      case 'A':
      case 'B':
        return "%rd" + text(1 + n % 5);  // %rd0 stays the buffer's address
      case 'p':
      case 'q':
        return "%p" + text(n % 4);
      case 'f':
      case 'g':
        return "%f" + text(n % 4);
      case 'F':
      case 'G':
        return "%fd" + text(n % 4);
      case 'h':
      case 'i':
        return "%h" + text(n % 4);
      case 'L':
        return "L" + text(n % instructions_);
      case 'n':
        return text(n);
      case 'm':
        return n < 200 ? "[%rd0+" + text(16 * n) + "]" : n < 230 ? "[%rd1]" : "[%rd" + text(n % 6) + "]";
      case 's':
        return n < 200 ? "[arena+" + text(16 * (n % 64)) + "]" : "[%r" + text(n % 6) + "]";
      case 'l':
        return n < 200 ? "[frame+" + text(16 * (n % 8)) + "]" : "[%r" + text(n % 6) + "]";
      default:
        return n < 100 ? "[%rd0+" + text(16 * n) + "]" : "[%rd" + text(n % 6) + "]";
    }
  }

  const uint8_t* bytes_;
  std::size_t size_, at_ = 0;
};

inline KernelText kernel_text(const uint8_t* bytes, std::size_t size) {
  return KernelMaker(bytes, size).make();
}

}  // namespace ew::fuzz
