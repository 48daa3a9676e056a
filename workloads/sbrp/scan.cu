// Scan: the inclusive prefix sums of many arrays, one a block, with the sums of every iteration in a persistent pool.
// After "SBRP" (ASPLOS'23, section 7.1): in iteration k a thread adds the sum that the thread 2^k to its left had
// before (Hillis and Steele, 1986), persists its own and releases a flag at block scope, on which those acquire who
// wait for it. Recovery is native: the same kernel again, which goes on from the sums that are durable.
//
//   scan [--arrays N] [--length N] [--share N] [--launches N] [--pool FILE]
//                                create the pool, scan all arrays in so many kernels, check
//   scan --recover FILE                             finish the work, check
//   --stop-before-commit: all but the last iteration
//
// What recovery relies on. The pool has each thread's last two sums, iterations taking turns; a sum is one aligned word
// with the number of its iterations in the upper bits. The word of iteration k takes the place of that of iteration
// k - 2. So it may be durable only after the thread's own of iteration k - 1 (ofence), and after that of its reader:
// the thread which needed the sum that is overwritten (block-scope release and acquire). Then every thread can go on
// from its last durable sum: what it asks for is in the pool, or will be computed again. deterministic: yes
#include "recoverable.h"

namespace {

using recoverable::Header;

constexpr uint64_t kMagic = 0x5342525053633031ull;
constexpr uint32_t kSumBits = 27;  // 1,024 shares of 8 values of 14 bits

struct Shape {
  uint32_t arrays, length, share, launches;  // length: in threads; share: values of a thread, which scans their sums
  uint32_t arrays_after(uint32_t launch) const {
    return static_cast<uint32_t>(uint64_t(arrays) * (launch + 1) / launches);
  }
  uint32_t elements() const { return arrays * length; }  // sums
  uint32_t iterations() const {
    uint32_t iterations = 0;
    while (1u << iterations < length) ++iterations;
    return iterations;
  }
  size_t iteration_bytes() const { return recoverable::whole_lines(elements() * sizeof(uint32_t)); }
#ifdef ARTIFACT
  size_t bytes() const {
    return 3 * iteration_bytes();
  }
#else
  size_t bytes() const {
    return 2 * iteration_bytes();
  }
#endif
};
constexpr recoverable::Presets<Shape> kPresets = {{120, 1024, 1, 1}, {240, 128, 4, 1}, {3, 16, 1, 3}};
using Options = recoverable::Options<Shape>;

// The two places of each thread's sums. A value; the pool outlives it.
struct Sums {
  uint32_t* words;
  uint32_t stride;  // from one place to the other
  __host__ __device__ uint32_t* of(uint32_t iteration) const { return words + iteration % 2 * stride; }
#ifdef ARTIFACT
  __device__ uint32_t* flags() const {
    return words + 2 * stride;
  }
#endif
};
Sums sums_in(Header* header, const Shape& shape) {
  return {reinterpret_cast<uint32_t*>(header + 1), static_cast<uint32_t>(shape.iteration_bytes() / sizeof(uint32_t))};
}

// A word: the iterations that it is the result of, and the sum. 0: none.
__host__ __device__ uint32_t word_of(uint32_t iterations, uint32_t sum) {
  return iterations << kSumBits | sum;
}
__host__ __device__ uint32_t iterations_of(uint32_t word) {
  return word >> kSumBits;
}
__host__ __device__ uint32_t sum_of(uint32_t word) {
  return word & ((1u << kSumBits) - 1);
}

uint32_t value_of(uint32_t i) {
  return static_cast<uint32_t>(recoverable::mix(i + 1) & 0x3fff);
}
__host__ __device__ uint32_t sum_of_share(const uint32_t* values, uint32_t share, uint32_t i) {
  uint32_t sum = 0;
  for (uint32_t k = 0; k < share; ++k) sum += values[i * share + k];
  return sum;
}

// The later of an element's two sums.
__host__ __device__ uint32_t last_word(const Sums& sums, uint32_t i) {
  const uint32_t even = sums.of(0)[i], odd = sums.of(1)[i];
  return iterations_of(even) > iterations_of(odd) ? even : odd;
}

// Until a thread has persisted so many iterations. `together`: lanes of the warp are at the same iteration, so that
// none of them waits for another's next one, and leave as one.
__device__ void await(uint32_t* finished, uint32_t iterations, bool together) {
  const unsigned lanes = together ? __activemask() : 1u << threadIdx.x % 32;
  bool there = false;
  do {
    if (!there) there = pAcq_block(finished) >= iterations;
  } while (__any_sync(lanes, !there));
}

// Until the thread that needed what iteration k overwrites has persisted what it needed it for.
__device__ void await_reader(uint32_t* finished, uint32_t k, bool together) {
  if (BUG == 7) return;
  if (BUG == 2) {
    while (*static_cast<volatile uint32_t*>(finished) < k) {  // @plain_wait
    }
  } else {
    await(finished, k, together);
  }
}

__global__ void __launch_bounds__(1024) scan(Sums sums, const uint32_t* values, uint32_t share, uint32_t last) {
  const uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t, word = last_word(sums, i);
#ifdef ARTIFACT
  uint32_t* finished = sums.flags() + i - t;
#else
  extern __shared__ uint32_t finished[];  // by thread: its iterations that are in the pool
#endif
  uint32_t k = iterations_of(word);
  uint32_t sum = k == 0 || BUG == 5 ? sum_of_share(values, share, i) : sum_of(word);
  if (BUG == 6 && k != 0) ++k;
  const unsigned warp = __activemask();
  const bool together = __all_sync(warp, k == __shfl_sync(warp, k, 0));
  finished[t] = k;
  __syncthreads();
  for (; k < last; ++k) {
    const uint32_t distance = 1u << k;
    if (t >= distance) {
      if (k > 0) await(&finished[t - distance], k, together);
      sum += k > 0 ? sum_of(sums.of(k - 1)[i - distance]) : sum_of_share(values, share, i - distance);
    }
    if (k > 1 && t + distance / 2 < blockDim.x) await_reader(&finished[t + distance / 2], k, together);
    if (BUG == 1) pRel_block(&finished[t], k + 1);  // @flag_early
    sums.of(k)[i] = word_of(k + 1, sum);            // @sum
    if (BUG == 3)
      *static_cast<volatile uint32_t*>(&finished[t]) = k + 1;  // @plain_flag
    else if (BUG != 1)
      pRel_block(&finished[t], k + 1);
    if (BUG != 4) ofence();  // a release orders no later persist of its own thread
  }
}

void scan_all(Header* header, const Shape& shape, bool commit) {
  std::vector<uint32_t> host(shape.elements() * shape.share);
  for (uint32_t i = 0; i < host.size(); ++i) host[i] = value_of(i);
  const DeviceArray<uint32_t> values(host);
  const uint32_t iterations = shape.iterations();
  for (uint32_t launch = 0, array = 0; launch < shape.launches; ++launch) {
    const uint32_t arrays = shape.arrays_after(launch) - array, first = array * shape.length;
    const bool complete = commit || launch + 1 < shape.launches;
    array += arrays;
    if (arrays == 0) continue;
    Sums sums = sums_in(header, shape);
    sums.words += first;
    scan<<<static_cast<int>(arrays), static_cast<int>(shape.length), shape.length * sizeof(uint32_t)>>>(
        sums, values + size_t(first) * shape.share, shape.share, complete ? iterations : iterations - 1);
    FINISH_KERNEL();
    if (complete) recoverable::settle_and_acknowledge(header, array);
  }
}

// The sums of the last two iterations: of the 2^(k+1) values up to the element.
void check_sums(Header* header, const Shape& shape) {
  const Sums sums = sums_in(header, shape);
  std::vector<uint32_t> want(shape.elements(), 0);
  for (uint32_t i = 0; i < want.size() * shape.share; ++i) want[i / shape.share] += value_of(i);
  for (uint32_t k = 0; k < shape.iterations(); ++k) {
    for (uint32_t i = shape.elements(); i-- > 0;)
      if (i % shape.length >= 1u << k) want[i] += want[i - (1u << k)];
    for (uint32_t i = 0; k + 2 >= shape.iterations() && i < want.size(); ++i)
      EXPECT(sums.of(k)[i] == word_of(k + 1, want[i]), "sum %u after %u iterations should be %u, is %u after %u", i,
             k + 1, want[i], sum_of(sums.of(k)[i]), iterations_of(sums.of(k)[i]));
  }
}

int run(const Options& options) {
  Header* header = recoverable::create_pool(options, kMagic);
  scan_all(header, options.shape, !options.stop_before_commit);
  gpm_persist_end();
  if (options.stop_before_commit) return PASS("stopped before the last iteration");
  check_sums(header, options.shape);
  return PASS("arrays=%u elements=%u", options.shape.arrays, options.shape.elements() * options.shape.share);
}

#ifdef ARTIFACT
__global__ void touch_last(Sums sums) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, word = last_word(sums, i);
  *static_cast<volatile uint32_t*>(&sums.of(iterations_of(word) + 1)[i]) = word;
  dfence();
}

