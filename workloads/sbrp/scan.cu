// Scan: the inclusive prefix sums of many arrays, one a block, with every iteration's sums in a persistent pool. After
// "SBRP" (ASPLOS'23, section 7.1): in iteration k a thread adds the sum that the thread 2^k to its left had after
// iteration k - 1 (Hillis and Steele, 1986); it persists its own and releases a flag at block scope, on which its
// reader acquires. Recovery is native: the same kernel again, which goes on from the sums that are durable.
//
//   scan [--arrays N] [--length N] [--pool FILE]    create the pool, scan all arrays, check
//   scan --recover FILE                             finish the work, check
//   --stop-before-commit: all but the last iteration
//
// What recovery relies on. A thread whose last sum is durable has nothing to do: all earlier sums that its neighbours
// may still ask for are durable too, its own (ofence) and those that it was made of (block-scope release and acquire).
// Sums are kept plus one: a new pool's zeros mean "not yet".
// deterministic: yes
#include "recoverable.h"

namespace {

using recoverable::Header;

constexpr uint64_t kMagic = 0x5342525053633031ull;
constexpr uint32_t kEmpty = 0;

struct Shape {
  uint32_t arrays, length;  // length: a thread an element
  uint32_t elements() const { return arrays * length; }
  uint32_t iterations() const {
    uint32_t iterations = 0;
    while (1u << iterations < length) ++iterations;
    return iterations;
  }
  size_t iteration_bytes() const { return recoverable::whole_lines(elements() * sizeof(uint32_t)); }
  size_t bytes() const { return iterations() * iteration_bytes(); }
};
constexpr recoverable::Presets<Shape> kPresets = {{120, 1024}, {120, 1024}, {3, 16}};
using Options = recoverable::Options<Shape>;

// Where the sums of iteration k stand, all plus one. A value; the pool outlives it.
struct Sums {
  uint32_t* words;
  uint32_t stride;  // from an iteration to the next
  __host__ __device__ uint32_t* of(uint32_t iteration) const { return words + size_t(iteration) * stride; }
};
Sums sums_in(Header* header, const Shape& shape) {
  return {reinterpret_cast<uint32_t*>(header + 1), static_cast<uint32_t>(shape.iteration_bytes() / sizeof(uint32_t))};
}

uint32_t value_of(uint32_t i) {
  return static_cast<uint32_t>(recoverable::mix(i + 1) & 0xffff);
}

// The iterations of this element that are durable.
__device__ uint32_t durable_iterations(const Sums& sums, uint32_t i, uint32_t iterations) {
  if (sums.of(iterations - 1)[i] != kEmpty) return iterations;
  uint32_t k = 0;
  while (k < iterations && sums.of(k)[i] != kEmpty) ++k;
  return BUG == 6 && k != 0 ? k + 1 : k;
}

__device__ void await(uint32_t* finished, uint32_t iterations) {
  if (BUG == 2) {
    while (*static_cast<volatile uint32_t*>(finished) < iterations) {
    }
  } else {
    while (pAcq_block(finished) < iterations) {
    }
  }
}

__global__ void scan(Sums sums, const uint32_t* values, uint32_t iterations, uint32_t last) {
  extern __shared__ uint32_t finished[];  // by thread: its iterations that are in the pool
  const uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  uint32_t k = durable_iterations(sums, i, iterations);
  uint32_t sum = k == 0 || BUG == 5 ? values[i] : sums.of(k - 1)[i] - 1;
  finished[t] = k;
  __syncthreads();
  for (; k < last; ++k) {
    const uint32_t distance = 1u << k;
    if (t >= distance) {
      if (k > 0) await(&finished[t - distance], k);
      sum += k > 0 ? sums.of(k - 1)[i - distance] - 1 : values[i - distance];
    }
    if (BUG == 1) pRel_block(&finished[t], k + 1);
    sums.of(k)[i] = sum + 1;
    if (BUG == 3)
      *static_cast<volatile uint32_t*>(&finished[t]) = k + 1;
    else
      pRel_block(&finished[t], k + 1);
    if (BUG != 4) ofence();  // a release orders no later persist of its own thread
  }
}

void scan_all(Header* header, const Shape& shape, bool commit) {
  std::vector<uint32_t> host(shape.elements());
  for (uint32_t i = 0; i < host.size(); ++i) host[i] = value_of(i);
  const DeviceArray<uint32_t> values(host);
  const uint32_t iterations = shape.iterations();
  scan<<<static_cast<int>(shape.arrays), static_cast<int>(shape.length), shape.length * sizeof(uint32_t)>>>(
      sums_in(header, shape), values, iterations, commit ? iterations : iterations - 1);
  FINISH_KERNEL();
}

// Every sum of every iteration: of the 2^(k+1) values up to the element.
void check_sums(Header* header, const Shape& shape) {
  const Sums sums = sums_in(header, shape);
  std::vector<uint32_t> want(shape.elements());
  for (uint32_t i = 0; i < want.size(); ++i) want[i] = value_of(i);
  for (uint32_t k = 0; k < shape.iterations(); ++k) {
    for (uint32_t i = shape.elements(); i-- > 0;)
      if (i % shape.length >= 1u << k) want[i] += want[i - (1u << k)];
    for (uint32_t i = 0; i < want.size(); ++i)
      EXPECT(sums.of(k)[i] == want[i] + 1, "iteration %u: sum %u should be %u, is %s%u", k, i, want[i],
             sums.of(k)[i] == kEmpty ? "not there, " : "", sums.of(k)[i] - 1);
  }
}

int run(const Options& options) {
  Header* header = recoverable::create_pool(options, kMagic);
  scan_all(header, options.shape, !options.stop_before_commit);
  gpm_persist_end();
  if (options.stop_before_commit) return PASS("stopped before the last iteration");
  check_sums(header, options.shape);
  return PASS("arrays=%u elements=%u", options.shape.arrays, options.shape.elements());
}

int recover(const Options& options) {
  Shape shape;
  Header* header = recoverable::reopen_pool(options.recovered, kMagic, &shape);
  if (header == nullptr) return PASS("the pool was not created yet");
  const Sums sums = sums_in(header, shape);
  size_t durable = 0;
  for (uint32_t k = 0; k < shape.iterations(); ++k)
    for (uint32_t i = 0; i < shape.elements(); ++i) durable += sums.of(k)[i] != kEmpty;
  scan_all(header, shape, true);
  check_sums(header, shape);
  return PASS("recovered: %zu of %zu sums were durable", durable, size_t(shape.iterations()) * shape.elements());
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = recoverable::parse<Shape>(
      argc, argv, "scan.pool", kPresets, {{"--arrays", &Shape::arrays, 1 << 16}, {"--length", &Shape::length, 1024}});
  if (options.recovered.empty() && options.shape.length < 2) {
    fprintf(stderr, "--length: at least 2 is expected, got %u\n", options.shape.length);
    return 2;
  }
  return options.recovered.empty() ? run(options) : recover(options);
}
