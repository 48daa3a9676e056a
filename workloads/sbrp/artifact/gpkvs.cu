// gpKVS as the artifact of "SBRP" (ASPLOS'23) has it; gpkvs.cu is this file with -DARTIFACT. Four threads a pair; a
// bucket has a line of its own with four signatures and four values, and a signature has two buckets; 16 blocks, each
// with buckets of its own, take 128 pairs a round, between barriers of the block. A thread claims a slot by writing the
// signature, looks after a barrier whether the claim stood, then logs the slot, writes the value and waits until it is
// durable. The log (log.h) has a partition a pair, behind partition 0.
//
//   gpkvs [--pairs N] [--batches N] [--blocks N] [--threads N] [--pool FILE]    create the pool, insert all, check
//   gpkvs --recover FILE [--resume]    undo what was not committed, check; then insert the missing batches
//   --stop-before-commit: all of the last batch but its commit, the longest log that a crash can leave
//
// How a batch becomes atomic. The pool's state is 2b while b batches are committed and none is open, 2b + 1 while batch
// b is open; it changes between kernels. A slot holds a pair when it has a signature and a value that is not 0: a claim
// alone holds nothing, and the same pair finds it again. A value is written behind its slot's log entry. The log is
// emptied before a batch opens and undone while one is open, entry by entry, before the state changes. The published
// program leaves claims without an entry to chance; its recovery clears signatures that were there before and applies
// entries that were never written.
// deterministic: yes
#include "log.h"

namespace {

using artifact::Log;
using artifact::LogHandle;
using artifact::LogHeader;
using recoverable::Header;
using recoverable::mix;
using recoverable::set_state;

constexpr uint32_t kWays = 4, kBucketsAPair = 16;
constexpr uint64_t kMagic = 0x67704b5653423032ull;

struct alignas(128) Bucket {
  uint32_t signature[kWays], value[kWays];
};
struct Entry {  // of the log: a slot and what it held
  uint32_t way, signature, bucket, value;
};
struct Shape {
  uint32_t pairs, batches, blocks, threads;
  uint32_t pairs_per_block() const { return (pairs + batches * blocks - 1) / (batches * blocks); }
  uint32_t pairs_per_batch() const { return pairs_per_block() * blocks; }
  uint32_t buckets_per_block() const {  // a power of two
    uint32_t buckets = 1;
    while (buckets < pairs_per_block() * batches * kBucketsAPair) buckets *= 2;
    return buckets;
  }
  uint32_t partitions() const { return 1 + pairs_per_batch(); }
  size_t log_bytes() const { return artifact::log_bytes(partitions(), sizeof(Entry)); }
  size_t bytes() const { return log_bytes() + size_t(blocks) * buckets_per_block() * sizeof(Bucket); }
};
constexpr recoverable::Presets<Shape> kPresets = {{65536, 1, 16, 512}, {65536, 1, 16, 512}, {48, 3, 2, 32}};
using Options = recoverable::Options<Shape>;

// The parts of a pool: header, log, buckets. A value; the pool outlives it.
struct Store {
  Header* header;
  LogHeader* log;
  Bucket* buckets;
};
Store store_in(Header* header, const Shape& shape) {
  char* at = reinterpret_cast<char*>(header + 1);
  return {header, reinterpret_cast<LogHeader*>(at), reinterpret_cast<Bucket*>(at + shape.log_bytes())};
}

struct Pair {
  uint32_t signature, bucket, value;  // bucket: the first of its two, within its block's
};
// Pair i of a batch. Signatures are all different: multiplication by an odd number is a permutation.
Pair pair_of(uint32_t batch, uint32_t i, uint32_t pairs_per_batch, uint32_t buckets) {
  const uint32_t signature = (batch * pairs_per_batch + i + 1) * 2654435761u;
  const uint64_t dice = mix(signature);
  return {signature, static_cast<uint32_t>(dice % buckets), static_cast<uint32_t>(dice >> 32) | 1};
}
__host__ __device__ uint32_t second_bucket(const Pair& pair, uint32_t buckets) {
  return (pair.bucket ^ pair.signature) & (buckets - 1);
}

// Four threads and their pair's way into one bucket of it.
struct Attempt {
  Bucket* buckets;
  const Log* log;
  const Pair* pair;                  // read where it is asked for: the published program keeps no copy
  uint32_t bucket, partition, lane;  // lane: of the four
  unsigned mask;                     // the four in their warp
  bool done, failed;

