// cuda_source FIRST COUNT: writes one CUDA program with COUNT random kernels, one a seed, and their emulation. What
// threads do between two places where they meet is a function that both sides compile; where they meet is written
// twice: as CUDA's shuffle, vote or barrier, and as a loop over the threads. The program compares every word and names
// seed, block, thread and lane; its arguments are a seed to run alone (or 0) and, if wanted, a
// module of the same source by another compiler, whose kernels then run instead of its own.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 words = 4, wides = 2, floats = 2, doubles = 1, array = 8, own_words = 8;

/// One kernel of the program: its functions, its phases, and what it does on either side.
class Kernel {
 public:
  explicit Kernel(u64 seed) : seed_(seed), state_(seed * 0xd1342543de82ef95 + 11) {
    static constexpr u32 sizes[] = {32, 64, 96, 33, 7, 128, 160, 48};
    blocks_ = 1 + below(3), threads_ = sizes[below(8)];
  }
  std::string text();

 private:
  u32 draw() {
    state_ += 0x9e3779b97f4a7c15;
    u64 z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return static_cast<u32>((z ^ z >> 31) >> 16);
  }
  u32 below(u32 n) { return draw() % n; }
  template <class... T>
  std::string one_of(T... texts) {
    const std::string list[] = {texts...};
    return list[below(sizeof...(T))];
  }

  std::string word_variable() { return in_function_ ? one_of("x", "y", "z") : fmt::format("s.w[{}]", below(words)); }
  std::string wide_variable() { return in_function_ ? "q" : fmt::format("s.l[{}]", below(wides)); }
  std::string float_variable() { return in_function_ ? "g" : fmt::format("s.f[{}]", below(floats)); }
  std::string word(u32 depth);
  std::string wide(u32 depth);
  std::string real(u32 depth);
  std::string twice(u32 depth);
  std::string condition(u32 depth);
  std::string call();
  std::string statement(u32 depth, u32 loops);
  std::string statements(u32 depth, u32 count, u32 loops) {
    std::string text;
    for (u32 i = 0; i < count; ++i) text += statement(depth, loops);
    return text;
  }
  std::string function(u32 number);
  void meet();

  u64 seed_, state_;
  u32 blocks_ = 1, threads_ = 32, functions_ = 0, counters_ = 0, budget_ = 0;
  bool in_function_ = false;
  std::string phases_, device_, host_;
};

std::string Kernel::word(u32 depth) {
  if (depth == 0) {
    switch (below(5)) {
      case 0:
        return fmt::format("{}u", below(3) ? below(70) : draw());
      case 1:
        return in_function_ ? "depth" : one_of("s.tid", "s.block");
      default:
        return word_variable();
    }
  }
  const std::string a = word(depth - 1), b = word(depth - 1);
  switch (below(22)) {
    case 0:
    case 1:
      return fmt::format("({} {} {})", a, one_of("+", "-", "*"), b);
    case 2:
      return fmt::format("({} {} {})", a, one_of("&", "|", "^"), b);
    case 3:
      return fmt::format("({} {} ({} & 31u))", a, one_of("<<", ">>"), b);
    case 4:
      return fmt::format("(unsigned)((int){} >> ({} & 31u))", a, b);
    case 5:
      return fmt::format("({} {} ({} | 1u))", a, one_of("/", "%"), b);
    case 6:
      return fmt::format("(unsigned)((int){} {} (int)(({} >> 3) | 1u))", a, one_of("/", "%"), b);
    case 7:
      return fmt::format("({} ? {} : {})", condition(depth - 1), a, b);
    case 8:
      return fmt::format("(unsigned)({}){}", one_of("signed char", "unsigned char", "short", "unsigned short"), a);
    case 9:
      return fmt::format("input[{} & 255u]", a);
    case 10:
      return fmt::format("{}({}, {})", one_of("ew_high", "ew_least", "ew_most", "ew_signed_high"), a, b);
    case 11:
      return fmt::format("{}({})", one_of("ew_count", "ew_leading", "ew_reverse"), a);
    case 12:
      return fmt::format("ew_permute({}, {}, {})", a, b, word(0));
    case 13:
      return fmt::format("ew_funnel({}, {}, {})", a, b, word(0));
    case 14:
      return fmt::format("(unsigned)({} >> {})", wide(depth - 1), below(33));
    case 15:
      return fmt::format("ew_bits({})", real(depth - 1));
    case 16:
      return fmt::format("ew_to_int({})", real(depth - 1));
    case 17:
      return in_function_ ? a : fmt::format("s.a[{} & {}u]", a, array - 1);
    case 18:
      return in_function_ ? b : fmt::format("ew_bits_double({})", twice(1));
    case 19:
      return budget_ ? call() : a;
    default:
      return a;
  }
}

