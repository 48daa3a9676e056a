// Red: the sum of an array, with every thread's partial sum in a persistent pool. After "SBRP" (ASPLOS'23, figures 2
// and 3): each thread adds its share of the array, a block sums those as a tree; a thread that has its sum persists it
// and releases a flag at block scope, on which the thread that needs the sum acquires. The block's sum is released at
// device scope, and the block that finishes last acquires all of them and sums them the same way. Recovery is native:
// the same kernel again.
//
//   red [--launches N] [--elements N] [--blocks N] [--threads N] [--pool FILE]
//                                           create the pool, sum every launch's array of so many elements, check
//   red --recover FILE                      finish the work, check
//   --stop-before-commit: all but the final reduction of the last launch
//
// What recovery relies on. A launch whose total is durable has nothing to do, a block whose sum is durable neither, and
// a thread whose partial sum is durable only releases its flag. So a total may be durable only after all partial sums
// of the launch (device scope), and a released block sum only after those of its block (block scope). Sums are kept
// plus one: a new pool's zeros mean "not yet". A thread's own word in the pool is for its data, the released word is
// for the acquirer: of a flag's own persist the model says nothing to the acquirer.
// deterministic: yes
#include "recoverable.h"

namespace {

using recoverable::Header;

constexpr uint64_t kMagic = 0x5342525052643031ull;
constexpr uint32_t kEmpty = 0;
#ifdef ARTIFACT
constexpr bool kLooks = false;  // its kernel looks for durable sums in recoveries alone, and those stop before it
#else
constexpr bool kLooks = true;
#endif

struct Shape {
  uint32_t launches, elements, blocks, threads;  // elements: of a launch
  uint32_t parts() const { return blocks * threads; }
  size_t part_bytes() const { return recoverable::whole_lines(parts() * sizeof(uint32_t)); }
  size_t blocks_bytes() const { return recoverable::whole_lines(blocks * sizeof(uint32_t)); }
  size_t final_bytes() const { return recoverable::whole_lines(threads * sizeof(uint32_t)); }
  size_t launch_bytes() const { return part_bytes() + blocks_bytes() + final_bytes(); }
  size_t bytes() const { return launches * launch_bytes(); }
};
constexpr recoverable::Presets<Shape> kPresets = {{1, 1 << 22, 4096, 1024}, {16, 1 << 18, 60, 512}, {2, 200, 4, 16}};
using Options = recoverable::Options<Shape>;

// What a launch keeps in the pool: a partial sum a thread, the released sum of each block, the partial sums of the
// final reduction, of which the first is the total. All plus one. A value; the pool outlives it.
struct Sums {
  uint32_t* partial;
  uint32_t* released;
  uint32_t* final;
};
Sums sums_in(Header* header, const Shape& shape, uint32_t launch) {
  char* at = reinterpret_cast<char*>(header + 1) + launch * shape.launch_bytes();
  return {reinterpret_cast<uint32_t*>(at), reinterpret_cast<uint32_t*>(at + shape.part_bytes()),
          reinterpret_cast<uint32_t*>(at + shape.part_bytes() + shape.blocks_bytes())};
}

__host__ __device__ uint32_t value_of(uint32_t launch, uint32_t i) {
  return static_cast<uint32_t>(recoverable::mix(uint64_t(launch) << 32 | i) & 255);  // zero is one of the values
}

// The sum of another thread of the block, once it has been released.
__device__ uint32_t await(const uint32_t* sums, uint32_t* ready, uint32_t other, uint32_t round) {
  if (BUG == 3) {
    while (*static_cast<volatile uint32_t*>(&ready[other]) < round) {  // @plain_wait
    }
  } else {
    while (pAcq_block(&ready[other]) < round) {
    }
  }
  return sums[other] - 1;
}

__device__ void persist(uint32_t* sums, uint32_t* ready, uint32_t sum, uint32_t round) {
  const uint32_t t = threadIdx.x;
  if (BUG == 4) pRel_block(&ready[t], round);                       // @flag_early
  if (!kLooks || sums[t] == kEmpty || BUG == 7) sums[t] = sum + 1;  // @sum
  if (BUG == 5)
    *static_cast<volatile uint32_t*>(&ready[t]) = round;  // @plain_flag
  else if (BUG != 4)
    pRel_block(&ready[t], round);
}

// The block's tree: thread t has t + n/2, t + n/4 … as children while it is below the stride. The last levels are
// within a warp, whose lanes meet before they acquire, so that none spins for a lane of its own warp. Flags count
// rounds.
__device__ void reduce(uint32_t* sums, uint32_t sum, uint32_t* ready, uint32_t round) {
  const uint32_t t = threadIdx.x;
  const bool durable = kLooks && BUG != 7 && sums[t] != kEmpty;
  if (BUG == 7 && sums[t] != kEmpty) sum += sums[t] - 1;
  uint32_t stride = blockDim.x / 2;
  for (; stride >= warpSize && stride > t; stride /= 2)
    if (!durable) sum += await(sums, ready, t + stride, round);
  if (t >= warpSize) return persist(sums, ready, sum, round);
  for (; stride > 0; stride /= 2) {
    if (t >= stride && t < 2 * stride) persist(sums, ready, sum, round);
    __syncwarp();
    if (t < stride && !durable) sum += await(sums, ready, t + stride, round);
  }
  if (t == 0) persist(sums, ready, sum, round);
}

__device__ uint32_t acquire_block_sum(uint32_t* released) {
  uint32_t sum;
  while ((sum = BUG == 2 || BUG == 8 ? pAcq_block(released) : pAcq_dev(released)) == kEmpty) {  // @acquire
  }
  return sum - 1;
}

// A thread's share of the array: neighbours read neighbours.
__device__ uint32_t sum_of_share(const uint32_t* values, uint32_t elements) {
  uint32_t sum = 0;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x) sum += values[i];
  return sum;
}

