// gpKVS: batches of SETs and of GETs of a key-value store with eight slots in a set, in persistent memory ("GPM",
// ASPLOS'22, section 4.1). Each batch of SETs is a transaction with an undo log, libGPM's HCL log. One thread in eight
// logs.
//
//   gpkvs [--pairs N] [--batches N] [--sets N] [--gets PERCENT] …    requests of a batch; sets of eight slots; so many
//                                of a hundred batches are of GETs, the others of SETs, as in the published program
//         [--share N]            a conventional log, not HCL; the requests share its partitions, N each
//         [--published 1]        as the published program: its kernel (gpkvs_published.h), and each batch makes a log,
//         of
//                                whose file a core fills the pages with zeros, flushes it and closes it. A crash of
//                                such a run cannot be recovered
//   gpkvs --recover FILE [--resume]    undo the batch that was not committed, check; then do the rest
//   --stop-before-commit: all of the last batch but its commit
//
// How a batch becomes atomic. The state is 2b while b batches of SETs are committed and none is open, and 2b + 1 while
// batch b is open. A thread logs the old content of its slot. This entry is durable before the thread stores the pair.
// The log is empty whenever the state becomes odd: each commit clears it, and so does a recovery. The recovery restores
// a slot, makes it durable, and only then removes the entry. So it may be cut off and run again. GETs are served out of
// device memory: where kernels store to the pool, they keep a copy of the store there as well. deterministic: yes
#include "gpkvs_published.h"

