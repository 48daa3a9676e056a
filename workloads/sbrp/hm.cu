// HM: batches of keys inserted in parallel into a cuckoo hash map that lives in a persistent pool, with an undo log in
// the same pool. After "SBRP" (ASPLOS'23, section 7.1): before a slot gets its new word the old one is logged, and an
// ofence stands between. The construction is that of Alcantara et al. (SIGGRAPH Asia 2009): a first hash sends a key to
// a bucket, a block places its bucket's keys in shared memory by cuckoo hashing over four subtables, then each thread
// brings one slot into the pool.
//
//   hm [--keys N] [--batches N] [--buckets N] [--slots N] [--pool FILE]    create the pool, insert all batches, check
//   hm --recover FILE [--resume]       undo what was not committed, check; then insert the missing batches
//   --stop-before-commit: all of the last batch but its commit
//
// How a batch becomes atomic. The pool's state is 2b while b batches are committed, 2b + 1 while batch b is open. A
// slot is changed by one thread in a batch, and its log entry is one aligned word, which is never torn: the old word
// with the batch's number in the bits that table words leave free. A key that finds no place within kMostMoves moves
// makes the program undo the batch and stop there: the table is full. deterministic: yes
#include "recoverable.h"

namespace {

using recoverable::Header;
using recoverable::mix;
using recoverable::set_state;

constexpr uint64_t kMagic = 0x53425250484d3031ull;
constexpr int kSubtables = 4, kMostMoves = 256;
// A word of the table: key in the upper half, value in the next 16 bits, 0 in the last 16. 0: no key.
using Word = unsigned long long;
constexpr Word kStamp = 0xffff;

struct Shape {
  uint32_t keys, batches, buckets, slots;  // slots of a bucket: a thread each
  uint32_t keys_per_batch() const { return (keys + batches - 1) / batches; }
  uint32_t table_slots() const { return buckets * slots; }
  size_t bytes() const { return 2 * recoverable::whole_lines(table_slots() * sizeof(Word)); }
};
constexpr recoverable::Presets<Shape> kPresets = {{50000, 4, 60, 1024}, {25000, 1, 300, 576}, {42, 3, 2, 32}};
using Options = recoverable::Options<Shape>;

// The parts of a pool: header, one log word a slot, slots. A value; the pool outlives it.
struct Map {
  Header* header;
  Word* log;
  Word* slots;
};
Map map_in(Header* header, const Shape& shape) {
  char* at = reinterpret_cast<char*>(header + 1);
  return {header, reinterpret_cast<Word*>(at),
          reinterpret_cast<Word*>(at + recoverable::whole_lines(shape.table_slots() * sizeof(Word)))};
}

__host__ __device__ uint32_t key_of(Word word) {
  return static_cast<uint32_t>(word >> 32);
}
__host__ __device__ uint32_t bucket_of(uint32_t key, uint32_t buckets) {
  return static_cast<uint32_t>(mix(key) % buckets);
}
// A key's slot in its bucket, in subtable 0..3.
__host__ __device__ uint32_t place_of(uint32_t key, uint32_t subtable, uint32_t slots) {
  const uint32_t part = slots / kSubtables;
  return subtable * part + static_cast<uint32_t>(mix(key + 0x9e3779b97f4a7c15ull * (subtable + 1)) % part);
}
// The number'th key: fresh, never 0 (each step has an inverse).
uint32_t fresh_key(uint32_t number) {
  uint32_t x = number + 1;
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}
Word word_of(uint32_t key) {
  return Word(key) << 32 | (mix(key ^ 0x5bd1e995) & 0xffff) << 16;
}

// A word that finds its place occupied moves in, and the one that it drove out goes to its own place in the next
// subtable. False when that found no end.
__device__ bool settle(Word* bucket, Word word, uint32_t slots) {
  uint32_t subtable = 0;
  for (int moves = 0; moves < kMostMoves; ++moves) {
    word = atomicExch(&bucket[place_of(key_of(word), subtable, slots)], word);
    if (word == 0) return true;
    subtable = (subtable + 1) % kSubtables;
  }
  return false;
}

__global__ void insert(Map map, const Word* words, const uint32_t* begins, uint32_t batch, int* homeless) {
  extern __shared__ Word bucket[];
  const uint32_t slot = blockIdx.x * blockDim.x + threadIdx.x;
  const Word old = map.slots[slot];
  bucket[threadIdx.x] = old;
  __syncthreads();
  for (uint32_t i = begins[blockIdx.x] + threadIdx.x; i < begins[blockIdx.x + 1]; i += blockDim.x)
    if (!settle(bucket, words[i], blockDim.x)) atomicAdd(homeless, 1);
  __syncthreads();
  const Word now = bucket[threadIdx.x];
  if (now == old) return;
#ifdef ARTIFACT
  const Word before = map.slots[slot];  // its log copies from the slot itself
#else
  const Word before = old;
#endif
  if (BUG == 2) map.slots[slot] = now;                      // @slot_early
  map.log[slot] = (BUG == 5 ? now : before) | (batch + 1);  // @log
  if (BUG != 1) ofence();
  if (BUG != 2) map.slots[slot] = now;  // @slot
  ofence();
}

__global__ void undo(Map map, uint32_t slots, uint32_t batch, int* undone) {
  const uint32_t slot = blockIdx.x * blockDim.x + threadIdx.x;
  if (slot >= slots) return;
  const Word entry = map.log[slot];
  if (BUG == 4 ? (entry & kStamp) == 0 : (entry & kStamp) != batch + 1) return;
  map.slots[slot] = entry & ~kStamp;
  dfence();
  map.log[slot] = 0;  // @undone
  ofence();
  atomicAdd(undone, 1);
}

void undo_batch(const Map& map, const Shape& shape, uint32_t batch, int* undone) {
  if (BUG == 6) set_state<<<1, 1>>>(map.header, 2ull * batch);
  undo<<<static_cast<int>(shape.buckets), static_cast<int>(shape.slots)>>>(map, shape.table_slots(), batch, undone);
  set_state<<<1, 1>>>(map.header, 2ull * batch);
  FINISH_KERNEL();
}

// A batch's words sorted by bucket, and where each bucket's begin.
struct Requests {
  std::vector<Word> words;
  std::vector<uint32_t> begins;
};
Requests requests_of(uint32_t batch, const Shape& shape) {
  const uint32_t count = shape.keys_per_batch();
  Requests requests = {std::vector<Word>(count), std::vector<uint32_t>(shape.buckets + 1, 0)};
  for (uint32_t i = 0; i < count; ++i) ++requests.begins[bucket_of(fresh_key(batch * count + i), shape.buckets) + 1];
  for (uint32_t i = 0; i < shape.buckets; ++i) requests.begins[i + 1] += requests.begins[i];
  std::vector<uint32_t> next = requests.begins;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t key = fresh_key(batch * count + i);
    requests.words[next[bucket_of(key, shape.buckets)]++] = word_of(key);
  }
  return requests;
}