  __device__ Bucket& slots() const { return buckets[bucket]; }
  __device__ unsigned vote(bool mine) const { return __ballot_sync(mask, mine) >> (__ffs(mask) - 1) & 0xf; }
  __device__ void put(uint32_t old_signature) {
    const Entry entry = {lane, old_signature, bucket, slots().value[lane]};
    artifact::write_log(log, &entry, partition);
    slots().value[lane] = pair->value;
    dfence();
  }
  /// The signature may stand there already.
  __device__ void update() {
    const unsigned same = vote(slots().signature[lane] == pair->signature);
    if (done || same == 0) return;
    if (lane == __ffs(same) - 1) put(pair->signature);
    done = true;
  }
  /// Until the pair is in or the bucket is full. By all threads of the block.
  __device__ void insert(uint32_t signature) {
    failed = false;
    const unsigned before = (1u << pair->signature % kWays) - 1;
    for (;;) {
      uint32_t chosen = 0;
      if (!done && !failed) {
        const unsigned free = vote(slots().signature[lane] == 0);
        const unsigned later = free & ~before;
        failed = free == 0;
        chosen = __ffs(later ? later : free) - 1;
        if (lane == chosen) slots().signature[lane] = signature;
      }
      if (__syncthreads_and(done || failed)) return;
      if (!done && !failed && slots().signature[chosen] == signature) {
        if (lane == chosen) put(0);
        done = true;
      }
    }
  }
};

__global__ void __launch_bounds__(512)
    insert(Bucket* buckets, const Log* log, const Pair* pairs, uint32_t pairs_per_block, uint32_t buckets_per_block) {
  const uint32_t t = threadIdx.x, first_bucket = blockIdx.x * buckets_per_block, first = blockIdx.x * pairs_per_block;
  for (uint32_t round = 0; round < pairs_per_block; round += blockDim.x / kWays) {
    __syncthreads();  // the published program clears its counters between these two
    __syncthreads();
    const bool any = round + t / kWays < pairs_per_block;
    const uint32_t i = first + (any ? round + t / kWays : 0);
    const Pair* pair = &pairs[i];
    const uint32_t signature = pair->signature;
    Attempt attempt = {
        buckets, log,  pair, first_bucket + pair->bucket, 1 + i, t % kWays, 0xfu << (t % 32 & ~(kWays - 1)),
        !any,    false};
    attempt.update();
    attempt.insert(signature);
    attempt.bucket = first_bucket + second_bucket(*pair, buckets_per_block);
    attempt.update();
    attempt.insert(signature);
  }
  dfence();
}

__global__ void undo(Bucket* buckets, const Log* log, int* undone) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= static_cast<uint32_t>(log->header->partitions)) return;
  Entry entry = {};
  if (artifact::read_log(log, &entry, i) == 0) return;
  buckets[entry.bucket].signature[entry.way] = entry.signature;
  buckets[entry.bucket].value[entry.way] = entry.value;
  dfence();
  atomicAdd(undone, 1);
}

void insert_batch(const Store& store, LogHandle& log, const Shape& shape, uint32_t batch, bool commit) {
  std::vector<Pair> pairs;
  for (uint32_t i = 0; i < shape.pairs_per_batch(); ++i)
    pairs.push_back(pair_of(batch, i, shape.pairs_per_batch(), shape.buckets_per_block()));
  const DeviceArray<Pair> on_device(pairs);
  log.clear();
  set_state<<<1, 1>>>(store.header, 2ull * batch + 1);
  insert<<<static_cast<int>(shape.blocks), static_cast<int>(shape.threads)>>>(
      store.buckets, log.get(), on_device, shape.pairs_per_block(), shape.buckets_per_block());
  if (commit) set_state<<<1, 1>>>(store.header, 2ull * batch + 2);
  FINISH_KERNEL();
  if (commit) recoverable::acknowledge(batch + 1);
}