__global__ void reduction(Sums sums, const uint32_t* values, uint32_t elements, uint32_t* arrivals, bool finish) {
  extern __shared__ uint32_t ready[];
  __shared__ bool last;
  const uint32_t t = threadIdx.x, first = blockIdx.x * blockDim.x;
  uint32_t* released = &sums.released[blockIdx.x];
  const bool finished = kLooks && *released != kEmpty;
  ready[t] = 0;
  __syncthreads();
  if (!finished) {
    reduce(sums.partial + first, sum_of_share(values, elements), ready, 1);
    if (t == 0) {
      const uint32_t sum = sums.partial[first];
      if (BUG == 1 || BUG == 8)
        pRel_block(released, sum);  // @narrow
      else if (BUG == 6)
        *static_cast<volatile uint32_t*>(released) = sum;  // @plain_sum
      else
        pRel_dev(released, sum);  // @released
    }
  }
  // Who comes last has no one left to wait for: with the acquires it hardly ever spins.
  if (t == 0) last = atomicAdd(arrivals, 1) == gridDim.x - 1;
  __syncthreads();
  if (!last || !finish) return;
  uint32_t sum = 0;
  for (uint32_t block = t; block < gridDim.x; block += blockDim.x) sum += acquire_block_sum(&sums.released[block]);
  reduce(sums.final, sum, ready, 2);
}

std::vector<uint32_t> values_of(const Shape& shape, uint32_t launch) {
  std::vector<uint32_t> values(shape.elements);
  for (uint32_t i = 0; i < values.size(); ++i) values[i] = value_of(launch, i);
  return values;
}

// All launches whose total is not durable.
uint32_t sum_all(Header* header, const Shape& shape, bool finish_last) {
  uint32_t launched = 0;
  for (uint32_t launch = 0; launch < shape.launches; ++launch) {
    const Sums sums = sums_in(header, shape, launch);
    if (sums.final[0] != kEmpty) continue;
    const DeviceArray<uint32_t> values(values_of(shape, launch));
    DeviceArray<uint32_t> arrivals(1, 0);
#ifdef ARTIFACT  // its host copies values into the block sums before it begins: the L2 has their sectors whole
    CUDA(cudaMemset(sums.released, 0, shape.blocks_bytes()));
#endif
    reduction<<<static_cast<int>(shape.blocks), static_cast<int>(shape.threads), shape.threads * sizeof(uint32_t)>>>(
        sums, values, shape.elements, arrivals, finish_last || launch + 1 < shape.launches);
    FINISH_KERNEL();
    if (finish_last || launch + 1 < shape.launches) recoverable::settle_and_acknowledge(header, launch + 1);
    ++launched;
  }
  return launched;
}

