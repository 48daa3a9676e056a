// gpKVS: batched inserts into an 8-way set-associative key-value store that lives in a persistent pool, made
// recoverable by an undo log in the same pool. After a crash at any moment `--recover` undoes the unfinished batch and
// checks everything. After gpKVS of "GPM" (ASPLOS'22) and its use in "SBRP" (section 7); intra-thread order is ofence,
// as in SBRP's Figure 4.
//
//   gpkvs [--pairs N] [--batches N] [--pool FILE]    create the pool, insert all batches, check
//   gpkvs --recover FILE [--resume]                  undo what was not committed, check; then insert the missing
//   batches
//
// How a batch becomes atomic. The header's state is 2b while b batches are committed and none is open, 2b + 1 while
// batch b is open. A batch: state = odd; inserts; state = even; log cleared; every step durable before the next one
// begins. An insert writes what its slot held to the log, then the entry's stamp, then the pair, in this persist order:
// a stamped entry is whole, and a changed slot has a stamped entry. Undoing writes old contents back, so it may run
// again after a crash of the recovery itself. Stamps are cleared before the same batch number can be tried again.
// deterministic: yes
#include <everwarp/gpm.cuh>
#include <everwarp/persist.cuh>
#include <string>

#include "../cuda/check.h"

namespace {

constexpr int kWays = 8;
constexpr uint64_t kMagic = 0x67704b5653303033ull;
constexpr uint64_t kNoKey = 0;

struct Slot {
  uint64_t key, value;
};
struct LogEntry {
  uint64_t old_key, old_value;
  uint32_t slot;
  uint32_t stamp;  // number of the batch that wrote the entry plus one; 0: none
};
struct Header {
  uint64_t magic;  // written last
  uint64_t state;
  uint32_t sets, pairs_per_batch, batches;
  uint32_t padding[25];
};
static_assert(sizeof(Header) == 128, "the log begins on a line of its own");

// The parts of a pool: header, one log entry a pair of a batch, slots. A value; the pool outlives it.
struct Store {
  Header* header;
  LogEntry* log;
  Slot* slots;
};

struct Shape {
  uint32_t sets, pairs_per_batch, batches;
  size_t log_bytes() const { return (pairs_per_batch * sizeof(LogEntry) + 127) / 128 * 128; }
  size_t bytes() const { return sizeof(Header) + log_bytes() + size_t(sets) * kWays * sizeof(Slot); }
  Store in(void* pool) const {
    char* at = static_cast<char*>(pool);
    return {reinterpret_cast<Header*>(at), reinterpret_cast<LogEntry*>(at + sizeof(Header)),
            reinterpret_cast<Slot*>(at + sizeof(Header) + log_bytes())};
  }
};

__host__ __device__ uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdull;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
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

// One request of a batch. Requests for the same set form a chain in their order, worked off by the head's eight
// threads.
struct Request {
  uint64_t key;
  int next;   // the next request for this set, or -1
  bool head;  // no earlier request of the batch is for this set
};

// Eight threads a request, one a way. All changes of a slot within a batch are made by the same thread, so persist
// order within a thread is all that the log needs; only the first change is logged: undoing restores what the batch
// found.
__global__ void insert(Store store, const Request* requests, uint32_t count, uint32_t sets, uint32_t batch) {
  const uint32_t first = (blockIdx.x * blockDim.x + threadIdx.x) / kWays;
  const int way = threadIdx.x % kWays, lane = threadIdx.x % 32;
  if (first >= count || !requests[first].head) return;
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
#ifdef GPKVS_LOG_AFTER_DATA  // a planted bug, for the test that a crash campaign finds it
    slot->value = value_of(key, batch);
    slot->key = key;
#endif
    if (!logged) {
      LogEntry* entry = &store.log[i];
      entry->old_key = old.key;
      entry->old_value = old.value;
      entry->slot = index;
      ofence();
      entry->stamp = batch + 1;
      ofence();
      logged = true;
    }
#ifndef GPKVS_LOG_AFTER_DATA
    slot->value = value_of(key, batch);
    slot->key = key;
#endif
  }
  if (logged) dfence();
}

__global__ void undo(Store store, uint32_t count, uint32_t batch, int* undone) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || store.log[i].stamp != batch + 1) return;
  const LogEntry entry = store.log[i];
  store.slots[entry.slot].value = entry.old_value;
  store.slots[entry.slot].key = entry.old_key;
  dfence();
  atomicAdd(undone, 1);
}

__global__ void clear_log(Store store, uint32_t count) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || store.log[i].stamp == 0) return;
  store.log[i].stamp = 0;
  dfence();
}

__global__ void set_state(Store store, uint64_t state) {
  store.header->state = state;
  dfence();
}

__global__ void create(Store store, Shape shape) {
  store.header->sets = shape.sets;
  store.header->pairs_per_batch = shape.pairs_per_batch;
  store.header->batches = shape.batches;
  store.header->state = 0;
  ofence();
  store.header->magic = kMagic;
  dfence();
}