namespace {

using bench::kWays;
using bench::LogEntry;
using bench::mix;
using bench::Phase;
using bench::Request;
using bench::Set;
using bench::set_of;
using bench::Sets;
using bench::Store;
using bench::victim_of;

constexpr uint64_t kMagic = 0x67704b5653474d32ull;
constexpr unsigned kThreads = 256;

struct Shape {
  uint32_t pairs, batches, sets, gets;  // pairs: requests of a batch; gets: of a hundred batches
  uint32_t share, system;               // share: requests for a partition of a conventional log; 0: HCL
  uint32_t published;                   // as the published program
  unsigned blocks() const { return bench::blocks_for(size_t(pairs) * kWays, kThreads); }
  size_t bytes() const { return size_t(sets) * sizeof(Set); }
  // The published program's log has an entry of the batch itself.
  bench::LogShape log() const { return {sizeof(LogEntry), pairs + (published != 0), kThreads, share}; }
  bool sets_in(uint32_t batch) const { return uint64_t(batch) * (100 - gets) % 100 < 100 - gets; }
  uint32_t sets_before(uint32_t batch) const {
    uint32_t found = 0;
    for (uint32_t b = 0; b < batch; ++b) found += sets_in(b);
    return found;
  }
  /// The first batch behind the first `committed` batches of SETs.
  uint32_t batch_behind(uint32_t committed) const {
    uint32_t batch = 0;
    while (committed != 0) committed -= sets_in(batch++);
    return batch;
  }
};
constexpr bench::Presets<Shape> kPresets = {
    {2048, 4, 4096, 0, 0, 0, 0}, {1 << 21, 25, 1 << 25, 0, 0, 0, 0}, {24, 3, 8, 30, 0, 0, 0}};
using Options = bench::Options<Shape>;

// A wrong way to write a log: nothing waits until the entry is durable.
__device__ void log_without_persist(gpmlog* log, const LogEntry& entry, int partition) {
  const everwarp::GpmLogPlace place = everwarp::gpm_log_place(log, partition);
  const unsigned* words = reinterpret_cast<const unsigned*>(&entry);
  for (unsigned w = 0; w < sizeof entry / 4; ++w) {
    unsigned* to = reinterpret_cast<unsigned*>(place.words + w * place.stride);
    *to = words[w];  // @word
  }
  *place.head = sizeof entry / 4;  // @unpersisted
}
__device__ void store_pair(Set& set, unsigned way, uint32_t key, uint64_t value) {
  set.value[way] = value;  // @value
  set.key[way] = key;      // @key
}

// Eight threads, one for each slot of the set, serve the chain that begins with `first`. A thread logs before its first
// change of the batch.
template <class Persist>
__device__ void work_off(const Sets& sets, gpmlog* log, const bench::LogShape& shape, const Request* requests,
                         unsigned first, Persist persist, unsigned* refused) {
  const unsigned way = threadIdx.x % kWays, lane = threadIdx.x % 32, group = 0xffu << (lane - way);
  const uint32_t number = set_of(requests[first].key, sets.count);
  Set& set = sets.stored[number];
  bool logged = false;
  for (unsigned i = first + 1; i != 0; i = requests[i - 1].next) {
    const Request request = requests[i - 1];
    const uint32_t old = set.key[way];
    const unsigned same = __ballot_sync(group, old == request.key), free = __ballot_sync(group, old == 0);
    const unsigned chosen = same ? __ffs(same) - 1 : free ? __ffs(free) - 1 : lane - way + victim_of(request.key);
    if (lane != chosen) continue;
    if (BUG == 1) store_pair(set, way, request.key, request.value);
    if (!logged && log != nullptr) {
      const LogEntry entry = {set.value[way], old, way, number, 0};
      const int partition = shape.partition_of(i - 1);
      if (BUG == 2)
        log_without_persist(log, entry, partition);
      else if (gpmlog_insert(log, &entry, sizeof entry, partition) != gpmlog_ok)  // @log
        atomicAdd(refused, 1);
    }
    logged = true;
    if (BUG != 1) store_pair(set, way, request.key, request.value);
    if (sets.copy != nullptr) {
      sets.copy[number].value[way] = request.value;
      sets.copy[number].key[way] = request.key;
    }
  }
  if (!logged) return;
  bench::persist_one(persist, &set.value[way], sizeof set.value[way]);
  bench::persist_one(persist, &set.key[way], sizeof set.key[way]);
  bench::persist_all(persist);
}

template <class Persist>
__global__ void __launch_bounds__(kThreads)
    serve(Sets sets, gpmlog* log, bench::LogShape shape, const Request* requests, Persist persist, unsigned* refused) {
  const unsigned i = (blockIdx.x * kThreads + threadIdx.x) / kWays;
  if (i >= shape.entries || !requests[i].head) return;
  work_off(sets, log, shape, requests, i, persist, refused);
}
__global__ void __launch_bounds__(kThreads)
    look_up(const Set* sets, uint32_t set_count, const uint32_t* keys, unsigned count, uint64_t* answers) {
  const unsigned i = (blockIdx.x * kThreads + threadIdx.x) / kWays, way = threadIdx.x % kWays;
  if (i >= count) return;
  const Set& set = sets[set_of(keys[i], set_count)];
  if (set.key[way] == keys[i]) answers[i] = set.value[way];
}

__global__ void undo(Set* sets, gpmlog* log, bench::LogShape shape, unsigned* undone) {
  const int partition = bench::partition_of_thread(shape);
  if (partition == -2) return;
  LogEntry entry;
  while (gpmlog_read(log, &entry, sizeof entry, partition) == gpmlog_ok) {
    if (BUG == 4 && gpmlog_remove(log, sizeof entry, partition) != gpmlog_ok) return;  // @drop_early
    sets[entry.set].value[entry.way] = entry.value;
    sets[entry.set].key[entry.way] = entry.key;  // @restore
    gpm_persist();
    if (BUG != 4) gpmlog_remove(log, sizeof entry, partition);
    atomicAdd(undone, 1);
  }
}

// A number below `count` by Zipf's law with exponent 1.
uint64_t zipf(uint64_t dice, uint64_t count) {
  const double u = static_cast<double>(dice >> 11) * 0x1p-53;
  return static_cast<uint64_t>(std::exp(u * std::log(static_cast<double>(count))));
}
uint32_t key_of_number(uint64_t number) {
  return static_cast<uint32_t>(mix(number + 1)) | 1;
}
/// SET i of the batch of SETs number `batch`. One in eight sets a key again.
Request set_request(const Shape& shape, uint32_t batch, uint32_t i) {
  const uint64_t number = uint64_t(batch) * shape.pairs + i, dice = mix(number ^ 0x5bd1e995);
  const bool again = batch > 0 && dice % 8 == 0;
  const uint32_t key = key_of_number(again ? (dice >> 8) % (uint64_t(batch) * shape.pairs) : number);
  return {mix(key + 0x9e3779b97f4a7c15ull * (batch + 1)), key, 0, 0};
}
/// As the published program has them: what a block serves is of its own part of the table (nearly), in any order.
void sort_by_block(std::vector<Request>& requests, uint32_t sets) {
  const auto block = [sets](const Request& r) {
    return uint64_t(set_of(r.key, sets)) * bench::kPublishedBlocks / sets;
  };
  std::stable_sort(requests.begin(), requests.end(),
                   [&](const Request& a, const Request& b) { return block(a) < block(b); });
}
std::vector<Request> requests_of(const Shape& shape, uint32_t batch) {
  std::vector<Request> requests(shape.pairs);
  std::vector<int> last(shape.sets, -1);
  for (uint32_t i = 0; i < shape.pairs; ++i) requests[i] = set_request(shape, batch, i);
  if (shape.published != 0) sort_by_block(requests, shape.sets);
  for (uint32_t i = 0; i < shape.pairs; ++i) {
    int& before = last[set_of(requests[i].key, shape.sets)];
    requests[i].head = before == -1;
    if (before != -1) requests[before].next = (i + 1) & 0x7fffffff;
    before = static_cast<int>(i);
  }
  return requests;
}
/// The keys of a batch of GETs, by Zipf's law among the keys of the `sets` batches of SETs before.
std::vector<uint32_t> keys_to_get(const Shape& shape, uint32_t batch, uint32_t sets) {
  std::vector<uint32_t> keys(shape.pairs);
  for (uint32_t i = 0; i < shape.pairs; ++i)
    keys[i] = key_of_number(zipf(mix(uint64_t(batch) << 32 | i), uint64_t(sets) * shape.pairs) - 1);
  return keys;
}

// The reference: the same store on the host.
class Model {
 public:
  explicit Model(const Shape& shape) : shape_(shape), sets_(shape.sets, Set{}) {}
  const std::vector<Set>& sets() const { return sets_; }

