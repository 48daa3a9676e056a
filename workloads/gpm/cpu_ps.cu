// PS by threads of the host alone: ps.cu's prefix sums, with every partial and final sum in persistent memory.
//
//   cpu_ps [--arrays N] [--elements N] [--threads N] …
//   cpu_ps --recover FILE                  finish the work, check
//   --each 1: each final sum is flushed and fenced by itself, as in the published program of the CPU (whose partial
//   sums lie in DRAM; ours are flushed by lines); else lines are flushed when they are complete, and one fence follows
// The recovery relies on what ps.cu's does: a word says that a block's sums are durable, and the block is left out
// then; its total is read from the pool. deterministic: yes

// build: --trace-host
#include "cpu.h"
#include "ps.h"

namespace {

constexpr uint64_t kMagic = 0x50532d4350553031ull;
constexpr uint32_t kBlock = 256;  // elements of which one word says that their sums are durable

struct Shape {
  uint32_t arrays, elements, threads, each;
  uint32_t blocks() const { return (elements + kBlock - 1) / kBlock; }
  size_t sums_bytes() const { return bench::whole_lines(elements * sizeof(uint32_t)); }
  size_t done_bytes() const { return bench::whole_lines(blocks() * sizeof(uint32_t)); }
  size_t array_bytes() const { return 2 * (sums_bytes() + done_bytes()); }
};
constexpr bench::Presets<Shape> kPresets = {{4, 10000, 32, 0}, {1024, 1 << 20, 32, 0}, {2, 1100, 2, 0}};
using Options = bench::Options<Shape>;

struct Sums {
  uint32_t *partial, *partial_done, *final, *final_done;
};
Sums sums_of(const bench::CpuStore& store, const Shape& shape, uint32_t array) {
  const size_t offset = array * shape.array_bytes(), half = shape.sums_bytes() + shape.done_bytes();
  return {store.at<uint32_t>(offset), store.at<uint32_t>(offset + shape.sums_bytes()),
          store.at<uint32_t>(offset + half), store.at<uint32_t>(offset + half + shape.sums_bytes())};
}

// A thread's blocks: sums that were not durable are, then their words. `each`: `sum` itself makes them durable.
template <class Sum>
void sum_blocks(const Shape& shape, uint32_t* to, uint32_t* done, unsigned thread, bool each, Sum sum) {
  const bench::Part blocks =
      bench::part_of(shape.blocks(), thread, shape.threads, 16);  // words of one line: one thread
  for (size_t b = blocks.begin; b < blocks.end; ++b) {
    if (done[b] != 0) continue;
    const size_t first = b * kBlock, last = std::min<size_t>(first + kBlock, shape.elements);
    sum(b, first, last);
    if (!each) bench::flush_bytes(to + first, (last - first) * sizeof *to);
  }
  host_fence();
  for (size_t b = blocks.begin; b < blocks.end; ++b) done[b] = 1;
  if (blocks.begin != blocks.end) bench::persist_bytes(done + blocks.begin, (blocks.end - blocks.begin) * sizeof *done);
}

void sum_arrays(bench::CpuStore& store, const Shape& shape, bool finish) {
  std::vector<uint32_t> totals(shape.blocks()), values(shape.elements);
  host_barrier barrier(shape.threads);
  for (uint32_t array = static_cast<uint32_t>(store.state()); array < shape.arrays; ++array) {
    for (uint32_t i = 0; i < shape.elements; ++i) values[i] = bench::value_of(array, i);
    const Sums sums = sums_of(store, shape, array);
    const bool commit = finish || array + 1 < shape.arrays;
    const bench::Phase phase("sums");
    const int status = host_parallel(shape.threads, [&](unsigned thread) {
      sum_blocks(shape, sums.partial, sums.partial_done, thread, false, [&](size_t, size_t first, size_t last) {
        uint32_t sum = 0;
        for (size_t i = first; i < last; ++i) sums.partial[i] = sum += values[i];
      });
      const bench::Part blocks = bench::part_of(shape.blocks(), thread, shape.threads, 16);
      for (size_t b = blocks.begin; b < blocks.end; ++b)
        totals[b] = sums.partial[std::min<size_t>((b + 1) * kBlock, shape.elements) - 1];
      barrier.wait();
      if (thread == 0) {
        uint32_t before = 0;
        for (uint32_t& total : totals) {
          const uint32_t own = total;
          total = before;
          before += own;
        }
      }
      barrier.wait();
      if (!commit) return;
      sum_blocks(shape, sums.final, sums.final_done, thread, shape.each != 0, [&](size_t b, size_t first, size_t last) {
        for (size_t i = first; i < last; ++i) {
          sums.final[i] = totals[b] + sums.partial[i];
          if (shape.each != 0) bench::persist_bytes(&sums.final[i], sizeof(uint32_t));
        }
      });
      barrier.wait();
      if (thread == 0) store.set_state(array + 1);
    });
    REQUIRE(status == 0, "the threads should have run");
    if (commit) gpm_acknowledge(array + 1);
  }
}

void check_sums(const bench::CpuStore& store, const Shape& shape) {
  std::vector<uint32_t> partial(shape.elements), final(shape.elements);
  for (uint32_t array = 0; array < shape.arrays; ++array) {
    const Sums sums = sums_of(store, shape, array);
    memcpy(partial.data(), sums.partial, shape.elements * sizeof(uint32_t));
    memcpy(final.data(), sums.final, shape.elements * sizeof(uint32_t));
    uint32_t sum = 0, of_block = 0;
    for (uint32_t i = 0; i < shape.elements; ++i) {
      const uint32_t value = bench::value_of(array, i);
      of_block = (i % kBlock == 0 ? 0 : of_block) + value;
      sum += value;
      REQUIRE(partial[i] == of_block, "array %u: partial sum %u should be %u, is %u", array, i, of_block, partial[i]);
      REQUIRE(final[i] == sum, "array %u: sum %u should be %u, is %u", array, i, sum, final[i]);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = bench::parse<Shape>(argc, argv, "cpu_ps.pool", kPresets,
                                              {{"--arrays", &Shape::arrays, 1, 1 << 20},
                                               {"--elements", &Shape::elements, 1, 1 << 30},
                                               {"--threads", &Shape::threads, 1, 64},
                                               {"--each", &Shape::each, 0, 1}});
  if (options.recovered.empty()) {
    const Shape& shape = options.shape;
    bench::CpuStore store(options, kMagic, shape.arrays * shape.array_bytes());
    sum_arrays(store, shape, !options.stop_before_commit);
    if (options.stop_before_commit) return PASS("stopped before the last final sums");
    check_sums(store, shape);
    bench::print_phases({"sums"});
    return PASS("%u arrays of %u elements by %u threads", shape.arrays, shape.elements, shape.threads);
  }
  bench::CpuStore store(options.recovered, kMagic);
  if (!store.is_whole()) return PASS("the pool was not created yet");
  const Shape shape = store.shape<Shape>();
  const uint64_t found = store.state();
  bench::expect_acknowledged(found, "arrays");
  sum_arrays(store, shape, true);
  check_sums(store, shape);
  return PASS("recovered: %llu of %u arrays were summed", static_cast<unsigned long long>(found), shape.arrays);
}