std::string Kernel::wide(u32 depth) {
  if (depth == 0) return below(3) ? wide_variable() : fmt::format("{}ull", u64{draw()} * (draw() | 1u));
  const std::string a = wide(depth - 1), b = wide(depth - 1);
  switch (below(7)) {
    case 0:
      return fmt::format("({} {} {})", a, one_of("+", "-", "*", "^", "&"), b);
    case 1:
      return fmt::format("({} {} ({} & 63u))", a, one_of("<<", ">>"), word(depth - 1));
    case 2:
      return fmt::format("({} {} ({} | 1ull))", a, one_of("/", "%"), b);
    case 3:
      return fmt::format("(unsigned long long)((long long){} >> ({} & 63u))", a, word(0));
    case 4:
      return fmt::format("((unsigned long long){} * {})", word(depth - 1), word(0));
    case 5:
      return fmt::format("(unsigned long long)(long long)(int){}", word(depth - 1));
    default:
      return a;
  }
}

std::string Kernel::real(u32 depth) {
  if (depth == 0) return below(3) ? float_variable() : one_of("1.5f", "-0.25f", "3.0e-39f", "1e30f");
  const std::string a = real(depth - 1), b = real(depth - 1);
  switch (below(6)) {
    case 0:
    case 1:
      return fmt::format("{}({}, {})", one_of("ew_add", "ew_multiply", "ew_divide"), a, b);
    case 2:
      return fmt::format("ew_fma({}, {}, {})", a, b, real(0));
    case 3:
      return fmt::format("(float){}{}", one_of("", "(int)"), word(depth - 1));
    case 4:
      return fmt::format("ew_root({})", a);
    default:
      return fmt::format("({} ? {} : {})", condition(depth - 1), a, b);
  }
}

std::string Kernel::twice(u32 depth) {
  if (depth == 0) return below(3) ? "s.d[0]" : one_of("1.5", "1e300", "(double)s.f[0]");
  return below(2) ? fmt::format("{}({}, {})", one_of("ew_add_double", "ew_multiply_double"), twice(depth - 1), twice(0))
                  : fmt::format("(double){}", wide(depth - 1));
}

std::string Kernel::condition(u32 depth) {
  switch (below(5)) {
    case 0:
      return fmt::format("({} {} {})", wide(depth ? depth - 1 : 0), one_of("<", "==", ">="), wide(0));
    case 1:
      return fmt::format("({} {} {})", real(depth ? depth - 1 : 0), one_of("<", ">="), real(0));
    case 2:
      return fmt::format("((int){} {} (int){})", word(depth ? depth - 1 : 0), one_of("<", ">"), word(0));
    default:
      return fmt::format("(({} & {}u) {} {}u)", word(depth ? depth - 1 : 0), one_of("1", "3", "7"),
                         one_of("==", "!=", "<"), below(4));
  }
}

std::string Kernel::call() {
  --budget_;
  const std::string depth = in_function_ ? "depth" : "s.depth";
  return fmt::format("({} ? k{}_f{}({} - 1u, {}, {}, {}, {}, own) : {})", depth, seed_, below(functions_), depth,
                     word_variable(), word(0), wide(0), real(0), word_variable());
}

