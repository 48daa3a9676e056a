// gpKVS: batched inserts into an 8-way set-associative key-value store that lives in a persistent pool, made
// recoverable by an undo log in the same pool. After "SBRP" (ASPLOS'23, figure 4 and section 7.1), where the store of
// "GPM" (ASPLOS'22) has an ofence between a thread's log entry and its pair.
//
//   gpkvs [--pairs N] [--batches N] [--blocks N] [--pool FILE]    create the pool, insert all batches, check
//   gpkvs --recover FILE [--resume]    undo what was not committed, check; then insert the missing batches
//   --stop-before-commit: all of the last batch but its commit, the longest log that a crash can leave
//
// How a batch becomes atomic. The pool's state is 2b while b batches are committed and none is open, 2b + 1 while batch
// b is open; it changes between kernels, and a stream's order is a persist order. An insert logs what its slot held,
// then writes the pair: a changed slot has a whole log entry. A log entry carries a seal over its contents and its
// batch, so that one which is torn, or left by an earlier batch, counts as none. Undoing writes old contents back,
// makes them durable and only then drops the entry: it may run again after a crash of the recovery itself.
// deterministic: yes
#ifdef ARTIFACT
#include "artifact/gpkvs.cu"
#else
#include "recoverable.h"

namespace {

using recoverable::Header;
using recoverable::mix;
using recoverable::set_state;

constexpr int kWays = 8;
constexpr uint64_t kMagic = 0x67704b5653303034ull;
constexpr uint64_t kNoKey = 0;

struct Slot {
  uint64_t key, value;
};
struct LogEntry {
  uint64_t old_key, old_value, slot, seal;
};
static_assert(sizeof(LogEntry) == 32, "an entry is a sector of its own");

struct Shape {
  uint32_t pairs, batches, blocks, threads;  // at most so many blocks insert, pair after pair
  uint32_t pairs_per_batch() const { return (pairs + batches - 1) / batches; }
  uint32_t sets() const {  // as many slots as pairs: some sets overflow and evict
    uint32_t sets = 1;
    while (sets * kWays < pairs) sets *= 2;
    return sets;
  }
  size_t log_bytes() const { return recoverable::whole_lines(pairs_per_batch() * sizeof(LogEntry)); }
  size_t bytes() const { return log_bytes() + size_t(sets()) * kWays * sizeof(Slot); }
};
constexpr uint32_t kAllBlocks = 65536;
constexpr recoverable::Presets<Shape> kPresets = {
    {65536, 1, kAllBlocks, 1024}, {65536, 1, 16, 512}, {48, 3, kAllBlocks, 1024}};
using Options = recoverable::Options<Shape>;

// The parts of a pool: header, one log entry a pair of a batch, slots. A value; the pool outlives it.
struct Store {
  Header* header;
  LogEntry* log;
  Slot* slots;
};
Store store_in(Header* header, const Shape& shape) {
  char* at = reinterpret_cast<char*>(header + 1);
  return {header, reinterpret_cast<LogEntry*>(at), reinterpret_cast<Slot*>(at + shape.log_bytes())};
}

__host__ __device__ uint32_t set_of(uint64_t key, uint32_t sets) {
  return static_cast<uint32_t>(mix(key) % sets);
}
__host__ __device__ int victim_of(uint64_t key) {
  return static_cast<int>(mix(key) >> 61);
}
__host__ __device__ uint64_t value_of(uint64_t key, uint32_t batch) {
  return mix(key + 0x9e3779b97f4a7c15ull * (batch + 1));
}
__host__ __device__ uint64_t seal_of(const LogEntry& entry, uint32_t batch) {
  if (BUG == 6) batch = 0;
  return mix(entry.old_key + mix(entry.old_value + mix(entry.slot + mix(batch + 1))));
}

// One request of a batch. Requests for the same set form a chain in their order, worked off by the head's eight
// threads.
struct Request {
  uint64_t key;
  int next;   // the next request for this set, or -1
  bool head;  // no earlier request of the batch is for this set
};

__device__ void write_log(LogEntry* log, uint32_t i, const Slot& old, uint32_t slot, uint32_t batch) {
  const LogEntry written = {old.key, old.value, slot, 0};
  log[i] = {old.key, old.value, slot, seal_of(written, batch)};  // @log
}
__device__ void write_pair(Slot* slot, uint64_t key, uint32_t batch) {
  slot->value = value_of(key, batch);  // @value
  slot->key = key;                     // @key
}

// The chain that begins with request `first`, by eight threads, one a way. All changes of a slot within a batch are
// made by the same thread, so persist order within a thread is all that the log needs; only the first change is logged:
// undoing restores what the batch found.
__device__ void work_off(Store store, const Request* requests, uint32_t first, uint32_t sets, uint32_t batch) {
  const int way = threadIdx.x % kWays, lane = threadIdx.x % 32;
  const unsigned group = 0xffu << (lane - way);
  const uint32_t index = set_of(requests[first].key, sets) * kWays + way;
  Slot* slot = &store.slots[index];
  bool logged = false;
  for (int i = static_cast<int>(first); i != -1; i = requests[i].next) {
    const uint64_t key = requests[i].key;
    const unsigned same = __ballot_sync(group, slot->key == key);
    const unsigned free = __ballot_sync(group, slot->key == kNoKey);
    const int chosen = same ? __ffs(same) - 1 : free ? __ffs(free) - 1 : lane - way + victim_of(key);
    if (lane != chosen) continue;
    const Slot old = *slot;
    if (BUG == 1) write_pair(slot, key, batch);
    if (!logged) {
      write_log(store.log, static_cast<uint32_t>(i), old, index, batch);
      if (BUG != 2) ofence();
      logged = true;
    }
    if (BUG != 1) write_pair(slot, key, batch);
  }
  if (logged) ofence();  // Figure 4, line 6: before the commit, which is the next kernel's
}

__global__ void __launch_bounds__(1024)
    insert(Store store, const Request* requests, uint32_t count, uint32_t sets, uint32_t batch) {
  const uint32_t group = (blockIdx.x * blockDim.x + threadIdx.x) / kWays, groups = gridDim.x * blockDim.x / kWays;
  for (uint32_t first = group; first < count; first += groups)
    if (requests[first].head) work_off(store, requests, first, sets, batch);
}

// Figure 4, recover(). Every slot has at most one entry of the batch, so threads are independent.
__global__ void undo(Store store, uint32_t count, uint32_t batch, int* undone) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const LogEntry entry = store.log[i];
  if (BUG == 4 ? entry.seal == 0 : entry.seal != seal_of(entry, batch)) return;
  if (BUG == 8) store.log[i].seal = 0;  // @drop_early
  store.slots[entry.slot].value = entry.old_value;
  if (BUG != 7) store.slots[entry.slot].key = entry.old_key;  // @restore
  dfence();
  store.log[i].seal = 0;
  ofence();
  atomicAdd(undone, 1);
}