// What the tree must leave: each element plus those of its children.
std::vector<uint32_t> tree(std::vector<uint32_t> sums) {
  for (size_t stride = sums.size() / 2; stride > 0; stride /= 2)
    for (size_t t = 0; t < stride; ++t) sums[t] += sums[t + stride];
  return sums;
}

void check_tree(const std::vector<uint32_t>& want, const uint32_t* got, const char* what, uint32_t index) {
  for (size_t t = 0; t < want.size(); ++t)
    EXPECT(got[t] == want[t] + 1, "%s %u: sum %zu should be %u, is %s%u", what, index, t, want[t],
           got[t] == kEmpty ? "not there, " : "", got[t] - 1);
}

void check_sums(Header* header, const Shape& shape) {
  for (uint32_t launch = 0; launch < shape.launches; ++launch) {
    const Sums sums = sums_in(header, shape, launch);
    std::vector<uint32_t> shares(shape.parts(), 0);
    for (uint32_t i = 0; i < shape.elements; ++i) shares[i % shape.parts()] += value_of(launch, i);
    std::vector<uint32_t> finals(shape.threads, 0);
    for (uint32_t block = 0; block < shape.blocks; ++block) {
      const auto begin = shares.begin() + block * shape.threads;
      const std::vector<uint32_t> want = tree({begin, begin + shape.threads});
      check_tree(want, sums.partial + block * shape.threads, "block", block);
      EXPECT(sums.released[block] == want[0] + 1 || sums.released[block] == kEmpty,
             "block %u should have released %u, released %u", block, want[0], sums.released[block] - 1);
      finals[block % shape.threads] += want[0];
    }
    check_tree(tree(finals), sums.final, "launch", launch);
  }
}

int run(const Options& options) {
  const Shape& shape = options.shape;
  Header* header = recoverable::create_pool(options, kMagic);
  FINISH_KERNEL();
  sum_all(header, shape, !options.stop_before_commit);
  gpm_persist_end();
  if (options.stop_before_commit) return PASS("stopped before the final reduction");
  check_sums(header, shape);
  return PASS("launches=%u elements=%u", shape.launches, shape.launches * shape.elements);
}

#ifdef ARTIFACT
__global__ void look(const uint32_t* partial, uint32_t* missing) {
  if (partial[threadIdx.x] == kEmpty) atomicAdd(missing, 1);
}

int recover(const Options& options) {
  Shape shape;
  Header* header = recoverable::reopen_pool(options.recovered, kMagic, &shape);
  if (header == nullptr) return PASS("the pool was not created yet");
  DeviceArray<uint32_t> missing(1, 0);
  look<<<static_cast<int>(shape.blocks), static_cast<int>(shape.threads)>>>(sums_in(header, shape, 0).partial, missing);
  FINISH_KERNEL();
  return PASS("looked: %u sums are missing", missing.download()[0]);
}
#else
int recover(const Options& options) {
  Shape shape;
  Header* header = recoverable::reopen_pool(options.recovered, kMagic, &shape);
  if (header == nullptr) return PASS("the pool was not created yet");
  uint32_t durable = 0;
  while (durable < shape.launches && sums_in(header, shape, durable).final[0] != kEmpty) ++durable;
  recoverable::expect_acknowledged(durable, "launches");
  const uint32_t launched = sum_all(header, shape, true);
  check_sums(header, shape);
  return PASS("recovered: %u of %u launches had no total yet", launched, shape.launches);
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const Options options = recoverable::parse<Shape>(argc, argv, "red.pool", kPresets,
                                                    {{"--launches", &Shape::launches, 4096},
                                                     {"--elements", &Shape::elements, 1 << 24},
                                                     {"--blocks", &Shape::blocks, 1 << 16},
                                                     {"--threads", &Shape::threads, 1024}});
  if (options.recovered.empty() && (options.shape.threads & (options.shape.threads - 1)) != 0) {
    fprintf(stderr, "--threads: a power of two is expected, got %u\n", options.shape.threads);
    return 2;
  }
  return options.recovered.empty() ? run(options) : recover(options);
}
