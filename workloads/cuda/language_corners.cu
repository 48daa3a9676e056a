// Corners of C++ in device code: static locals, constexpr tables, unions and bit-fields, packed structures, 128-bit
// integers, goto and loops with several exits, comma and ternary chains, memcpy and memset, structures by value,
// default arguments.
//
// deterministic: yes
#include "check.h"

namespace {

struct Flags {
  unsigned low : 5;
  int middle : 11;
  unsigned high : 16;
};
union Bits {
  float real;
  unsigned word;
  Flags flags;
  unsigned char bytes[4];
};
struct __attribute__((packed)) Packed {
  unsigned char tag;
  int value;
  short more;
};
struct Table {
  int cells[32];
  constexpr Table() : cells() {
    for (int i = 0; i < 32; ++i) cells[i] = i * i - 3 * i;
  }
};
struct alignas(32) Wide {
  long long a[3];
  char tail;
};

template <class T, int kSize = 4>
struct Ring {
  T cells[kSize] = {};
  int at = 0;
  __host__ __device__ T exchange(T value, int steps = 1) {
    at = (at + steps) % kSize;
    const T old = cells[at];
    cells[at] = value;
    return old;
  }
};

__host__ __device__ unsigned irregular(unsigned x) {  // a flow graph with two entries into its loop
  unsigned steps = 0;
  if (x & 1) goto odd;
even:
  x /= 2;
  ++steps;
  if (steps > 60) goto done;
  if (x == 0) goto done;
odd:
  x = x * 5 + 7;
  ++steps;
  if (x % 3 == 0) goto even;
  if (x % 7 == 0) goto done;
  x ^= x >> 3;
  if (steps < 60) goto even;
done:
  return steps * 1000 + x % 1000;
}

__host__ __device__ int several_exits(int x) {
  for (int i = 0;; ++i) {
    for (int j = 0; j < 7; ++j) {
      x = x * 3 + j;
      if (x % 11 == 4) return i * 100 + j;
      if (x % 13 == 5) continue;
      if (x % 17 == 6) break;
      if (i > 20) return -j;
    }
    x ^= i;
    x &= 0xffff;
  }
}

__host__ __device__ unsigned long long wide_arithmetic(unsigned long long a, unsigned long long b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  const __int128 difference = static_cast<__int128>(a) - static_cast<__int128>(b) * 3;
  return static_cast<unsigned long long>(product >> 64) ^ static_cast<unsigned long long>(product / (b | 1)) ^
         static_cast<unsigned long long>(difference >> 3) ^ (difference < 0 ? 77 : 0);
}

constexpr int kResults = 12;

__host__ __device__ void corners(int id, Wide wide, long long* out) {
  constexpr Table table;
  Bits bits;
  bits.real = id * 0.37f;
  out[0] = bits.word ^ bits.bytes[2];
  bits.flags = Flags{static_cast<unsigned>(id) & 31, -id, 0xbeef};
  bits.flags.middle += 3;
  out[1] = bits.word;
  out[2] = bits.flags.middle * 7 + bits.flags.low;
  Packed packed[3];
  memset(packed, id & 0x7f, sizeof packed);
  packed[1].value = id * 1000003;
  packed[2].more = static_cast<short>(-id);
  long long raw;
  memcpy(&raw, reinterpret_cast<const char*>(packed) + 6, sizeof raw);
  out[3] = raw;
  out[4] = table.cells[id % 32] + sizeof(Packed) * 100 + alignof(Wide);
  out[5] = irregular(id);
  out[6] = several_exits(id);
  out[7] = static_cast<long long>(wide_arithmetic(id * 0x9e3779b97f4a7c15ull, ~0ull - id));
  wide.a[id % 3] += id;
  Wide copy = wide;
  copy.tail = static_cast<char>(id);
  out[8] = copy.a[0] + 2 * copy.a[1] + 3 * copy.a[2] + copy.tail + wide.tail;
  Ring<short> ring;
  Ring<double, 3> reals;
  long long sum = 0;
  for (int i = 0; i < 9; ++i) {
    sum += ring.exchange(static_cast<short>(id + i));
    sum += static_cast<long long>(reals.exchange(i * 1.5, 2) * 2);
  }
  out[9] = sum;
  int x = id, y = (x += 3, x * 2);
  out[10] = x < 10 ? y : x < 20 ? y - x : x % 2 ? -y : ~y;
  const char* words[] = {"lane", "warp", "block", "grid"};
  const char* word = words[id & 3];
  int letters = 0;
  while (word[letters] != 0) ++letters;
  out[11] = word[letters - 1] * 10 + letters;
}

__device__ int visits() {
  static int count = 0;  // one variable for all threads
  return atomicAdd(&count, 1);
}

__global__ void run(Wide wide, long long* out, int* visit_seen, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  corners(id, wide, out + id * kResults);
  atomicAdd(&visit_seen[visits()], 1);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 200, 1, 2000);
  const Wide wide = {{1000000007ll, -5, 1ll << 40}, 'q'};
  std::vector<long long> want(n * kResults);
  for (int id = 0; id < n; ++id) corners(id, wide, &want[id * kResults]);
  DeviceArray<long long> out(want.size());
  DeviceArray<int> seen(n, 0);
  run<<<(n + 63) / 64, 64>>>(wide, out, seen, n);
  FINISH_KERNEL();
  const auto got = out.download();
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT(want[i] == got[i], "thread %zu: corner %zu should be %lld, is %lld", i / kResults, i % kResults, want[i],
           got[i]);
  EXPECT_SAME(std::vector<int>(n, 1), seen.download(), "times a count was returned");
  return PASS("threads=%d corners=%d", n, kResults);
}
