// gpKVS as the artifact of "SBRP" (ASPLOS'23) has it; gpkvs.cu is this file with -DARTIFACT. Four threads a pair; a
// bucket has a line of its own with four signatures and four values, and a signature has two buckets; 16 blocks, each
// with buckets of its own, take 128 pairs a round, between barriers of the block. A thread claims a slot by writing the
// signature, looks after a barrier whether the claim stood, then logs the slot, writes the value and waits until it is
// durable. The log keeps the words of 32 entries in a line each; what makes an entry count comes behind an ofence.
//
//   gpkvs [--pairs N] [--batches N] [--blocks N] [--threads N] [--pool FILE]    create the pool, insert all, check
//   gpkvs --recover FILE [--resume]    undo what was not committed, check; then insert the missing batches
//   --stop-before-commit: all of the last batch but its commit, the longest log that a crash can leave
//
// How a batch becomes atomic. The pool's state is 2b while b batches are committed and none is open, 2b + 1 while batch
// b is open; it changes between kernels. A slot holds a pair when it has a signature and a value that is not 0: a claim
// alone holds nothing, and the same pair finds it again. A value is written behind its slot's log entry, which counts
// when it names the batch. Undoing writes the old slot back and leaves the entry: it stays true until its batch
// commits, since it is what that batch finds. The published program leaves claims without an entry to chance; its
// recovery clears signatures that were there before and applies entries that were never written. deterministic: yes
#include "../recoverable.h"

namespace {

using recoverable::Header;
using recoverable::mix;
using recoverable::set_state;

constexpr uint32_t kWays = 4, kBucketsAPair = 16, kLogLine = 32;
constexpr uint64_t kMagic = 0x67704b5653423031ull;

struct alignas(128) Bucket {
  uint32_t signature[kWays], value[kWays];
};

struct Shape {
  uint32_t pairs, batches, blocks, threads;
  uint32_t pairs_per_block() const { return (pairs + batches * blocks - 1) / (batches * blocks); }
  uint32_t pairs_per_batch() const { return pairs_per_block() * blocks; }
  uint32_t buckets_per_block() const { return pairs_per_block() * batches * kBucketsAPair; }
  uint32_t log_lines() const { return (pairs_per_batch() + kLogLine - 1) / kLogLine * 4; }
  size_t tags_bytes() const { return recoverable::whole_lines(pairs_per_batch() * sizeof(uint64_t)); }
  size_t log_bytes() const { return tags_bytes() + log_lines() * kLogLine * sizeof(uint32_t); }
  size_t bytes() const { return log_bytes() + size_t(blocks) * buckets_per_block() * sizeof(Bucket); }
};
constexpr recoverable::Presets<Shape> kPresets = {{65536, 1, 16, 512}, {65536, 1, 16, 512}, {48, 3, 2, 32}};
using Options = recoverable::Options<Shape>;

struct Entry {  // of the log: a slot and what it held
  uint32_t way, bucket, signature, value;
};
// The parts of a pool: header; for each pair of a batch, batch + 1 of its log entry; the entries; buckets. A value; the
// pool outlives it.
struct Store {
  Header* header;
  uint64_t* tags;
  uint32_t* log;
  Bucket* buckets;
};
Store store_in(Header* header, const Shape& shape) {
  char* at = reinterpret_cast<char*>(header + 1);
  return {header, reinterpret_cast<uint64_t*>(at), reinterpret_cast<uint32_t*>(at + shape.tags_bytes()),
          reinterpret_cast<Bucket*>(at + shape.log_bytes())};
}

struct Pair {
  uint32_t signature, bucket, value;  // bucket: the first of its two, within its block's
};
__host__ __device__ uint32_t second_bucket(const Pair& pair, uint32_t buckets) {
  return static_cast<uint32_t>((uint64_t(pair.bucket) + pair.signature % (buckets - 1) + 1) % buckets);
}
// Pair i of a batch. Signatures are all different: multiplication by an odd number is a permutation.
__host__ __device__ Pair pair_of(uint32_t batch, uint32_t i, uint32_t pairs_per_batch, uint32_t buckets) {
  const uint32_t signature = (batch * pairs_per_batch + i + 1) * 2654435761u;
  const uint64_t dice = mix(signature);
  return {signature, static_cast<uint32_t>(dice % buckets), static_cast<uint32_t>(dice >> 32) | 1};
}

__host__ __device__ uint32_t& word_of(uint32_t* log, uint32_t i, uint32_t word) {
  return log[(i / kLogLine * 4 + word) * kLogLine + i % kLogLine];
}
__device__ void write_log(const Store& store, uint32_t i, const Entry& entry, uint32_t batch) {
  word_of(store.log, i, 0) = entry.way;
  word_of(store.log, i, 1) = entry.bucket;
  word_of(store.log, i, 2) = entry.signature;
  word_of(store.log, i, 3) = entry.value;
  ofence();
  store.tags[i] = batch + 1;
  ofence();
}

// Four threads and their pair's way into one bucket of it.
struct Attempt {
  Store store;
  Pair pair;
  uint32_t bucket, entry, batch, lane;  // entry: of the log; lane: of the four
  unsigned mask;                        // the four in their warp
  bool done, failed;