// Request i of a batch: a fresh key, or (one in eight) a key of an earlier batch, which may be in the store or evicted.
uint64_t key_of(uint32_t batch, uint32_t i, uint32_t pairs_per_batch) {
  const uint64_t number = uint64_t(batch) * pairs_per_batch + i, dice = mix(number ^ 0x5bd1e995);
  const bool again = batch > 0 && dice % 8 == 0;
  return mix((again ? (dice >> 8) % (uint64_t(batch) * pairs_per_batch) : number) + 1) | 1;
}

std::vector<Request> requests_of(uint32_t batch, const Shape& shape) {
  std::vector<Request> requests(shape.pairs_per_batch());
  std::vector<int> last(shape.sets(), -1);
  for (uint32_t i = 0; i < requests.size(); ++i) {
    const uint64_t key = key_of(batch, i, shape.pairs_per_batch());
    int& before = last[set_of(key, shape.sets())];
    requests[i] = {key, -1, before == -1};
    if (before != -1) requests[before].next = static_cast<int>(i);
    before = static_cast<int>(i);
  }
  return requests;
}

void insert_batch(const Store& store, const Shape& shape, uint32_t batch, bool commit) {
  const DeviceArray<Request> requests(requests_of(batch, shape));
  const uint32_t count = shape.pairs_per_batch();
  if (BUG != 5) set_state<<<1, 1>>>(store.header, 2ull * batch + 1);
  if (BUG == 3) set_state<<<1, 1>>>(store.header, 2ull * batch + 2);
  const int threads = static_cast<int>(shape.threads);
  const int blocks = std::min(recoverable::blocks_for(count * kWays, shape.threads), static_cast<int>(shape.blocks));
  insert<<<blocks, threads>>>(store, requests, count, shape.sets(), batch);
  if (BUG == 5) set_state<<<1, 1>>>(store.header, 2ull * batch + 1);
  if (commit) set_state<<<1, 1>>>(store.header, 2ull * batch + 2);
  FINISH_KERNEL();
  if (commit) recoverable::acknowledge(batch + 1);
}