  void serve(const std::vector<Request>& requests) {
    for (const Request& request : requests) {
      Set& set = sets_[set_of(request.key, shape_.sets)];
      unsigned way = 0;
      while (way < kWays && set.key[way] != request.key) ++way;
      for (unsigned w = 0; way == kWays && w < kWays; ++w)
        if (set.key[w] == 0) way = w;
      if (way == kWays) way = victim_of(request.key);
      set.key[way] = request.key;
      set.value[way] = request.value;
    }
  }
  std::vector<uint64_t> answers(const std::vector<uint32_t>& keys) const {
    std::vector<uint64_t> answers(keys.size(), 0);
    for (size_t i = 0; i < keys.size(); ++i) {
      const Set& set = sets_[set_of(keys[i], shape_.sets)];
      for (unsigned way = 0; way < kWays; ++way)
        if (set.key[way] == keys[i]) answers[i] = set.value[way];
    }
    return answers;
  }

 private:
  Shape shape_;
  std::vector<Set> sets_;
};

void check_store(const Store& store, const Model& model) {
  const Set* sets = store.host<Set>(0);
  for (size_t i = 0; i < model.sets().size(); ++i)
    for (unsigned way = 0; way < kWays; ++way) {
      const Set &want = model.sets()[i], &found = sets[i];
      EXPECT(want.key[way] == found.key[way] && (want.key[way] == 0 || want.value[way] == found.value[way]),
             "slot %u of set %zu should hold %#x = %#llx, holds %#x = %#llx", way, i, want.key[way],
             static_cast<unsigned long long>(want.value[way]), found.key[way],
             static_cast<unsigned long long>(found.value[way]));
    }
}

gpmlog* make_log(const std::string& path, const Shape& shape) {
  gpmlog* log = shape.log().create(path);
  EXPECT(log != nullptr, "the log should have been created");
  return log;
}

// An open store: the pool, its log, and the copy out of which GETs are served.
class Server {
 public:
  /// `log`: NULL if the system has none, or if each batch makes one in this file.
  Server(Store& store, gpmlog* log, std::string log_path, const Shape& shape, Model& model)
      : store_(store),
        log_(log),
        log_path_(std::move(log_path)),
        shape_(shape),
        model_(model),
        copy_(shape.gets != 0 && bench::kernels_store(store.system()) ? shape.sets : 1) {
    if (copied()) CUDA(cudaMemcpy(copy_, store.kernels<Set>(0), shape.bytes(), cudaMemcpyDeviceToDevice));
  }
  void serve(uint32_t batch, bool commit) {
    if (shape_.sets_in(batch))
      set(shape_.sets_before(batch), commit);
    else
      get(batch);
  }

