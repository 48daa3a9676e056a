// gpKVS: batches of SETs and GETs of a key-value store with eight slots in a set, in persistent memory ("GPM",
// ASPLOS'22, section 4.1). Each batch is a transaction with an undo log, libGPM's HCL log. One thread in eight logs.
//
//   gpkvs [--pairs N] [--batches N] [--sets N] [--gets PERCENT] …    requests of a batch; sets of eight slots
//         [--partitions N]             a conventional log with N partitions, not HCL
//   gpkvs --recover FILE [--resume]    undo the batch that was not committed, check; then do the rest
//   --stop-before-commit: all of the last batch but its commit
//
// How a batch becomes atomic. The state is 2b while b batches are committed and none is open, and 2b + 1 while batch b
// is open. A thread logs the old content of its slot. This entry is durable before the thread stores the pair. The log
// is empty whenever the state becomes odd: each commit clears it, and so does a recovery. The recovery restores a slot,
// makes it durable, and only then removes the entry. So it may be cut off and run again.
// deterministic: yes
#include "system.h"

namespace {

using bench::mix;
using bench::Phase;
using bench::Store;

constexpr uint64_t kMagic = 0x67704b5653474d31ull;
constexpr unsigned kWays = 8, kThreads = 256;

struct Slot {
  uint64_t key, value;  // key 0: free
};
struct LogEntry {
  uint64_t key, value, slot;
};
struct Shape {
  uint32_t pairs, batches, sets, gets;  // of a batch; gets: of a hundred requests
  uint32_t partitions, system;          // partitions: of a conventional log; 0: HCL
  unsigned blocks() const { return bench::blocks_for(size_t(pairs) * kWays, kThreads); }
  size_t bytes() const { return size_t(sets) * kWays * sizeof(Slot); }
};
constexpr bench::Presets<Shape> kPresets = {
    {2048, 4, 4096, 0, 0, 0}, {1 << 21, 25, 1 << 25, 0, 0, 0}, {24, 3, 8, 30, 0, 0}};
using Options = bench::Options<Shape>;

__host__ __device__ uint32_t set_of(uint64_t key, uint32_t sets) {
  return static_cast<uint32_t>(mix(key) % sets);
}
__host__ __device__ unsigned victim_of(uint64_t key) {
  return static_cast<unsigned>(mix(key) >> 61);
}
__host__ __device__ uint64_t value_of(uint64_t key, uint32_t batch) {
  return mix(key + 0x9e3779b97f4a7c15ull * (batch + 1));
}

// One request of a batch. SETs for the same set form a chain, in their order. The eight threads of its head serve it.
struct Request {
  uint64_t key;
  int next;   // the next SET for this set, or -1
  bool head;  // no earlier SET of the batch is for this set
  bool get;
};

// A wrong way to write a log: nothing waits until the entry is durable.
__device__ void log_without_persist(gpmlog* log, const LogEntry& entry) {
  const everwarp::GpmLogPlace place = everwarp::gpm_log_place(log, -1);
  const unsigned* words = reinterpret_cast<const unsigned*>(&entry);
  for (unsigned w = 0; w < sizeof entry / 4; ++w) {
    unsigned* to = reinterpret_cast<unsigned*>(place.words + w * place.stride);
    *to = words[w];  // @word
  }
  *place.head = sizeof entry / 4;  // @unpersisted
}
__device__ void store_pair(Slot* slot, uint64_t key, uint64_t value) {
  slot->value = value;  // @value
  slot->key = key;      // @key
}

// Eight threads, one for each slot of the set, serve the chain that begins with `first`. A thread logs before its first
// change of the batch.
template <class Persist>
__device__ void work_off(Slot* slots, gpmlog* log, const Request* requests, unsigned first, uint32_t sets,
                         uint32_t batch, Persist persist, unsigned* refused) {
  const unsigned way = threadIdx.x % kWays, lane = threadIdx.x % 32, group = 0xffu << (lane - way);
  const uint64_t index = uint64_t(set_of(requests[first].key, sets)) * kWays + way;
  Slot* slot = &slots[index];
  bool logged = false;
  for (int i = static_cast<int>(first); i != -1; i = requests[i].next) {
    const uint64_t key = requests[i].key;
    const Slot old = *slot;
    const unsigned same = __ballot_sync(group, old.key == key), free = __ballot_sync(group, old.key == 0);
    const unsigned chosen = same ? __ffs(same) - 1 : free ? __ffs(free) - 1 : lane - way + victim_of(key);
    if (lane != chosen) continue;
    if (BUG == 1) store_pair(slot, key, value_of(key, batch));
    if (!logged && log != nullptr) {
      const LogEntry entry = {old.key, old.value, index};
      if (BUG == 2)
        log_without_persist(log, entry);
      else if (gpmlog_insert(log, &entry, sizeof entry) != gpmlog_ok)  // @log
        atomicAdd(refused, 1);
    }
    logged = true;
    if (BUG != 1) store_pair(slot, key, value_of(key, batch));
  }
  if (logged) bench::persist_mine(persist, slot, sizeof *slot);
}

template <class Persist>
__global__ void __launch_bounds__(kThreads) serve(Slot* slots, gpmlog* log, const Request* requests, unsigned count,
                                                  uint32_t sets, uint32_t batch, Persist persist, unsigned* refused) {
  const unsigned i = (blockIdx.x * kThreads + threadIdx.x) / kWays;
  if (i >= count || requests[i].get || !requests[i].head) return;
  work_off(slots, log, requests, i, sets, batch, persist, refused);
}
// GETs read the store as it was before this batch.
__global__ void __launch_bounds__(kThreads)
    look_up(const Slot* slots, const Request* requests, unsigned count, uint32_t sets, uint64_t* answers) {
  const unsigned i = (blockIdx.x * kThreads + threadIdx.x) / kWays;
  if (i >= count || !requests[i].get) return;
  const Slot slot = slots[size_t(set_of(requests[i].key, sets)) * kWays + threadIdx.x % kWays];
  if (slot.key == requests[i].key) answers[i] = slot.value;
}

__global__ void undo(Slot* slots, gpmlog* log, uint32_t partitions, unsigned* undone) {
  const int partition = bench::partition_to_undo(partitions);
  LogEntry entry;
  while (gpmlog_read(log, &entry, sizeof entry, partition) == gpmlog_ok) {
    if (BUG == 4 && gpmlog_remove(log, sizeof entry, partition) != gpmlog_ok) return;  // @drop_early
    slots[entry.slot].value = entry.value;
    slots[entry.slot].key = entry.key;  // @restore
    gpm_persist();
    if (BUG != 4) gpmlog_remove(log, sizeof entry, partition);
    atomicAdd(undone, 1);
  }
}

// A key by Zipf's law with exponent 1. There are as many keys as slots, or twice as many as requests.
uint64_t zipf_key(uint64_t dice, uint64_t keys) {
  const double u = static_cast<double>(dice >> 11) * 0x1p-53;
  return static_cast<uint64_t>(std::exp(u * std::log(static_cast<double>(keys))));
}
uint64_t key_of(const Shape& shape, uint32_t batch, uint32_t i) {
  const uint64_t number = uint64_t(batch) * shape.pairs + i, dice = mix(number ^ 0x5bd1e995);
  const uint64_t all = uint64_t(shape.pairs) * shape.batches;
  if (shape.gets != 0) return mix(zipf_key(dice, all)) | 1;
  const bool again = batch > 0 && dice % 8 == 0;
  return mix((again ? (dice >> 8) % (uint64_t(batch) * shape.pairs) : number) + 1) | 1;
}

std::vector<Request> requests_of(const Shape& shape, uint32_t batch) {
  std::vector<Request> requests(shape.pairs);
  std::vector<int> last(shape.sets, -1);
  for (uint32_t i = 0; i < shape.pairs; ++i) {
    const uint64_t key = key_of(shape, batch, i);
    const bool get = mix(uint64_t(batch) << 32 | i) % 100 < shape.gets;
    requests[i] = {key, -1, false, get};
    if (get) continue;
    int& before = last[set_of(key, shape.sets)];
    requests[i].head = before == -1;
    if (before != -1) requests[before].next = static_cast<int>(i);
    before = static_cast<int>(i);
  }
  return requests;
}

// The reference: the same store on the host. `answers`: the expected answers of the last batch's GETs.
class Model {
 public:
  explicit Model(const Shape& shape) : shape_(shape), slots_(size_t(shape.sets) * kWays, Slot{0, 0}) {}
  const std::vector<Slot>& slots() const { return slots_; }