  __device__ Bucket& slots() const { return store.buckets[bucket]; }
  __device__ unsigned vote(bool mine) const { return __ballot_sync(mask, mine) >> (__ffs(mask) - 1) & 0xf; }
  __device__ void put(uint32_t old_signature) {
    Bucket& b = slots();
    write_log(store, entry, {lane, bucket, old_signature, b.value[lane]}, batch);
    b.value[lane] = pair.value;
    dfence();
  }
  /// The signature may stand there already.
  __device__ void update() {
    const unsigned same = vote(slots().signature[lane] == pair.signature);
    if (done || same == 0) return;
    if (lane == __ffs(same) - 1) put(pair.signature);
    done = true;
  }
  /// Until the pair is in or the bucket is full. By all threads of the block.
  __device__ void insert() {
    failed = false;
    for (;;) {
      uint32_t chosen = 0;
      if (!done && !failed) {
        const unsigned free = vote(slots().signature[lane] == 0);
        const unsigned later = free & ~((1u << pair.signature % kWays) - 1);
        failed = free == 0;
        chosen = __ffs(later ? later : free) - 1;
        if (lane == chosen) slots().signature[lane] = pair.signature;
      }
      if (__syncthreads_and(done || failed)) return;
      if (!done && !failed && *static_cast<volatile uint32_t*>(&slots().signature[chosen]) == pair.signature) {
        if (lane == chosen) put(0);
        done = true;
      }
    }
  }
};

__global__ void __launch_bounds__(512)
    insert(Store store, const Pair* pairs, uint32_t pairs_per_block, uint32_t buckets_per_block, uint32_t batch) {
  const uint32_t t = threadIdx.x, first_bucket = blockIdx.x * buckets_per_block;
  for (uint32_t round = 0; round < pairs_per_block; round += blockDim.x / kWays) {
    __syncthreads();  // the published program clears its counters between these two
    __syncthreads();
    const uint32_t i = blockIdx.x * pairs_per_block + round + t / kWays;
    const bool any = round + t / kWays < pairs_per_block;
    Attempt attempt = {store,     any ? pairs[i] : Pair{},         0,    i,    batch,
                       t % kWays, 0xfu << (t % 32 & ~(kWays - 1)), !any, false};
    attempt.bucket = first_bucket + attempt.pair.bucket;
    attempt.update();
    attempt.insert();
    attempt.bucket = first_bucket + second_bucket(attempt.pair, buckets_per_block);
    attempt.update();
    attempt.insert();
  }
  dfence();
}

__global__ void undo(Store store, uint32_t count, uint32_t batch, int* undone) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || store.tags[i] != batch + 1) return;
  Bucket& bucket = store.buckets[word_of(store.log, i, 1)];
  const uint32_t way = word_of(store.log, i, 0);
  bucket.signature[way] = word_of(store.log, i, 2);
  bucket.value[way] = word_of(store.log, i, 3);
  dfence();
  atomicAdd(undone, 1);
}

void insert_batch(const Store& store, const Shape& shape, uint32_t batch, bool commit) {
  std::vector<Pair> pairs;
  for (uint32_t i = 0; i < shape.pairs_per_batch(); ++i)
    pairs.push_back(pair_of(batch, i, shape.pairs_per_batch(), shape.buckets_per_block()));
  const DeviceArray<Pair> on_device(pairs);
  set_state<<<1, 1>>>(store.header, 2ull * batch + 1);
  insert<<<static_cast<int>(shape.blocks), static_cast<int>(shape.threads)>>>(store, on_device, shape.pairs_per_block(),
                                                                              shape.buckets_per_block(), batch);
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
      uint32_t found = 0;
      for (const uint32_t b : {pair.bucket, second_bucket(pair, buckets)})
        for (uint32_t way = 0; way < kWays; ++way) {
          const Bucket& bucket = store.buckets[first + b];
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
  for (uint32_t batch = 0; batch < shape.batches; ++batch)
    insert_batch(store, shape, batch, !(options.stop_before_commit && batch + 1 == shape.batches));
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
  DeviceArray<int> undone(1, 0);
  if (state % 2 == 1) {
    const uint32_t count = shape.pairs_per_batch();
    undo<<<recoverable::blocks_for(count, shape.threads), static_cast<int>(shape.threads)>>>(
        store, count, static_cast<uint32_t>(committed), undone);
    set_state<<<1, 1>>>(header, 2 * committed);
  }
  FINISH_KERNEL();
  uint32_t present = check_store(store, shape, committed);
  const int count = undone.download()[0];
  if (!options.resume)
    return PASS("recovered: %llu of %u batches committed, %d pairs undone, present=%u",
                static_cast<unsigned long long>(committed), shape.batches, count, present);
  for (uint32_t batch = static_cast<uint32_t>(committed); batch < shape.batches; ++batch)
    insert_batch(store, shape, batch, true);
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
