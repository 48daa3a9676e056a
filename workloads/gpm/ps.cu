// PS: prefix sums of many arrays, with every partial and final sum in persistent memory ("GPM", ASPLOS'22, sections 4.3
// and 5.4). The recovery is the same program: it skips blocks whose sums are durable.
//
//   ps [--arrays N] [--elements N] …     elements: of an array
//   ps --recover FILE                    finish the work, check
//   --stop-before-commit: all but the final sums of the last array
//
// What the recovery relies on. A block of threads sums its part of an array. When all its partial sums are durable, it
// stores its word of `done`. A sum may be any number, so a sum cannot mean "not done yet"; a word of `done` can. A
// recovery skips a block that is done, but reads its total from the pool for the blocks behind it. Final sums have such
// words, too. A recovery counts the blocks that it leaves out. If the host makes sums durable, it does so for a whole
// array. Then the recovery begins the array again. deterministic: yes
#include "ps.h"
#include "system.h"

namespace {

using bench::Phase;
using bench::Store;
using bench::value_of;

constexpr uint64_t kMagic = 0x50532d53474d3031ull;
constexpr unsigned kThreads = 256;

struct Shape {
  uint32_t arrays, elements, threads, system;
  uint32_t blocks() const { return bench::blocks_for(elements, threads); }
  size_t sums_bytes() const { return bench::whole_lines(elements * sizeof(uint32_t)); }
  size_t done_bytes() const { return bench::whole_lines(blocks() * sizeof(uint32_t)); }
  size_t array_bytes() const { return 2 * (sums_bytes() + done_bytes()); }
  size_t bytes() const { return arrays * array_bytes(); }
};
constexpr bench::Presets<Shape> kPresets = {{4, 10000, kThreads, 0}, {1024, 1 << 20, kThreads, 0}, {2, 44, 16, 0}};
using Options = bench::Options<Shape>;

// The data of one array in the pool.
struct Sums {
  uint32_t *partial, *partial_done, *final, *final_done;
};
template <class At>
Sums sums_at(const Shape& shape, size_t offset, At at) {
  return {at(offset), at(offset + shape.sums_bytes()), at(offset + shape.sums_bytes() + shape.done_bytes()),
          at(offset + 2 * shape.sums_bytes() + shape.done_bytes())};
}
Sums sums_of(const Store& store, const Shape& shape, uint32_t array) {
  return sums_at(shape, array * shape.array_bytes(), [&](size_t offset) { return store.kernels<uint32_t>(offset); });
}

// The sum of the block's values up to this thread's; every thread of the block calls it.
__device__ uint32_t sum_up_to_me(uint32_t value) {
  __shared__ uint32_t of_warp[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned step = 1; step < 32; step *= 2) {
    const uint32_t before = __shfl_up_sync(0xffffffffu, value, step);
    if (lane >= step) value += before;
  }
  if (lane == 31 || threadIdx.x == blockDim.x - 1) of_warp[warp] = value;
  __syncthreads();
  uint32_t earlier = 0;
  for (unsigned w = 0; w < warp; ++w) earlier += of_warp[w];
  __syncthreads();
  return earlier + value;
}

// True if the block's sums are durable since an earlier run. `last`: the block's last sum.
__device__ bool is_done(const uint32_t* done, const uint32_t* sums, unsigned last) {
  return BUG == 4 ? sums[last] != 0 : done[blockIdx.x] != 0;
}

// Waits until the block's sums are durable, then stores its word of `done`. `mine`: the thread's sum.
template <class Persist>
__device__ void finish_block(uint32_t* done, const uint32_t* mine, Persist persist) {
  if (BUG != 1) bench::persist_mine(persist, mine, sizeof *mine);
  if (BUG != 2) __syncthreads();
  if (threadIdx.x == 0) {
    done[blockIdx.x] = 1;  // @done
    bench::persist_mine(persist, &done[blockIdx.x], sizeof *done);
  }
}

template <class Persist>
__global__ void sum_parts(Sums sums, const uint32_t* values, unsigned count, uint32_t* totals, unsigned* left_out,
                          Persist persist) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned last = min(count, (blockIdx.x + 1) * blockDim.x) - 1;
  if (is_done(sums.partial_done, sums.partial, last)) {
    if (threadIdx.x == 0 && BUG != 3) totals[blockIdx.x] = sums.partial[last];
    if (threadIdx.x == 0) atomicAdd(left_out, 1u);
    return;
  }
  const uint32_t sum = sum_up_to_me(i < count ? values[i] : 0);
  if (i < count) sums.partial[i] = sum;  // @partial
  if (i == last) totals[blockIdx.x] = sum;
  finish_block(sums.partial_done, &sums.partial[i], persist);
}

// totals[b] becomes the sum of all totals before b. One block does it.
__global__ void sum_totals(uint32_t* totals, unsigned count) {
  __shared__ uint32_t carry;
  if (threadIdx.x == 0) carry = 0;
  for (unsigned first = 0; first < count; first += blockDim.x) {
    __syncthreads();
    const unsigned b = first + threadIdx.x;
    const uint32_t own = b < count ? totals[b] : 0, sum = sum_up_to_me(own), before = carry;
    if (b < count) totals[b] = before + sum - own;
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) carry = before + sum;
  }
}

