// Every read-modify-write operation on every type that CUDA offers, on global and shared memory, with the old values
// checked for being a legal history; and a max of doubles by a CAS loop. Exercises: atom.* in 32 and 64 bits, float,
// double.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kThreads = 96;

struct Cells {
  int add, sub, least, greatest, exchange;
  unsigned bits_and, bits_or, bits_xor, up, down, uleast, ugreatest;
  unsigned long long wide_add, wide_least, wide_greatest, wide_and, wide_or, wide_xor, wide_exchange;
  long long signed_least, signed_greatest;
  float real_add;
  double double_add, double_greatest;
};

__device__ double atomic_max(double* at, double value) {
  auto* bits = reinterpret_cast<unsigned long long*>(at);
  unsigned long long seen = *bits, assumed;
  do {
    assumed = seen;
    if (__longlong_as_double(assumed) >= value) break;
    seen = atomicCAS(bits, assumed, __double_as_longlong(value));
  } while (seen != assumed);
  return __longlong_as_double(seen);
}

__device__ void apply(Cells* c, int id) {
  const int value = id * 37 % 101 - 50;
  const unsigned long long wide = (static_cast<unsigned long long>(id) << 40) + id;
  atomicAdd(&c->add, value);
  atomicSub(&c->sub, value);
  atomicMin(&c->least, value);
  atomicMax(&c->greatest, value);
  atomicExch(&c->exchange, 7);
  atomicAnd(&c->bits_and, ~(1u << id % 24));
  atomicOr(&c->bits_or, 1u << id % 24);
  atomicXor(&c->bits_xor, id * 2654435761u);
  atomicInc(&c->up, 40);
  atomicDec(&c->down, 40);
  atomicMin(&c->uleast, static_cast<unsigned>(value));
  atomicMax(&c->ugreatest, static_cast<unsigned>(value));
  atomicAdd(&c->wide_add, wide);
  atomicMin(&c->wide_least, wide + 5);
  atomicMax(&c->wide_greatest, wide);
  atomicAnd(&c->wide_and, ~(1ull << id % 50));
  atomicOr(&c->wide_or, 1ull << id % 50);
  atomicXor(&c->wide_xor, wide * wide);
  atomicExch(&c->wide_exchange, 1ull << 63);
  atomicMin(&c->signed_least, value * (1ll << 33));
  atomicMax(&c->signed_greatest, value * (1ll << 33));
  atomicAdd(&c->real_add, value * 0.25f);  // sums of quarters are exact
  atomicAdd(&c->double_add, value * 0.125);
  atomic_max(&c->double_greatest, value * 1.5);
}

__global__ void on_global(Cells* cells) {
  apply(cells, blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void on_shared(const Cells* start, Cells* out) {
  __shared__ Cells cells;
  if (threadIdx.x == 0) cells = *start;
  __syncthreads();
  apply(&cells, threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) *out = cells;
}

// Each of the values 0 .. n - 1 must be returned exactly once by a counter.
__global__ void draw(int* counter, int* drawn) {
  atomicAdd(&drawn[atomicAdd(counter, 1)], 1);
}

Cells reference(int threads) {
  Cells c = {};
  c.bits_and = ~0u, c.wide_and = ~0ull, c.uleast = ~0u, c.wide_least = ~0ull, c.double_greatest = -1e9;
  if (threads == 0) return c;
  for (int id = 0; id < threads; ++id) {
    const int value = id * 37 % 101 - 50;
    const unsigned long long wide = (static_cast<unsigned long long>(id) << 40) + id;
    c.add += value, c.sub -= value;
    c.least = std::min(c.least, value), c.greatest = std::max(c.greatest, value);
    c.bits_and &= ~(1u << id % 24), c.bits_or |= 1u << id % 24, c.bits_xor ^= id * 2654435761u;
    c.up = c.up >= 40 ? 0 : c.up + 1;
    c.down = c.down == 0 || c.down > 40 ? 40 : c.down - 1;
    c.uleast = std::min(c.uleast, static_cast<unsigned>(value));
    c.ugreatest = std::max(c.ugreatest, static_cast<unsigned>(value));
    c.wide_add += wide, c.wide_least = std::min(c.wide_least, wide + 5), c.wide_greatest = wide;
    c.wide_and &= ~(1ull << id % 50), c.wide_or |= 1ull << id % 50, c.wide_xor ^= wide * wide;
    c.signed_least = std::min(c.signed_least, value * (1ll << 33));
    c.signed_greatest = std::max(c.signed_greatest, value * (1ll << 33));
    c.real_add += value * 0.25f, c.double_add += value * 0.125;
    c.double_greatest = std::max(c.double_greatest, value * 1.5);
  }
  c.exchange = 7, c.wide_exchange = 1ull << 63;
  return c;
}

void compare(const Cells& want, const Cells& got, const char* where) {
  const auto same = [&](auto cell, const char* name) {
    EXPECT(want.*cell == got.*cell, "%s: %s should be %.17g, is %.17g", where, name, double(want.*cell),
           double(got.*cell));
  };
  same(&Cells::add, "add"), same(&Cells::sub, "sub"), same(&Cells::least, "least"), same(&Cells::greatest, "greatest");
  same(&Cells::exchange, "exchange"), same(&Cells::bits_and, "and"), same(&Cells::bits_or, "or");
  same(&Cells::bits_xor, "xor"), same(&Cells::up, "inc"), same(&Cells::down, "dec"), same(&Cells::uleast, "umin");
  same(&Cells::ugreatest, "umax"), same(&Cells::wide_add, "add.u64"), same(&Cells::wide_least, "min.u64");
  same(&Cells::wide_greatest, "max.u64"), same(&Cells::wide_and, "and.b64"), same(&Cells::wide_or, "or.b64");
  same(&Cells::wide_xor, "xor.b64"), same(&Cells::wide_exchange, "exch.b64"), same(&Cells::real_add, "add.f32");
  same(&Cells::signed_least, "min.s64"), same(&Cells::signed_greatest, "max.s64");
  same(&Cells::double_add, "add.f64"), same(&Cells::double_greatest, "maximum of doubles");
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = size_argument(argc, argv, 1, 4, 1, 1024);
  DeviceArray<Cells> start(std::vector<Cells>{reference(0)}), global(std::vector<Cells>{reference(0)}), shared(1);
  DeviceArray<int> counter(1, 0), drawn(blocks * kThreads, 0);
  on_global<<<blocks, kThreads>>>(global);
  on_shared<<<1, kThreads>>>(start, shared);
  draw<<<blocks, kThreads>>>(counter, drawn);
  FINISH_KERNEL();
  compare(reference(blocks * kThreads), global.download()[0], "global");
  compare(reference(kThreads), shared.download()[0], "shared");
  EXPECT_SAME(std::vector<int>(blocks * kThreads, 1), drawn.download(), "times a ticket was drawn");
  return PASS("threads=%d", blocks * kThreads);
}