 private:
  bool copied() const { return shape_.gets != 0 && bench::kernels_store(store_.system()); }
  void set(uint32_t batch, bool commit) {
    const std::vector<Request> requests = requests_of(shape_, batch);
    DeviceArray<Request> on_device(requests.size());
    DeviceArray<unsigned> refused(1, 0);
    const Sets stored = {store_.kernels<Set>(0), copied() ? copy_.get() : nullptr, shape_.sets};
    {
      const Phase phase("batch");
      CUDA(cudaMemcpy(on_device, requests.data(), requests.size() * sizeof(Request), cudaMemcpyHostToDevice));
      if (log_ == nullptr && bench::kernels_store(store_.system())) {
        log_ = make_log(log_path_, shape_);
        fill_pages(log_);
      }
      if (log_ != nullptr) store_.set_state(2ull * batch + 1);
      if (BUG == 3) store_.set_state(2ull * batch + 2);
      store_.with_persists([&](auto persist) {
        if (shape_.published != 0)
          bench::serve_as_published<<<bench::kPublishedBlocks, bench::kPublishedThreads>>>(
              stored, log_, shape_.log(), on_device, shape_.pairs, persist, refused);
        else
          ::serve<<<shape_.blocks(), kThreads>>>(stored, log_, shape_.log(), on_device, persist, refused);
      });
      store_.persist_results(0, shape_.bytes());
      if (commit) store_.commit(2ull * batch + 2, batch + 1);
      if (commit && log_ != nullptr) clear_log();
      if (log_ != nullptr && shape_.published != 0) end_log();
    }
    FINISH_KERNEL();
    EXPECT(refused.download()[0] == 0, "the log should have room for every request, refused %u", refused.download()[0]);
    model_.serve(requests);
  }
  void clear_log() const {
    const bench::LogShape log = shape_.log();
    if (shape_.published != 0)
      bench::clear_as_published<<<log.blocks(), kThreads>>>(log_, log);
    else
      bench::clear_log<<<log.blocks(), kThreads>>>(log_, log);
  }
  /// --published: the first touch of a page of a new file on a DAX file system fills it with zeros.
  static void fill_pages(gpmlog* log) {
    gpmlog handle;
    CUDA(cudaMemcpy(&handle, log, sizeof handle, cudaMemcpyDeviceToHost));
    char* const entries = handle.pool + handle.shape.entries;
    const size_t bytes = handle.shape.bytes - handle.shape.entries;
    const std::vector<char> zeros(bytes, 0);
    EXPECT(host_copy(entries, zeros.data(), bytes, 1) == 0 && host_persist(entries, bytes, 1) == 0,
           "the host should have filled the log's pages");
    CUDA(cudaDeviceSynchronize());
  }
  /// --published: one core flushes the whole file of the log, which is then closed.
  void end_log() {
    gpmlog handle;
    CUDA(cudaMemcpy(&handle, log_, sizeof handle, cudaMemcpyDeviceToHost));
    EXPECT(host_persist(handle.pool, handle.shape.bytes, 1) == 0, "the host should have flushed the log");
    EXPECT(gpmlog_close(log_) == 0, "the log should be closed");
    log_ = nullptr;
  }
  void get(uint32_t batch) {
    const std::vector<uint32_t> keys = keys_to_get(shape_, batch, shape_.sets_before(batch));
    std::vector<uint64_t> found(keys.size());
    DeviceArray<uint32_t> on_device(keys.size());
    DeviceArray<uint64_t> answers(keys.size());
    {
      const Phase phase("batch");
      CUDA(cudaMemcpy(on_device, keys.data(), keys.size() * sizeof(uint32_t), cudaMemcpyHostToDevice));
      CUDA(cudaMemsetAsync(answers, 0, keys.size() * sizeof(uint64_t)));
      look_up<<<shape_.blocks(), kThreads>>>(copied() ? copy_.get() : store_.kernels<Set>(0), shape_.sets, on_device,
                                             shape_.pairs, answers);
      CUDA(cudaMemcpy(found.data(), answers, found.size() * sizeof(uint64_t), cudaMemcpyDeviceToHost));
    }
    EXPECT_SAME(model_.answers(keys), found, "answer");
  }