  std::vector<uint64_t> serve(uint32_t batch) {
    std::vector<uint64_t> answers(shape_.pairs, 0);
    const std::vector<Request> requests = requests_of(shape_, batch);
    for (uint32_t i = 0; i < shape_.pairs; ++i)
      if (requests[i].get)
        for (unsigned way = 0; way < kWays; ++way) {
          const Slot& slot = set(requests[i].key)[way];
          if (slot.key == requests[i].key) answers[i] = slot.value;
        }
    for (const Request& request : requests) {
      if (request.get) continue;
      Slot* slots = set(request.key);
      unsigned way = 0;
      while (way < kWays && slots[way].key != request.key) ++way;
      for (unsigned w = 0; way == kWays && w < kWays; ++w)
        if (slots[w].key == 0) way = w;
      slots[way == kWays ? victim_of(request.key) : way] = {request.key, value_of(request.key, batch)};
    }
    return answers;
  }

 private:
  Slot* set(uint64_t key) { return &slots_[size_t(set_of(key, shape_.sets)) * kWays]; }
  Shape shape_;
  std::vector<Slot> slots_;
};

void check_store(const Store& store, const Model& model) {
  const Slot* slots = store.host<Slot>(0);
  for (size_t i = 0; i < model.slots().size(); ++i) {
    const Slot& want = model.slots()[i];
    EXPECT(want.key == slots[i].key && (want.key == 0 || want.value == slots[i].value),
           "slot %zu should hold %#llx = %#llx, holds %#llx = %#llx", i, static_cast<unsigned long long>(want.key),
           static_cast<unsigned long long>(want.value), static_cast<unsigned long long>(slots[i].key),
           static_cast<unsigned long long>(slots[i].value));
  }
}

void serve_batch(Store& store, gpmlog* log, const Shape& shape, uint32_t batch, bool commit, Model& model) {
  const DeviceArray<Request> requests(requests_of(shape, batch));
  DeviceArray<uint64_t> answers(shape.pairs, 0);
  DeviceArray<unsigned> refused(1, 0);
  Slot* slots = store.kernels<Slot>(0);
  {
    const Phase phase("batch");
    if (log != nullptr) store.set_state(2ull * batch + 1);
    if (BUG == 3) store.set_state(2ull * batch + 2);
    if (shape.gets != 0) look_up<<<shape.blocks(), kThreads>>>(slots, requests, shape.pairs, shape.sets, answers);
    store.with_persists([&](auto persist) {
      serve<<<shape.blocks(), kThreads>>>(slots, log, requests, shape.pairs, shape.sets, batch, persist, refused);
    });
    store.persist_results(0, shape.bytes());
    if (commit) store.commit(2ull * batch + 2, batch + 1);
    if (commit && log != nullptr) bench::clear_log<<<shape.blocks(), kThreads>>>(log, shape.partitions);
  }
  FINISH_KERNEL();
  EXPECT(refused.download()[0] == 0, "the log should have room for every thread, refused %u", refused.download()[0]);
  EXPECT_SAME(model.serve(batch), answers.download(), "answer");
}

int run(Options options) {
  options.shape.system = static_cast<uint32_t>(options.system);
  const Shape& shape = options.shape;
  Store store(options, kMagic, shape.bytes());
  gpmlog* log = nullptr;
  if (bench::kernels_store(options.system)) {
    log = bench::create_log(options.pool + ".log", sizeof(LogEntry), shape.blocks(), kThreads, shape.partitions);
    EXPECT(log != nullptr, "the log should have been created");
  }
  Model model(shape);
  store.begin_work();
  for (uint32_t batch = 0; batch < shape.batches; ++batch)
    serve_batch(store, log, shape, batch, !(options.stop_before_commit && batch + 1 == shape.batches), model);
  store.end();
  if (options.stop_before_commit) return PASS("stopped before the last commit");
  check_store(store, model);
  bench::print_phases({"batch"});
  return PASS("%s: %u batches of %u requests", bench::kSystemNames[shape.system], shape.batches, shape.pairs);
}

// For systems whose log is not durable before the data: the recovery can only look whether the store has the committed
// batches and nothing else. If not, it says what it has of the next batch.
int examine(const Store& store, Model& model, const Shape& shape, uint32_t committed) {
  const std::vector<Slot> before = model.slots();
  if (committed < shape.batches) model.serve(committed);
  bench::Remains remains;
  for (size_t i = 0; i < before.size(); ++i)
    remains.add(&before[i], &model.slots()[i], store.host<Slot>(0) + i, sizeof(Slot));
  return remains.judge(__FILE__, "slots", shape.system, committed, shape.batches);
}

int recover(const Options& options) {
  Store store(options.recovered, kMagic, options.system, false);
  if (!store.is_whole()) return PASS("the pool was not created yet");
  const Shape shape = store.shape<Shape>();
  bench::require_system(options.recovered, shape.system, options.system);
  const uint32_t committed = static_cast<uint32_t>(store.state() / 2);
  bench::expect_acknowledged(committed, "batches");
  Model model(shape);
  for (uint32_t batch = 0; batch < committed; ++batch) model.serve(batch);
  if (!bench::kernels_persist(options.system)) return examine(store, model, shape, committed);
  gpmlog* log = gpmlog_open((options.recovered + ".log").c_str());
  EXPECT(log != nullptr || store.state() == 0, "a store with batches should have its log");
  if (log == nullptr) return PASS("the log was not created yet");
  DeviceArray<unsigned> undone(1, 0);
  {
    const Phase phase("recovery");
    if (store.state() % 2 == 1) {
      undo<<<shape.blocks(), kThreads>>>(store.kernels<Slot>(0), log, shape.partitions, undone);
      store.set_state(2ull * committed);
    } else {
      bench::clear_log<<<shape.blocks(), kThreads>>>(log, shape.partitions);
    }
  }
  FINISH_KERNEL();
  check_store(store, model);
  for (uint32_t batch = committed; options.resume && batch < shape.batches; ++batch)
    serve_batch(store, log, shape, batch, true, model);
  check_store(store, model);
  bench::print_phases({"recovery"});
  return PASS("recovered: %u of %u batches were committed, %u slots undone", committed, shape.batches,
              undone.download()[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = bench::parse<Shape>(argc, argv, "gpkvs.pool", kPresets,
                                              {{"--pairs", &Shape::pairs, 1, 1 << 24},
                                               {"--batches", &Shape::batches, 0, 1 << 16},
                                               {"--sets", &Shape::sets, 1, 1 << 28},
                                               {"--gets", &Shape::gets, 0, 100},
                                               {"--partitions", &Shape::partitions, 0, 1 << 16}});
  return options.recovered.empty() ? run(options) : recover(options);
}
