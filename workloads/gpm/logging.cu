// Measures how long many threads take to log an entry each ("GPM", ASPLOS'22, figure 11b), in an HCL log or in a
// conventional log. Then every entry is read back.
//
//   logging [--threads N] [--rounds N] [--pool FILE]
//           [--bytes N]                                   the size of an entry
//           [--ddio]                                      DDIO stays on
//           [--share N]                                   a conventional log; N threads share a partition. 0: HCL
// deterministic: yes
#include "system.h"

namespace {

constexpr unsigned kBlock = 256, kMostBytes = 256;

struct Shape {
  uint32_t threads, bytes, rounds, share;
  __host__ __device__ bench::LogShape log() const { return {size_t(bytes) * rounds, threads, kBlock, share}; }
};
constexpr bench::Presets<Shape> kPresets = {{1024, 16, 2, 0}, {65536, 16, 1, 0}, {64, 16, 2, 0}};
using Options = bench::Options<Shape>;

// Fills an entry: the thread's number and the round, and words that follow from both.
__device__ void fill(unsigned* words, uint32_t count, uint32_t thread, uint32_t round) {
  words[0] = thread * 8 + round;
  for (uint32_t w = 1; w < count; ++w) words[w] = static_cast<unsigned>(bench::mix(words[0] * 64ull + w));
}

__global__ void insert(gpmlog* log, Shape shape, uint32_t round, unsigned* refused) {
  const uint32_t thread = blockIdx.x * kBlock + threadIdx.x;
  if (thread >= shape.threads) return;
  unsigned words[kMostBytes / 4];
  fill(words, shape.bytes / 4, thread, round);
  if (gpmlog_insert(log, words, shape.bytes, shape.log().partition_of(thread)) != gpmlog_ok) atomicAdd(refused, 1u);
}
// Removes the partition's entries, and counts for each thread and round those whose words are right (`seen`).
__global__ void take(gpmlog* log, Shape shape, unsigned* seen) {
  const int partition = bench::partition_of_thread(shape.log());
  unsigned found[kMostBytes / 4], want[kMostBytes / 4];
  while (gpmlog_read(log, found, shape.bytes, partition) == gpmlog_ok) {
    fill(want, shape.bytes / 4, found[0] / 8, found[0] % 8);
    bool same = found[0] / 8 < shape.threads && found[0] % 8 < shape.rounds;
    for (uint32_t w = 0; w < shape.bytes / 4; ++w) same &= found[w] == want[w];
    if (same) atomicAdd(&seen[found[0]], 1u);
    if (gpmlog_remove(log, shape.bytes, partition) != gpmlog_ok) return;
  }
}

int run(const Options& options) {
  const Shape& shape = options.shape;
  if (!options.ddio) gpm_persist_begin();
  gpmlog* log = shape.log().create(options.pool);
  EXPECT(log != nullptr, "the log should have been created");
  DeviceArray<unsigned> refused(1, 0), seen(size_t(shape.threads) * 8, 0);
  for (uint32_t round = 0; round < shape.rounds; ++round) {
    const bench::Phase phase("insert");
    insert<<<shape.log().blocks(), kBlock>>>(log, shape, round, refused);
  }
  FINISH_KERNEL();
  take<<<shape.log().blocks(), kBlock>>>(log, shape, seen);
  FINISH_KERNEL();
  EXPECT(refused.download()[0] == 0, "the log should have room, refused %u", refused.download()[0]);
  const std::vector<unsigned> times = seen.download();
  for (size_t i = 0; i < times.size(); ++i)
    EXPECT(times[i] == (i % 8 < shape.rounds), "entry %zu of thread %zu should be there %d times, is %u", i % 8, i / 8,
           i % 8 < shape.rounds, times[i]);
  EXPECT(gpmlog_close(log) == 0, "the log should have been closed");
  if (!options.ddio) gpm_persist_end();
  bench::print_phases({"insert"});
  return PASS("%u threads inserted %u entries of %u bytes each", shape.threads, shape.rounds, shape.bytes);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = bench::parse<Shape>(argc, argv, "logging.pool", kPresets,
                                              {{"--threads", &Shape::threads, 1, 1 << 24},
                                               {"--bytes", &Shape::bytes, 4, kMostBytes},
                                               {"--rounds", &Shape::rounds, 1, 8},
                                               {"--share", &Shape::share, 0, 1 << 24}});
  if (options.shape.bytes % 4 != 0 || !options.recovered.empty()) {
    fprintf(stderr, "%s: entries have whole words of 4 bytes, and nothing is recovered\n", argv[0]);
    return 2;
  }
  return run(options);
}