// False when the table is full: then the batch is undone.
bool insert_batch(const Map& map, const Shape& shape, uint32_t batch, bool commit) {
  const Requests requests = requests_of(batch, shape);
  const DeviceArray<Word> words(requests.words);
  const DeviceArray<uint32_t> begins(requests.begins);
  DeviceArray<int> homeless(1, 0);
  if (BUG != 3) set_state<<<1, 1>>>(map.header, 2ull * batch + 1);
  insert<<<static_cast<int>(shape.buckets), static_cast<int>(shape.slots), shape.slots * sizeof(Word)>>>(
      map, words, begins, batch, homeless);
  FINISH_KERNEL();
  const bool fits = homeless.download()[0] == 0;
  if (!fits) {
    DeviceArray<int> undone(1, 0);
    undo_batch(map, shape, batch, undone);
  } else if (commit) {
    set_state<<<1, 1>>>(map.header, 2ull * batch + 2);
    FINISH_KERNEL();
    recoverable::acknowledge(batch + 1);
  }
  return fits;
}

// The map must hold the keys of the committed batches, each once, in one of its four places, with its value, and no
// other word; where a key stands is the threads' affair.
void check_map(const Map& map, const Shape& shape, uint64_t committed) {
  std::vector<uint32_t> owner(shape.table_slots(), 0);
  const uint32_t keys = static_cast<uint32_t>(committed) * shape.keys_per_batch();
  for (uint32_t number = 0; number < keys; ++number) {
    const uint32_t key = fresh_key(number), bucket = bucket_of(key, shape.buckets) * shape.slots;
    int times = 0;
    for (uint32_t subtable = 0; subtable < kSubtables; ++subtable) {
      const uint32_t slot = bucket + place_of(key, subtable, shape.slots);
      if (map.slots[slot] != word_of(key)) continue;
      ++times;
      owner[slot] = key;
    }
    EXPECT(times == 1, "key %#x of batch %u should stand in one of its places with its value, stands in %d", key,
           number / shape.keys_per_batch(), times);
  }
  for (uint32_t slot = 0; slot < shape.table_slots(); ++slot)
    EXPECT(owner[slot] == key_of(map.slots[slot]), "slot %u should hold key %#x, holds %#llx", slot, owner[slot],
           map.slots[slot]);
  for (uint32_t slot = 0; slot < shape.table_slots(); ++slot)
    EXPECT((map.log[slot] & kStamp) <= committed, "the log of slot %u should be of a committed batch, is %#llx", slot,
           map.log[slot]);
}

