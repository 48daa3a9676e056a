// A key-value store on the host's cores alone, in persistent memory. gpKVS is compared with it ("GPM", ASPLOS'22,
// figure 1a, which has three stores of other authors). It has sets of eight slots, like gpKVS. Each core serves its own
// requests, one after the other, with a write-ahead log of its own:
//
//   read the set, find the slot     eight slots: two lines
//   append the log entry, flush     what the slot held
//   store the pair, flush
//
//   cpu_kvs [--pairs N] [--threads N] [--sets N] [--pool FILE]     SETs; cores that serve them
// All keys are different, and each pair goes into a free slot. deterministic: yes
#include "system.h"

namespace {

constexpr unsigned kWays = 8;
constexpr size_t kLine = 64;
constexpr double kHashing = 20;  // ns, assumed: a multiplicative hash and eight comparisons, some 60 cycles

struct Slot {
  uint64_t key, value;
};
struct LogEntry {
  uint64_t key, value, slot, valid;
};
struct Shape {
  uint32_t pairs, threads, sets;
  size_t bytes() const { return size_t(sets) * kWays * sizeof(Slot); }
};
constexpr bench::Presets<Shape> kPresets = {{1024, 16, 4096}, {1 << 21, 64, 1 << 25}, {64, 4, 64}};

// The place of each pair: the first free slot of its set. If the set is full, the pair is left out.
struct Placed {
  std::vector<Slot> pairs;
  std::vector<uint64_t> slots;
  explicit Placed(const Shape& shape) {
    std::vector<uint8_t> used(shape.sets, 0);
    for (uint64_t i = 0; pairs.size() < shape.pairs; ++i) {
      const uint64_t key = bench::mix(i + 1) | 1, set = bench::mix(key) % shape.sets;
      if (used[set] == kWays) continue;
      slots.push_back(set * kWays + used[set]++);
      pairs.push_back({key, bench::mix(key + 7)});
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = bench::parse<Shape>(argc, argv, "cpu_kvs.pool", kPresets,
                                           {{"--pairs", &Shape::pairs, 1, 1 << 24},
                                            {"--threads", &Shape::threads, 1, 1024},
                                            {"--sets", &Shape::sets, 1, 1 << 28}});
  const Shape& shape = options.shape;
  const char* path = options.pool.c_str();
  if (!options.recovered.empty() || shape.pairs > uint64_t(shape.sets) * kWays) {
    fprintf(stderr, "%s: nothing is recovered, and the store needs a slot for each pair\n", argv[0]);
    return 2;
  }
  const Placed placed(shape);
  const size_t log_bytes = (size_t(shape.pairs) / shape.threads + 1) * sizeof(LogEntry);  // of a core
  const size_t log_stride = bench::whole_lines(log_bytes), bytes = shape.bytes() + log_stride * shape.threads;
  char* const pool = static_cast<char*>(host_map(path, bytes, true));
  EXPECT(pool != nullptr, "%s should be mapped", path);
  // Each core's own lines: the set that it reads, the log entry and the pair that it stores.
  std::vector<char> own(2 * kLine * shape.threads);
  std::vector<LogEntry> entries(shape.pairs);
  std::vector<cudaStream_t> cores(shape.threads);
  for (cudaStream_t& core : cores) CUDA(cudaStreamCreateWithFlags(&core, cudaStreamNonBlocking));
  cudaEvent_t begun, ended;
  CUDA(cudaEventCreate(&begun));
  CUDA(cudaEventCreate(&ended));
  EXPECT(measure_begin("batch") == 0, "the batch should be measured");
  CUDA(cudaEventRecord(begun, nullptr));
  for (cudaStream_t core : cores) CUDA(cudaStreamWaitEvent(core, begun, 0));
  for (uint32_t i = 0; i < shape.pairs; ++i) {
    const uint32_t thread = i % shape.threads;
    cudaStream_t core = cores[thread];
    char* const to = pool + placed.slots[i] * sizeof(Slot);
    char* const log = pool + shape.bytes() + thread * log_stride + i / shape.threads * sizeof(LogEntry);
    entries[i] = {0, 0, placed.slots[i], 1};  // the slot was free
    const bool queued =
        host_copy(&own[2 * kLine * thread], pool + placed.slots[i] / kWays * kWays * sizeof(Slot), 2 * kLine, 1,
                  core) == 0 &&
        host_compute(kHashing, 1, core) == 0 && host_copy(log, &entries[i], sizeof entries[i], 1, core) == 0 &&
        host_persist(log, sizeof entries[i], 1, core) == 0 &&
        host_copy(to, &placed.pairs[i], sizeof(Slot), 1, core) == 0 && host_persist(to, sizeof(Slot), 1, core) == 0;
    EXPECT(queued, "request %u should have been queued", i);
  }
  for (cudaStream_t core : cores) {
    CUDA(cudaEventRecord(ended, core));
    CUDA(cudaStreamWaitEvent(nullptr, ended, 0));
  }
  EXPECT(measure_end("batch") == 0, "the batch should be measured");
  CUDA(cudaDeviceSynchronize());
  const Slot* slots = reinterpret_cast<const Slot*>(pool);
  for (uint32_t i = 0; i < shape.pairs; ++i) {
    const Slot& found = slots[placed.slots[i]];
    EXPECT(found.key == placed.pairs[i].key && found.value == placed.pairs[i].value, "pair %u should be in slot %llu",
           i, static_cast<unsigned long long>(placed.slots[i]));
  }
  for (cudaStream_t core : cores) CUDA(cudaStreamDestroy(core));
  EXPECT(host_unmap(path, pool, bytes) == 0, "%s should be unmapped", path);
  bench::print_phases({"batch"});
  return PASS("%u SETs by %u cores", shape.pairs, shape.threads);
}