// Every pair of a committed batch stands once in one of its buckets, with its value; no other pair is there. How many.
uint32_t check_store(const Store& store, const Shape& shape, uint64_t committed) {
  const uint32_t buckets = shape.buckets_per_block(), per_batch = shape.pairs_per_batch();
  uint32_t present = 0;
  for (uint32_t batch = 0; batch < committed; ++batch) {
    for (uint32_t i = 0; i < per_batch; ++i) {
      const Pair pair = pair_of(batch, i, per_batch, buckets);
      const uint32_t first = i / shape.pairs_per_block() * buckets;
      const uint32_t places[] = {pair.bucket, second_bucket(pair, buckets)};
      uint32_t found = 0;
      for (int place = 0; place < (places[0] == places[1] ? 1 : 2); ++place)
        for (uint32_t way = 0; way < kWays; ++way) {
          const Bucket& bucket = store.buckets[first + places[place]];
          found += bucket.signature[way] == pair.signature && bucket.value[way] == pair.value;
        }
      EXPECT(found == 1, "pair %u of batch %u, %#x = %#x, should stand once, stands %u times", i, batch, pair.signature,
             pair.value, found);
      ++present;
    }
  }
  uint32_t held = 0;
  for (size_t b = 0; b < size_t(shape.blocks) * buckets; ++b)
    for (uint32_t way = 0; way < kWays; ++way)
      held += store.buckets[b].signature[way] != 0 && store.buckets[b].value[way] != 0;
  EXPECT(held == present, "%u pairs are committed, the store should hold no others, holds %u", present, held);
  return present;
}

int run(const Options& options) {
  const Shape& shape = options.shape;
  const Store store = store_in(recoverable::create_pool(options, kMagic), shape);
  LogHandle log(store.log, shape.partitions(), sizeof(Entry));
  log.set_up();
  for (uint32_t batch = 0; batch < shape.batches; ++batch)
    insert_batch(store, log, shape, batch, !(options.stop_before_commit && batch + 1 == shape.batches));
  gpm_persist_end();
  if (options.stop_before_commit) return PASS("stopped before the last commit");
  EXPECT(store.header->state == 2ull * shape.batches, "the state should be %u, is %llu", 2 * shape.batches,
         static_cast<unsigned long long>(store.header->state));
  return PASS("batches=%u present=%u", shape.batches, check_store(store, shape, shape.batches));
}

int recover(const Options& options) {
  Shape shape;
  Header* header = recoverable::reopen_pool(options.recovered, kMagic, &shape);
  if (header == nullptr) return PASS("the pool was not created yet");
  const Store store = store_in(header, shape);
  const uint64_t state = header->state, committed = state / 2;
  EXPECT(state <= 2ull * shape.batches, "the state should be at most %u, is %llu", 2 * shape.batches,
         static_cast<unsigned long long>(state));
  recoverable::expect_acknowledged(committed, "batches");
  LogHandle log(store.log, shape.partitions(), sizeof(Entry));
  DeviceArray<int> undone(1, 0);
  if (state == 0) log.set_up();  // it may not have been
  if (state % 2 == 1) {
    undo<<<log.blocks(), 512>>>(store.buckets, log.get(), undone);
    set_state<<<1, 1>>>(header, 2 * committed);
  }
  FINISH_KERNEL();
  uint32_t present = check_store(store, shape, committed);
  const int count = undone.download()[0];
  if (!options.resume)
    return PASS("recovered: %llu of %u batches committed, %d pairs undone, present=%u",
                static_cast<unsigned long long>(committed), shape.batches, count, present);
  for (uint32_t batch = static_cast<uint32_t>(committed); batch < shape.batches; ++batch)
    insert_batch(store, log, shape, batch, true);
  present = check_store(store, shape, shape.batches);
  return PASS("recovered after %llu of %u batches, %d pairs undone, then finished: present=%u",
              static_cast<unsigned long long>(committed), shape.batches, count, present);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = recoverable::parse<Shape>(argc, argv, "gpkvs.pool", kPresets,
                                                    {{"--pairs", &Shape::pairs, 1 << 20},
                                                     {"--batches", &Shape::batches, 1 << 10},
                                                     {"--blocks", &Shape::blocks, 1 << 10},
                                                     {"--threads", &Shape::threads, 512}});
  if (options.recovered.empty() && options.shape.threads % 32 != 0) {
    fprintf(stderr, "--threads: a multiple of 32 is expected, got %u\n", options.shape.threads);
    return 2;
  }
  return options.recovered.empty() ? run(options) : recover(options);
}