  Store& store_;
  gpmlog* log_;
  const std::string log_path_;
  const Shape& shape_;
  Model& model_;
  DeviceArray<Set> copy_;
};

int run(Options options) {
  options.shape.system = static_cast<uint32_t>(options.system);
  const Shape& shape = options.shape;
  Store store(options, kMagic, shape.bytes());
  const std::string log_path = options.pool + ".log";
  const bool one_log = bench::kernels_store(options.system) && shape.published == 0;
  Model model(shape);
  Server server(store, one_log ? make_log(log_path, shape) : nullptr, log_path, shape, model);
  store.begin_work();
  for (uint32_t batch = 0; batch < shape.batches; ++batch)
    server.serve(batch, !(options.stop_before_commit && batch + 1 == shape.batches));
  store.end();
  if (options.stop_before_commit) return PASS("stopped before the last commit");
  check_store(store, model);
  bench::print_phases({"batch"});
  return PASS("%s: %u batches of %u requests", bench::kSystemNames[shape.system], shape.batches, shape.pairs);
}

// For systems whose log is not durable before the data: the recovery can only look whether the store has the committed
// batches and nothing else. If not, it says what it has of the next batch.
int examine(const Store& store, Model& model, const Shape& shape, uint32_t committed) {
  const std::vector<Set> before = model.sets();
  if (committed < shape.sets_before(shape.batches)) model.serve(requests_of(shape, committed));
  bench::Remains remains;
  const Set* found = store.host<Set>(0);
  struct Slot {
    uint64_t value, key;
  };
  for (size_t i = 0; i < before.size(); ++i)
    for (unsigned way = 0; way < kWays; ++way) {
      const auto slot = [&](const Set& set) { return Slot{set.value[way], set.key[way]}; };
      const Slot old = slot(before[i]), next = slot(model.sets()[i]), now = slot(found[i]);
      remains.add(&old, &next, &now, sizeof(Slot));
    }
  return remains.judge(__FILE__, "slots", shape.system, committed, shape.sets_before(shape.batches));
}

int recover(const Options& options) {
  Store store(options.recovered, kMagic, options.system, false, options.ddio);
  if (!store.is_whole()) return PASS("the pool was not created yet");
  const Shape shape = store.shape<Shape>();
  bench::require_system(options.recovered, shape.system, options.system);
  if (shape.published != 0) {
    fprintf(stderr, "%s: is of a run with --published 1, whose order of stores cannot be recovered\n",
            options.recovered.c_str());
    return 2;
  }
  const uint32_t committed = static_cast<uint32_t>(store.state() / 2);
  bench::expect_acknowledged(committed, "batches");
  Model model(shape);
  for (uint32_t batch = 0; batch < committed; ++batch) model.serve(requests_of(shape, batch));
  if (!bench::kernels_persist(options.system)) return examine(store, model, shape, committed);
  const std::string log_path = options.recovered + ".log";
  gpmlog* log = shape.log().open(log_path);
  EXPECT(log != nullptr || store.state() == 0, "a store with batches should have its log");
  if (log == nullptr) return PASS("the log was not created yet");
  DeviceArray<unsigned> undone(1, 0);
  {
    const Phase phase("recovery");
    if (store.state() % 2 == 1) {
      undo<<<shape.log().blocks(), kThreads>>>(store.kernels<Set>(0), log, shape.log(), undone);
      store.set_state(2ull * committed);
    } else {
      bench::clear_log<<<shape.log().blocks(), kThreads>>>(log, shape.log());
    }
  }
  FINISH_KERNEL();
  check_store(store, model);
  Server server(store, log, log_path, shape, model);
  for (uint32_t batch = shape.batch_behind(committed); options.resume && batch < shape.batches; ++batch)
    server.serve(batch, true);
  check_store(store, model);
  bench::print_phases({"recovery"});
  return PASS("recovered: %u of %u batches of SETs were committed, %u slots undone", committed,
              shape.sets_before(shape.batches), undone.download()[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = bench::parse<Shape>(argc, argv, "gpkvs.pool", kPresets,
                                              {{"--pairs", &Shape::pairs, 1, 1 << 24},
                                               {"--batches", &Shape::batches, 0, 1 << 16},
                                               {"--sets", &Shape::sets, 1, 1 << 28},
                                               {"--gets", &Shape::gets, 0, 99},
                                               {"--share", &Shape::share, 0, 1 << 24},
                                               {"--published", &Shape::published, 0, 1}});
  return options.recovered.empty() ? run(options) : recover(options);
}