template <class Persist>
__global__ void sum_all(Sums sums, unsigned count, const uint32_t* totals, unsigned* left_out, Persist persist) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (is_done(sums.final_done, sums.final, min(count, (blockIdx.x + 1) * blockDim.x) - 1)) {
    if (threadIdx.x == 0) atomicAdd(left_out, 1u);
    return;
  }
  if (i < count) sums.final[i] = totals[blockIdx.x] + sums.partial[i];  // @final
  finish_block(sums.final_done, &sums.final[i], persist);
}

// Sums the arrays from number `array` on. Returns the number of blocks that were done before.
unsigned sum_arrays(Store& store, const Shape& shape, uint64_t first, bool finish) {
  DeviceArray<uint32_t> totals(shape.blocks(), 0xff);
  DeviceArray<unsigned> left_out(1, 0);
  for (uint32_t array = static_cast<uint32_t>(first); array < shape.arrays; ++array) {
    std::vector<uint32_t> values(shape.elements);
    for (uint32_t i = 0; i < shape.elements; ++i) values[i] = value_of(array, i);
    const DeviceArray<uint32_t> on_device(values);
    const Sums sums = sums_of(store, shape, array);
    const Phase phase("sums");
    store.with_persists([&](auto persist) {
      sum_parts<<<shape.blocks(), shape.threads>>>(sums, on_device, shape.elements, totals, left_out, persist);
    });
    sum_totals<<<1, shape.threads>>>(totals, shape.blocks());
    if (!finish && array + 1 == shape.arrays) break;
    store.with_persists([&](auto persist) {
      sum_all<<<shape.blocks(), shape.threads>>>(sums, shape.elements, totals, left_out, persist);
    });
    store.persist_results(array * shape.array_bytes(), shape.array_bytes());
    store.commit(array + 1, array + 1);
  }
  FINISH_KERNEL();
  return left_out.download()[0];
}

// The number of blocks that are done, in the arrays from number `first` on.
unsigned blocks_done(const Store& store, const Shape& shape, uint64_t first) {
  unsigned found = 0;
  for (uint32_t array = static_cast<uint32_t>(first); array < shape.arrays; ++array) {
    const Sums sums = sums_at(shape, array * shape.array_bytes(),
                              [&](size_t offset) { return const_cast<uint32_t*>(store.host<uint32_t>(offset)); });
    for (unsigned b = 0; b < shape.blocks(); ++b) found += (sums.partial_done[b] != 0) + (sums.final_done[b] != 0);
  }
  return found;
}

void check_sums(const Store& store, const Shape& shape) {
  for (uint32_t array = 0; array < shape.arrays; ++array) {
    const auto at = [&](size_t offset) { return store.host<uint32_t>(offset); };
    const size_t offset = array * shape.array_bytes();
    const uint32_t *partial = at(offset), *final = at(offset + shape.sums_bytes() + shape.done_bytes());
    uint32_t sum = 0, of_block = 0;
    for (uint32_t i = 0; i < shape.elements; ++i) {
      of_block = (i % shape.threads == 0 ? 0 : of_block) + value_of(array, i);
      sum += value_of(array, i);
      EXPECT(partial[i] == of_block, "array %u: partial sum %u should be %u, is %u", array, i, of_block, partial[i]);
      EXPECT(final[i] == sum, "array %u: sum %u should be %u, is %u", array, i, sum, final[i]);
    }
  }
}

int run(Options options) {
  options.shape.system = static_cast<uint32_t>(options.system);
  const Shape& shape = options.shape;
  Store store(options, kMagic, shape.bytes());
  store.begin_work();
  sum_arrays(store, shape, 0, !options.stop_before_commit);
  store.end();
  if (options.stop_before_commit) return PASS("stopped before the last final sums");
  check_sums(store, shape);
  bench::print_phases({"sums"});
  return PASS("%s: %u arrays of %u elements", bench::kSystemNames[shape.system], shape.arrays, shape.elements);
}

int recover(const Options& options) {
  Store store(options.recovered, kMagic, options.system, true, options.ddio);
  if (!store.is_whole()) return PASS("the pool was not created yet");
  const Shape shape = store.shape<Shape>();
  bench::require_system(options.recovered, shape.system, options.system);
  const uint64_t found = BUG == 5 ? 0 : store.state();
  bench::expect_acknowledged(found, "arrays");
  if (!bench::kernels_persist(options.system) &&
      found < shape.arrays)  // which blocks are done is not known: from its first block
    CUDA(cudaMemset(store.kernels<char>(found * shape.array_bytes()), 0, shape.array_bytes()));
  const unsigned done = bench::kernels_persist(options.system) ? blocks_done(store, shape, found) : 0;
  const unsigned left_out = sum_arrays(store, shape, found, true);
  EXPECT(left_out == done, "%u blocks were done and should be left out, %u were", done, left_out);
  check_sums(store, shape);
  bench::print_phases({"sums"});
  return PASS("recovered: %llu of %u arrays were summed", static_cast<unsigned long long>(found), shape.arrays);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = bench::parse<Shape>(argc, argv, "ps.pool", kPresets,
                                              {{"--arrays", &Shape::arrays, 1, 1 << 20},
                                               {"--elements", &Shape::elements, 1, 1 << 30},
                                               {"--threads", &Shape::threads, 1, 1024}});
  return options.recovered.empty() ? run(options) : recover(options);
}