int blocks_for(uint32_t threads) {
  return static_cast<int>((threads + 127) / 128);
}

// Request i of a batch: a fresh key, or (one in eight) a key of an earlier batch, which may be in the store or evicted.
uint64_t key_of(uint32_t batch, uint32_t i, uint32_t pairs_per_batch) {
  const uint64_t number = uint64_t(batch) * pairs_per_batch + i, dice = mix(number ^ 0x5bd1e995);
  const bool again = batch > 0 && dice % 8 == 0;
  return mix((again ? (dice >> 8) % (uint64_t(batch) * pairs_per_batch) : number) + 1) | 1;
}

std::vector<Request> requests_of(uint32_t batch, const Shape& shape) {
  std::vector<Request> requests(shape.pairs_per_batch);
  std::vector<int> last(shape.sets, -1);
  for (uint32_t i = 0; i < shape.pairs_per_batch; ++i) {
    const uint64_t key = key_of(batch, i, shape.pairs_per_batch);
    int& before = last[set_of(key, shape.sets)];
    requests[i] = {key, -1, before == -1};
    if (before != -1) requests[before].next = static_cast<int>(i);
    before = static_cast<int>(i);
  }
  return requests;
}

void insert_batch(const Store& store, const Shape& shape, uint32_t batch) {
  const DeviceArray<Request> requests(requests_of(batch, shape));
  const uint32_t count = shape.pairs_per_batch;
  set_state<<<1, 1>>>(store, 2ull * batch + 1);
  insert<<<blocks_for(count * kWays), 128>>>(store, requests, count, shape.sets, batch);
  set_state<<<1, 1>>>(store, 2ull * batch + 2);
  clear_log<<<blocks_for(count), 128>>>(store, count);
  FINISH_KERNEL();
}

// What the store must hold after so many batches, by the same rules on the host.
std::vector<Slot> model(const Shape& shape, uint64_t batches) {
  std::vector<Slot> slots(size_t(shape.sets) * kWays, Slot{kNoKey, 0});
  for (uint32_t batch = 0; batch < batches; ++batch) {
    for (uint32_t i = 0; i < shape.pairs_per_batch; ++i) {
      const uint64_t key = key_of(batch, i, shape.pairs_per_batch);
      Slot* set = &slots[size_t(set_of(key, shape.sets)) * kWays];
      int way = 0;
      while (way < kWays && set[way].key != key) ++way;
      for (int w = 0; way == kWays && w < kWays; ++w)
        if (set[w].key == kNoKey) way = w;
      set[way == kWays ? victim_of(key) : way] = {key, value_of(key, batch)};
    }
  }
  return slots;
}

// The whole store against what its pairs say about themselves, and against the model; the log must be clear.
size_t check_store(const Store& store, const Shape& shape, uint64_t committed) {
  size_t present = 0;
  for (uint32_t i = 0; i < shape.sets * kWays; ++i) {
    const Slot slot = store.slots[i];
    if (slot.key == kNoKey) continue;
    ++present;
    EXPECT(set_of(slot.key, shape.sets) == i / kWays, "slot %u should hold a key of set %u, holds %#llx of set %u", i,
           i / kWays, static_cast<unsigned long long>(slot.key), set_of(slot.key, shape.sets));
    for (uint32_t k = i / kWays * kWays; k < i; ++k)
      EXPECT(store.slots[k].key != slot.key, "key %#llx should stand once, stands in slots %u and %u",
             static_cast<unsigned long long>(slot.key), k, i);
    uint32_t batch = 0;
    while (batch < committed && value_of(slot.key, batch) != slot.value) ++batch;
    EXPECT(batch < committed, "slot %u should hold a value of one of %llu committed batches, holds %#llx = %#llx", i,
           static_cast<unsigned long long>(committed), static_cast<unsigned long long>(slot.key),
           static_cast<unsigned long long>(slot.value));
  }
  const std::vector<Slot> want = model(shape, committed);
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT(want[i].key == store.slots[i].key && (want[i].key == kNoKey || want[i].value == store.slots[i].value),
           "slot %zu should hold %#llx = %#llx, holds %#llx = %#llx", i, static_cast<unsigned long long>(want[i].key),
           static_cast<unsigned long long>(want[i].value), static_cast<unsigned long long>(store.slots[i].key),
           static_cast<unsigned long long>(store.slots[i].value));
  for (uint32_t i = 0; i < shape.pairs_per_batch; ++i)
    EXPECT(store.log[i].stamp == 0, "log entry %u should be cleared, its stamp is %u", i, store.log[i].stamp);
  return present;
}