std::string Kernel::statement(u32 depth, u32 loops) {
  if (budget_ == 0) depth = 0;
  if (budget_) --budget_;
  switch (below(depth ? 14 : 8)) {
    case 0:
      return fmt::format("{} = {};\n", wide_variable(), wide(2));
    case 1:
      return fmt::format("{} = {};\n", float_variable(), real(2));
    case 2:
      return in_function_ ? fmt::format("x ^= {};\n", word(2))
                          : fmt::format("s.a[{} & {}u] = {};\n", word(1), array - 1, word(2));
    case 3:
      return fmt::format("{}(&cells[{}u + ({} & 3u)], {});\n", "EW_ADD", 0, word(1), word(1));
    case 4: {
      const u32 way = 1 + below(5);
      static const char* const names[] = {"", "EW_XOR", "EW_OR", "EW_AND", "EW_MIN", "EW_MAX"};
      return fmt::format("{}(&cells[{}u + ({} & 3u)], {});\n", names[way], 4 * way, word(1), word(1));
    }
    case 5:
      // In a sum, so that the order of two calls within one expression, each compiler's choice, does not show.
      return fmt::format("own[{} & {}u] += {};\n", word(1), own_words - 1, word(2));
    case 6:
      return loops && below(2)          ? fmt::format("if ({}) {};\n", condition(1), one_of("break", "continue"))
             : in_function_ && below(2) ? fmt::format("if ({}) return {};\n", condition(1), word(1))
             : !in_function_            ? fmt::format("s.d[0] = {};\n", twice(2))
                                        : fmt::format("y += {};\n", word(1));
    case 8:
    case 9:
      return fmt::format("if ({}) {{\n{}}} else {{\n{}}}\n", condition(2), statements(depth - 1, 1 + below(3), loops),
                         statements(depth - 1, below(3), loops));
    case 10:
    case 11: {
      const u32 c = counters_++;
      return fmt::format("for (unsigned i{0} = 0, n{0} = {1} & {2}u; i{0} < n{0}; ++i{0}) {{\n{3}}}\n", c, word(1),
                         one_of("3", "7"), statements(depth - 1, 1 + below(3), loops + 1));
    }
    case 12: {
      const u32 c = counters_++;
      return fmt::format("{{ unsigned i{0} = 0; do {{\n{1}}} while (++i{0} < 4u && {2}); }}\n", c,
                         statements(depth - 1, 1 + below(2), loops + 1), condition(1));
    }
    case 13: {
      std::string text = fmt::format("switch ({} % 4u) {{\n", word(1));
      for (u32 c = 0; c < 3; ++c)
        text += fmt::format("case {}: {}{}", c, statements(depth - 1, 1 + below(2), 0), below(3) ? "break;\n" : "");
      return text + "default: ;\n}\n";
    }
    default:
      return fmt::format("{} = {};\n", word_variable(), word(3));
  }
}

std::string Kernel::function(u32 number) {
  in_function_ = true;
  budget_ = 8;
  std::string text = fmt::format(
      "{} unsigned k{}_f{}(unsigned depth, unsigned x, unsigned y, unsigned long long q, float g, unsigned* own) "
      "{{\nunsigned z = x + y;\n{}return {};\n}}\n",
      below(4) ? "NOINLINE" : "PLAIN", seed_, number, statements(2, 2 + below(3), 0), word(2));
  in_function_ = false;
  return text;
}