int run(const Options& options) {
  const Shape& shape = options.shape;
  const Map map = map_in(recoverable::create_pool(options, kMagic), shape);
  uint32_t batch = 0;
  while (batch < shape.batches &&
         insert_batch(map, shape, batch, !(options.stop_before_commit && batch + 1 == shape.batches)))
    ++batch;
  gpm_persist_end();
  if (options.stop_before_commit) return PASS("stopped before the last commit");
  EXPECT(map.header->state == 2ull * batch, "the state should be %u, is %llu", 2 * batch,
         static_cast<unsigned long long>(map.header->state));
  check_map(map, shape, batch);
  return PASS("batches=%u of %u keys=%u of %u slots%s", batch, shape.batches, batch * shape.keys_per_batch(),
              shape.table_slots(), batch < shape.batches ? ", the next batch does not fit and was undone" : "");
}

int recover(const Options& options) {
  Shape shape;
  Header* header = recoverable::reopen_pool(options.recovered, kMagic, &shape);
  if (header == nullptr) return PASS("the pool was not created yet");
  const Map map = map_in(header, shape);
  const uint64_t state = header->state;
  EXPECT(state <= 2ull * shape.batches, "the state should be at most %u, is %llu", 2 * shape.batches,
         static_cast<unsigned long long>(state));
  uint32_t batch = static_cast<uint32_t>(state / 2);
  recoverable::expect_acknowledged(batch, "batches");
  DeviceArray<int> undone(1, 0);
  if (state % 2 == 1) undo_batch(map, shape, batch, undone);
  check_map(map, shape, batch);
  const int count = undone.download()[0];
  if (!options.resume)
    return PASS("recovered: %u of %u batches committed, %d slots undone", batch, shape.batches, count);
  const uint32_t committed = batch;
  while (batch < shape.batches && insert_batch(map, shape, batch, true)) ++batch;
  check_map(map, shape, batch);
  return PASS("recovered after %u of %u batches, %d slots undone, then inserted up to batch %u", committed,
              shape.batches, count, batch);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = recoverable::parse<Shape>(argc, argv, "hm.pool", kPresets,
                                                    {{"--keys", &Shape::keys, 1 << 24},
                                                     {"--batches", &Shape::batches, 0xfff0},
                                                     {"--buckets", &Shape::buckets, 1 << 16},
                                                     {"--slots", &Shape::slots, 1024}});
  if (options.recovered.empty() && options.shape.slots % 32 != 0) {
    fprintf(stderr, "--slots: a multiple of 32 is expected, got %u\n", options.shape.slots);
    return 2;
  }
  return options.recovered.empty() ? run(options) : recover(options);
}