// What the store must hold after so many batches, by the same rules on the host.
std::vector<Slot> model(const Shape& shape, uint64_t batches) {
  std::vector<Slot> slots(size_t(shape.sets()) * kWays, Slot{kNoKey, 0});
  for (uint32_t batch = 0; batch < batches; ++batch) {
    for (uint32_t i = 0; i < shape.pairs_per_batch(); ++i) {
      const uint64_t key = key_of(batch, i, shape.pairs_per_batch());
      Slot* set = &slots[size_t(set_of(key, shape.sets())) * kWays];
      int way = 0;
      while (way < kWays && set[way].key != key) ++way;
      for (int w = 0; way == kWays && w < kWays; ++w)
        if (set[w].key == kNoKey) way = w;
      set[way == kWays ? victim_of(key) : way] = {key, value_of(key, batch)};
    }
  }
  return slots;
}

// One slot against what its pair says about itself.
void check_slot(const Store& store, const Shape& shape, uint32_t i, uint64_t committed) {
  const Slot slot = store.slots[i];
  EXPECT(set_of(slot.key, shape.sets()) == i / kWays, "slot %u should hold a key of set %u, holds %#llx of set %u", i,
         i / kWays, static_cast<unsigned long long>(slot.key), set_of(slot.key, shape.sets()));
  for (uint32_t k = i / kWays * kWays; k < i; ++k)
    EXPECT(store.slots[k].key != slot.key, "key %#llx should stand once, stands in slots %u and %u",
           static_cast<unsigned long long>(slot.key), k, i);
  uint32_t batch = 0;
  while (batch < committed && value_of(slot.key, batch) != slot.value) ++batch;
  EXPECT(batch < committed, "slot %u should hold a value of one of %llu committed batches, holds %#llx = %#llx", i,
         static_cast<unsigned long long>(committed), static_cast<unsigned long long>(slot.key),
         static_cast<unsigned long long>(slot.value));
}

// The whole store against itself and against the model; the log may hold nothing that the next batch's undoing would
// take for its own.
size_t check_store(const Store& store, const Shape& shape, uint64_t committed) {
  size_t present = 0;
  const std::vector<Slot> want = model(shape, committed);
  for (uint32_t i = 0; i < want.size(); ++i) {
    if (store.slots[i].key != kNoKey) {
      ++present;
      check_slot(store, shape, i, committed);
    }
    EXPECT(want[i].key == store.slots[i].key && (want[i].key == kNoKey || want[i].value == store.slots[i].value),
           "slot %u should hold %#llx = %#llx, holds %#llx = %#llx", i, static_cast<unsigned long long>(want[i].key),
           static_cast<unsigned long long>(want[i].value), static_cast<unsigned long long>(store.slots[i].key),
           static_cast<unsigned long long>(store.slots[i].value));
  }
  for (uint32_t i = 0; BUG != 6 && i < shape.pairs_per_batch(); ++i)
    EXPECT(store.log[i].seal == 0 || store.log[i].seal != seal_of(store.log[i], static_cast<uint32_t>(committed)),
           "log entry %u should have been dropped, it is sealed for batch %llu", i,
           static_cast<unsigned long long>(committed));
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
  const size_t present = check_store(store, shape, shape.batches);
  return PASS("batches=%u inserted=%u present=%zu of %u slots", shape.batches, shape.batches * shape.pairs_per_batch(),
              present, shape.sets() * kWays);
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
  size_t present = check_store(store, shape, committed);
  if (!options.resume)
    return PASS("recovered: %llu of %u batches committed, %d pairs undone, present=%zu",
                static_cast<unsigned long long>(committed), shape.batches, undone.download()[0], present);
  for (uint32_t batch = static_cast<uint32_t>(committed); batch < shape.batches; ++batch)
    insert_batch(store, shape, batch, true);
  present = check_store(store, shape, shape.batches);
  return PASS("recovered after %llu of %u batches, %d pairs undone, then finished: present=%zu",
              static_cast<unsigned long long>(committed), shape.batches, undone.download()[0], present);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = recoverable::parse<Shape>(argc, argv, "gpkvs.pool", kPresets,
                                                    {{"--pairs", &Shape::pairs, 1 << 24},
                                                     {"--batches", &Shape::batches, 1 << 16},
                                                     {"--blocks", &Shape::blocks, 1 << 16}});
  return options.recovered.empty() ? run(options) : recover(options);
}
#endif