int run(const char* path, const Shape& shape) {
  std::remove(path);  // a pool of an earlier run
  void* pool = gpm_map(path, shape.bytes(), true);
  EXPECT(pool != nullptr, "%s should be mapped as a pool of %zu bytes", path, shape.bytes());
  const Store store = shape.in(pool);
  create<<<1, 1>>>(store, shape);
  for (uint32_t batch = 0; batch < shape.batches; ++batch) insert_batch(store, shape, batch);
  FINISH_KERNEL();
  EXPECT(store.header->state == 2ull * shape.batches, "the state should be %u, is %llu", 2 * shape.batches,
         static_cast<unsigned long long>(store.header->state));
  const size_t present = check_store(store, shape, shape.batches);
  return PASS("batches=%u inserted=%u present=%zu of %u slots", shape.batches, shape.batches * shape.pairs_per_batch,
              present, shape.sets * kWays);
}

// A pool whose creation the crash interrupted: no magic, and nothing else may have happened.
int nothing_created(const char* pool, size_t bytes) {
  for (size_t i = sizeof(Header); i < bytes; ++i)
    EXPECT(pool[i] == 0, "a pool that was not created should be empty, byte %zu is %d", i, pool[i]);
  return PASS("the pool was not created yet");
}

int recover(const char* path, bool resume) {
  const size_t bytes = gpm_size(path);
  if (bytes == 0) return PASS("there is no pool yet");
  EXPECT(bytes >= sizeof(Header), "%s should hold a header of %zu bytes, has %zu", path, sizeof(Header), bytes);
  void* pool = gpm_map(path, bytes, false);
  EXPECT(pool != nullptr, "%s should be mapped as a pool", path);
  const Header header = *static_cast<const Header*>(pool);
  if (header.magic == 0) return nothing_created(static_cast<const char*>(pool), bytes);
  EXPECT(header.magic == kMagic, "the magic should be %#llx, is %#llx", static_cast<unsigned long long>(kMagic),
         static_cast<unsigned long long>(header.magic));
  const Shape shape = {header.sets, header.pairs_per_batch, header.batches};
  EXPECT(bytes >= shape.bytes(), "a pool of this shape should have %zu bytes, has %zu", shape.bytes(), bytes);
  EXPECT(header.state <= 2ull * shape.batches, "the state should be at most %u, is %llu", 2 * shape.batches,
         static_cast<unsigned long long>(header.state));

  const Store store = shape.in(pool);
  const uint64_t committed = header.state / 2;
  DeviceArray<int> undone(1, 0);
  if (header.state % 2 == 1) {
    undo<<<blocks_for(shape.pairs_per_batch), 128>>>(store, shape.pairs_per_batch, static_cast<uint32_t>(committed),
                                                     undone);
    set_state<<<1, 1>>>(store, 2 * committed);
  }
  clear_log<<<blocks_for(shape.pairs_per_batch), 128>>>(store, shape.pairs_per_batch);
  FINISH_KERNEL();
  size_t present = check_store(store, shape, committed);
  if (!resume)
    return PASS("recovered: %llu of %u batches committed, %d pairs undone, present=%zu",
                static_cast<unsigned long long>(committed), shape.batches, undone.download()[0], present);
  for (uint32_t batch = static_cast<uint32_t>(committed); batch < shape.batches; ++batch)
    insert_batch(store, shape, batch);
  present = check_store(store, shape, shape.batches);
  return PASS("recovered after %llu of %u batches, %d pairs undone, then finished: present=%zu",
              static_cast<unsigned long long>(committed), shape.batches, undone.download()[0], present);
}

uint32_t number(const char* text, uint32_t most) {
  const unsigned long value = strtoul(text, nullptr, 10);
  EXPECT(value >= 1 && value <= most, "a number between 1 and %u is expected, got %s", most, text);
  return static_cast<uint32_t>(value);
}

}  // namespace

int main(int argc, char** argv) {
  uint32_t pairs = 65536, batches = 16;
  std::string pool = "gpkvs.pool", recovered;
  bool resume = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool takes_value = word == "--pairs" || word == "--batches" || word == "--pool" || word == "--recover";
    if (word == "--resume") resume = true;
    if ((takes_value && i + 1 == argc) || (!takes_value && word != "--resume")) {
      fprintf(stderr, "usage: %s [--pairs N] [--batches N] [--pool FILE] | --recover FILE [--resume]\n", argv[0]);
      return 2;
    }
    if (!takes_value) continue;
    const char* value = argv[++i];
    if (word == "--pairs") pairs = number(value, 1 << 24);
    if (word == "--batches") batches = number(value, 1 << 16);
    if (word == "--pool") pool = value;
    if (word == "--recover") recovered = value;
  }
  if (!recovered.empty()) return recover(recovered.c_str(), resume);
  Shape shape = {1, (pairs + batches - 1) / batches, batches};
  while (shape.sets * kWays < pairs) shape.sets *= 2;  // as many slots as pairs: some sets overflow and evict
  return run(pool.c_str(), shape);
}
