// The functions for dynamic programming (DPX): minima and maxima of two or three numbers, or of a sum and a number,
// with and without a floor of 0, on words and on pairs of halves. Every one, called by a kernel and by the host,
// against plain C++. Exercises: __vimax3_*, __viaddmax_*, __vibmax_* and their kin as __host__ __device__ functions.
//
// deterministic: yes
#include "check.h"

namespace {

// X(name, value): a, b, c are the numbers of one lane in a wider type.
#define THREE(X)                             \
  X(__vimax3, std::max({a, b, c}))           \
  X(__vimin3, std::min({a, b, c}))           \
  X(__viaddmax, std::max(wrapped(a + b), c)) \
  X(__viaddmin, std::min(wrapped(a + b), c))
#define TWO(X)               \
  X(__vimax, std::max(a, b)) \
  X(__vimin, std::min(a, b))
#define CHOICES(X)                    \
  X(__vibmax, std::max(a, b), a >= b) \
  X(__vibmin, std::min(a, b), a <= b)

constexpr int kThree = 6 * 4, kTwo = 2 * 2, kChoices = 2 * 4 * 2, kResults = kThree + kTwo + kChoices;

__host__ __device__ void call_all(unsigned a, unsigned b, unsigned c, unsigned* out) {
  const int sa = static_cast<int>(a), sb = static_cast<int>(b), sc = static_cast<int>(c);
#define CALL_THREE(name, value)                                                         \
  *out++ = static_cast<unsigned>(name##_s32(sa, sb, sc)), *out++ = name##_u32(a, b, c); \
  *out++ = name##_s16x2(a, b, c), *out++ = name##_u16x2(a, b, c);                       \
  *out++ = static_cast<unsigned>(name##_s32_relu(sa, sb, sc)), *out++ = name##_s16x2_relu(a, b, c);
#define CALL_TWO(name, value) *out++ = static_cast<unsigned>(name##_s32_relu(sa, sb)), *out++ = name##_s16x2_relu(a, b);
#define CALL_CHOICE(name, value, chosen)                                    \
  {                                                                         \
    bool high = false, low = false;                                         \
    *out++ = static_cast<unsigned>(name##_s32(sa, sb, &low)), *out++ = low; \
    *out++ = name##_u32(a, b, &low), *out++ = low;                          \
    *out++ = name##_s16x2(a, b, &high, &low), *out++ = high * 2u + low;     \
    *out++ = name##_u16x2(a, b, &high, &low), *out++ = high * 2u + low;     \
  }
  THREE(CALL_THREE) TWO(CALL_TWO) CHOICES(CALL_CHOICE)
}

__global__ void run(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) call_all(in[3 * i], in[3 * i + 1], in[3 * i + 2], out + i * kResults);
}

// A function of lanes of type T, whose numbers are given as long long.
template <class T, class F>
unsigned by_lanes(unsigned a, unsigned b, unsigned c, F value) {
  constexpr int bits = 8 * sizeof(T);
  unsigned result = 0;
  for (int lane = 0; lane < 32; lane += bits) {
    const T x = static_cast<T>(a >> lane), y = static_cast<T>(b >> lane), z = static_cast<T>(c >> lane);
    const auto wrapped = [](long long v) -> long long { return static_cast<T>(v); };
    const unsigned one = static_cast<unsigned>(value(x, y, z, wrapped));
    result |= (bits == 32 ? one : one & 0xffff) << lane;
  }
  return result;
}

void reference(unsigned a, unsigned b, unsigned c, std::vector<unsigned>& out) {
#define VALUE(expression)                                                                                  \
  [](long long a, long long b, [[maybe_unused]] long long c, [[maybe_unused]] auto wrapped) -> long long { \
    return expression;                                                                                     \
  }
#define PUT(type, expression) out.push_back(by_lanes<type>(a, b, c, VALUE(expression)));
#define WANT_THREE(name, value) \
  PUT(int, value)               \
  PUT(unsigned, value)          \
  PUT(short, value)             \
  PUT(unsigned short, value) PUT(int, std::max<long long>(value, 0)) PUT(short, std::max<long long>(value, 0))
#define WANT_TWO(name, value) PUT(int, std::max<long long>(value, 0)) PUT(short, std::max<long long>(value, 0))
#define PUT_CHOICE(type, value, chosen)                                         \
  PUT(type, value) {                                                            \
    const unsigned lanes = by_lanes<type>(a, b, c, VALUE(chosen));              \
    out.push_back(sizeof(type) == 4 ? lanes : (lanes >> 16) * 2 + (lanes & 1)); \
  }
#define WANT_CHOICE(name, value, chosen) \
  PUT_CHOICE(int, value, chosen)         \
  PUT_CHOICE(unsigned, value, chosen) PUT_CHOICE(short, value, chosen) PUT_CHOICE(unsigned short, value, chosen)
  THREE(WANT_THREE) TWO(WANT_TWO) CHOICES(WANT_CHOICE)
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 300, 1, 1 << 20);
  constexpr unsigned corners[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fff8000, 0x80007fff, 0xffff0000};
  Random random(12);
  const auto word = [&] { return random.below(3) ? static_cast<unsigned>(random.next()) : corners[random.below(8)]; };
  std::vector<unsigned> in, want, on_host(static_cast<size_t>(n) * kResults);
  for (int i = 0; i < n; ++i) {
    const unsigned a = word(), b = i % 7 ? word() : a, c = word();
    in.insert(in.end(), {a, b, c});
    reference(a, b, c, want);
    call_all(a, b, c, on_host.data() + static_cast<size_t>(i) * kResults);
  }
  EXPECT(want.size() == on_host.size(), "there should be %d results, the reference has %zu", kResults, want.size() / n);
  DeviceArray<unsigned> device_in(in), out(want.size());
  run<<<(n + 63) / 64, 64>>>(device_in, out, n);
  FINISH_KERNEL();
  const auto on_device = out.download();
  for (size_t i = 0; i < want.size(); ++i) {
    const unsigned* from = in.data() + i / kResults * 3;
    EXPECT(want[i] == on_device[i] && want[i] == on_host[i],
           "result %zu of (%#x, %#x, %#x) should be %#x, is %#x on the device and %#x on the host", i % kResults,
           from[0], from[1], from[2], want[i], on_device[i], on_host[i]);
  }
  return PASS("triples=%d results=%d", n, kResults);
}