int recover(const Options& options) {
  Shape shape;
  Header* header = recoverable::reopen_pool(options.recovered, kMagic, &shape);
  if (header == nullptr) return PASS("the pool was not created yet");
  touch_last<<<static_cast<int>(shape.arrays), static_cast<int>(shape.length)>>>(sums_in(header, shape));
  FINISH_KERNEL();
  return PASS("looked at %u sums", shape.elements());
}
#else
int recover(const Options& options) {
  Shape shape;
  Header* header = recoverable::reopen_pool(options.recovered, kMagic, &shape);
  if (header == nullptr) return PASS("the pool was not created yet");
  size_t durable = 0;
  for (uint32_t i = 0; i < shape.elements(); ++i) durable += iterations_of(last_word(sums_in(header, shape), i));
  uint32_t complete = 0;  // elements in front of the first that is not
  while (complete < shape.elements() &&
         iterations_of(last_word(sums_in(header, shape), complete)) == shape.iterations())
    ++complete;
  recoverable::expect_acknowledged(complete / shape.length, "arrays");
  scan_all(header, shape, true);
  check_sums(header, shape);
  return PASS("recovered: %zu of %zu iterations of threads were durable", durable,
              size_t(shape.iterations()) * shape.elements());
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const Options options = recoverable::parse<Shape>(argc, argv, "scan.pool", kPresets,
                                                    {{"--arrays", &Shape::arrays, 1 << 16},
                                                     {"--length", &Shape::length, 1024},
                                                     {"--share", &Shape::share, 8},
                                                     {"--launches", &Shape::launches, 1024}});
  if (options.recovered.empty() && options.shape.length < 2) {
    fprintf(stderr, "--length: at least 2 is expected, got %u\n", options.shape.length);
    return 2;
  }
  return options.recovered.empty() ? run(options) : recover(options);
}