/// A place where threads meet, on both sides.
void Kernel::meet() {
  const u32 to = below(words), from = below(words);
  const bool whole = threads_ % 32 == 0;
  const auto both = [&](const std::string& device, const std::string& host) {
    device_ += device;
    host_ += host;
  };
  switch (below(whole ? 5 : 3)) {
    case 0: {
      const u32 by = 1 + below(threads_);
      both(fmt::format("places[s.tid] = s.w[{1}]; __syncthreads(); s.w[{0}] += places[(s.tid + {2}u) % {3}u]; "
                       "__syncthreads();\n",
                       to, from, by, threads_),
           fmt::format("for (auto& s : all) places[s.tid] = s.w[{1}];\nfor (auto& s : all) s.w[{0}] += places[(s.tid + "
                       "{2}u) % {3}u];\n",
                       to, from, by, threads_));
      break;
    }
    case 1: {
      const std::string what = condition(1);
      both(fmt::format("s.w[{}] += __syncthreads_count({});\n", to, what),
           fmt::format("{{ unsigned n = 0; for (auto& s : all) n += {} ? 1 : 0; for (auto& s : all) s.w[{}] += n; }}\n",
                       what, to));
      break;
    }
    case 2: {
      const std::string what = condition(1);
      both(fmt::format("s.w[{}] ^= __ballot_sync(ew_members({}u), {});\n", to, threads_, what),
           fmt::format(
               "each_warp(all, [&](State* w, unsigned n) {{ unsigned m = 0; for (unsigned i = 0; i < n; ++i) {{ State& "
               "s = w[i]; m |= ({} ? 1u : 0u) << i; }} for (unsigned i = 0; i < n; ++i) w[i].w[{}] ^= m; }});\n",
               what, to));
      break;
    }
    case 3: {
      const u32 by = below(32);
      both(fmt::format("s.w[{}] ^= __shfl_xor_sync(~0u, s.w[{}], {});\n", to, from, by),
           fmt::format("each_warp(all, [&](State* w, unsigned n) {{ unsigned o[32]; for (unsigned i = 0; i < n; ++i) "
                       "o[i] = w[i].w[{}]; for (unsigned i = 0; i < n; ++i) w[i].w[{}] ^= o[i ^ {}u]; }});\n",
                       from, to, by));
      break;
    }
    default:
      both(fmt::format("s.w[{}] += __shfl_sync(~0u, s.w[{}], s.w[{}] & 31u);\n", to, from, to),
           fmt::format(
               "each_warp(all, [&](State* w, unsigned n) {{ unsigned o[32]; for (unsigned i = 0; i < n; ++i) o[i] = "
               "w[i].w[{0}]; for (unsigned i = 0; i < n; ++i) w[i].w[{1}] += o[w[i].w[{1}] & 31u]; }});\n",
               from, to));
  }
}

std::string Kernel::text() {
  functions_ = 2 + below(3);
  std::string text = fmt::format("// seed {}\n", seed_);
  for (u32 f = 0; f < functions_; ++f)
    text += fmt::format("BOTH unsigned k{}_f{}(unsigned, unsigned, unsigned, unsigned long long, float, unsigned*);\n",
                        seed_, f);
  for (u32 f = 0; f < functions_; ++f) text += function(f);
  const u32 count = 2 + below(4);
  for (u32 p = 0; p < count; ++p) {
    budget_ = 12;
    phases_ += fmt::format("INLINE void k{}_p{}(State& s, unsigned* own) {{\n{}}}\n", seed_, p,
                           statements(3, 2 + below(4), 0));
    device_ += fmt::format("k{}_p{}(s, own);\n", seed_, p);
    host_ += fmt::format("for (auto& s : all) k{}_p{}(s, memory + (s.block * {}u + s.tid) * {}u);\n", seed_, p,
                         threads_, own_words);
    budget_ = 0;
    meet();
  }
  text += phases_;
  text += fmt::format(
      "__global__ void k{0}(unsigned* memory) {{\n__shared__ unsigned places[{1}];\nState s;\ns.begin(threadIdx.x, "
      "blockIdx.x);\nunsigned* own = memory + (blockIdx.x * {1}u + threadIdx.x) * {2}u;\n{3}own[0] ^= "
      "s.fold();\n(void)places;\n}}\n",
      seed_, threads_, own_words, device_);
  text += fmt::format(
      "static void e{0}(unsigned* memory) {{\nfor (unsigned block = 0; block < {1}u; ++block) {{\nunsigned "
      "places[{2}];\nstd::vector<State> all({2});\nfor (unsigned t = 0; t < {2}u; ++t) all[t].begin(t, block);\n{3}for "
      "(auto& s : all) memory[(s.block * {2}u + s.tid) * {4}u] ^= s.fold();\n(void)places;\n}}\n}}\n",
      seed_, blocks_, threads_, host_, own_words);
  return text + fmt::format("static const Entry entry{0}({0}, {1}, {2}, k{0}, e{0});\n", seed_, blocks_, threads_);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    fmt::print(stderr, "usage: {} FIRST COUNT\n", arguments[0]);
    return 2;
  }
  const u64 first = std::strtoull(arguments[1], nullptr, 10), kernels = std::strtoull(arguments[2], nullptr, 10);
  fmt::print("#include \"random_kernel.cuh\"\n");
  for (u64 seed = first; seed < first + kernels; ++seed) fmt::print("{}", Kernel(seed).text());
  fmt::print("int main(int count, char** words) {{ return run_all(count, words); }}\n");
}
