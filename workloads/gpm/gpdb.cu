// gpDB: transactions on a table in persistent memory, whose rows lie in tablets by columns ("GPM", ASPLOS'22, section
// 4.1): batches of inserted rows, or of updates of one column in the rows that a condition chooses.
//
//   gpdb [--rows N] [--batches N] …               rows of a batch, copied from the host and inserted at the table's end
//   gpdb --update 1 [--rows N] [--batches N] …    rows of the table, of which a batch updates one in twenty
//        [--share N]                              a conventional log in place of HCL; N updates share a partition
//        [--tablet N]                             rows of a tablet
//        [--published 1]                          chooses and updates a tablet at a time, with the list of rows sorted
//                                                 by the host between, and with the log (published_log.h), as the
//                                                 published program. Built with --trace-host; not recovered
//   gpdb --recover FILE [--resume]                undo the batch that was not committed, check; then do the rest
//   --stop-before-commit: all of the last batch but its commit
//
// How a batch becomes atomic. The state is 2b while b batches are committed and none is open, 2b + 1 while batch b is
// open. Inserts log the table's size and checksum in a conventional log before these change; rows behind the table's
// end do not count. An update logs the old value, and then the row's number. Both are durable before the value changes.
// A log is empty whenever the state becomes odd: it is cleared behind each commit, and by a recovery, which takes an
// entry off only when what it restores is durable. deterministic: yes
#include <algorithm>

#include "gpdb.h"
#include "published_log.h"

namespace {

using bench::is_chosen;
using bench::kUpdated;
using bench::kWords;
using bench::Phase;
using bench::Row;
using bench::Store;
using bench::Table;
using bench::Tablets;
using bench::updated;
using bench::updated_row;

constexpr uint64_t kMagic = 0x677044424d543032ull;
constexpr unsigned kThreads = 256;

struct Shape {
  uint32_t rows, batches, update;
  uint32_t share, system;  // share: a partition of a conventional log of updates; 0: HCL
  uint32_t tablet;         // rows of a tablet
  uint32_t published;      // updates as the published program makes them
  Tablets tablets() const { return Tablets(tablet); }
  size_t bytes() const {
    return sizeof(bench::Header) + tablets().bytes_of(update != 0 ? rows : size_t(rows) * batches);
  }
  unsigned blocks() const { return bench::blocks_for(rows, kThreads); }
  // Of updates, in the order of the list of chosen rows: one row in twenty is expected.
  bench::LogShape log() const { return {sizeof(uint32_t) * 2, rows / 16 + 256, kThreads, share}; }
};
constexpr size_t kRowsAt = sizeof(bench::Header);  // behind the table's own line
// The paper's tablets have 8 MiB.
constexpr bench::Presets<Shape> kPresets = {
    {4000, 4, 0, 0, 0, 1024, 0}, {50000000, 1, 0, 0, 0, 233008, 0}, {40, 3, BUG == 2 || BUG == 3, 0, 0, 16, 0}};
using Options = bench::Options<Shape>;

template <class Persist>
__global__ void fill(char* rows, Tablets tablets, unsigned count, Persist persist) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) return;
  for (unsigned w = 0; w < kWords; ++w) {
    uint32_t& word = tablets.word(rows, i, w);
    word = bench::new_word(i, w);
    bench::persist_one(persist, &word, sizeof word);
  }
  bench::persist_all(persist);
}
__global__ void set_table(Table* table, Table contents) {
  table->checksum = contents.checksum;
  table->rows = contents.rows;
  gpm_persist();
}

// A whole batch of inserts, `loaded` by columns. One thread of the kernel logs the size. All threads store rows. The
// block that ends last moves the table's end.
template <class Persist>
__global__ void insert(Table* table, char* rows, Tablets tablets, gpmlog* log, const uint32_t* loaded, unsigned count,
                       Table after, unsigned* arrivals, Persist persist, unsigned* refused) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i == 0 && log != nullptr && BUG != 1) {
    const Table before = *table;
    if (gpmlog_insert(log, &before, sizeof before, 0) != gpmlog_ok) atomicAdd(refused, 1u);  // @log_size
  }
  if (i < count) {
    for (unsigned w = 0; w < kWords; ++w) {
      uint32_t& word = tablets.word(rows, static_cast<uint32_t>(after.rows) - count + i, w);
      word = loaded[size_t(w) * count + i];  // @row
      bench::persist_one(persist, &word, sizeof word);
    }
    bench::persist_all(persist);
  }
  if (!bench::last_block(arrivals) || threadIdx.x != 0) return;
  const Table before = *table;
  table->checksum = after.checksum;  // @rows
  table->rows = after.rows;
  bench::persist_mine(persist, table, sizeof *table);
  if (BUG == 1 && log != nullptr) gpmlog_insert(log, &before, sizeof before, 0);  // @log_late
}

// An entry in the log of updates. In a partition of its own the value comes first, and counts when the row's number is
// there (so do two inserts of the published program). Where entries share a partition, one insert has both: another
// thread's words could come between.
struct Change {
  uint32_t value, row;
};
__device__ int log_change(gpmlog* log, const Change& change, const bench::LogShape& shape, uint32_t entry) {
  if (shape.share > 1) return gpmlog_insert(log, &change, sizeof change, shape.partition_of(entry));
  const int partition = shape.partition_of(entry),
            status = gpmlog_insert(log, &change.value, sizeof change.value, partition);
  return status != gpmlog_ok ? status : gpmlog_insert(log, &change.row, sizeof change.row, partition);  // @log_row
}
__device__ int log_change_as_published(gpmlog* log, const Change& change, const bench::LogShape& shape,
                                       uint32_t entry) {
  const int partition = shape.partition_of(entry);
  if (shape.share > 1) return bench::insert_as_published(log, &change.value, 2, partition);
  const int status = bench::insert_as_published(log, &change.value, 1, partition);
  return status != gpmlog_ok ? status : bench::insert_as_published(log, &change.row, 1, partition);
}
// A wrong way to log a change: nothing waits until the entry is durable.
__device__ void log_without_persist(gpmlog* log, const Change& change) {
  const everwarp::GpmLogPlace place = everwarp::gpm_log_place(log, -1);
  const unsigned* words = reinterpret_cast<const unsigned*>(&change);
  for (unsigned w = 0; w < sizeof change / 4; ++w) {
    unsigned* to = reinterpret_cast<unsigned*>(place.words + w * place.stride);
    *to = words[w];  // @word
  }
  *place.head = sizeof change / 4;  // @unpersisted
}

// The rows that the condition chooses among those from `first` to before `end`. With this list every thread of a warp
// of update() has a row, and logs it.
struct Chosen {
  uint32_t count;
  uint32_t row[1];  // more follow
};
// Each block appends its rows in their order, so most neighbours in the list are neighbours in the table.
__global__ void choose(char* rows, Tablets tablets, unsigned first, unsigned end, uint32_t batch, Chosen* chosen) {
  __shared__ unsigned begin, of_warp[kThreads / 32];
  const unsigned i = first + blockIdx.x * kThreads + threadIdx.x, warp = threadIdx.x / 32;
  const bool mine = i < end && is_chosen(tablets.word(rows, i, 0), batch);
  const unsigned lanes = __ballot_sync(~0u, mine);
  if (threadIdx.x % 32 == 0) of_warp[warp] = __popc(lanes);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned all = 0;
    for (unsigned w = 0; w < kThreads / 32; ++w) all += of_warp[w];
    begin = atomicAdd(&chosen->count, all);
  }
  __syncthreads();
  unsigned at = begin + __popc(lanes & ((1u << threadIdx.x % 32) - 1));
  for (unsigned w = 0; w < warp; ++w) at += of_warp[w];
  if (mine) chosen->row[at] = i;
}

// The change of the row that entry k of the list names.
template <class Persist>
__device__ void update_row(char* rows, const Tablets& tablets, gpmlog* log, const bench::LogShape& shape, uint32_t row,
                           unsigned k, uint32_t batch, Persist persist, unsigned* refused) {
  uint32_t& value = tablets.word(rows, row, kUpdated);
  const Change change = {value, row};
  if (log != nullptr) {
    if (BUG == 2) log_without_persist(log, change);
    if (BUG == 3) value = updated(change.value, batch);  // @value_early
    if (BUG != 2 && log_change(log, change, shape, k) != gpmlog_ok) atomicAdd(refused, 1u);
  }
  value = updated(change.value, batch);  // @value
  bench::persist_mine(persist, &value, sizeof value);
}
template <class Persist>
__global__ void update(char* rows, Tablets tablets, gpmlog* log, bench::LogShape shape, const Chosen* chosen,
                       uint32_t batch, Persist persist, unsigned* refused) {
  const unsigned k = blockIdx.x * kThreads + threadIdx.x, count = chosen->count;
  if (k == 0 && count > shape.entries) atomicAdd(refused, count - shape.entries);
  if (k >= count || k >= shape.entries) return;
  update_row(rows, tablets, log, shape, chosen->row[k], k, batch, persist, refused);
}
// --published: the rows of one tablet, from `first` to before `end`. Every entry of the list has a thread, which looks.
template <class Persist>
__global__ void update_tablet(char* rows, Tablets tablets, gpmlog* log, bench::LogShape shape, const uint32_t* list,
                              unsigned count, unsigned first, unsigned end, uint32_t batch, Persist persist,
                              unsigned* refused) {
  const unsigned k = blockIdx.x * kThreads + threadIdx.x;
  if (k >= count || list[k] < first || list[k] >= end) return;
  uint32_t& value = tablets.word(rows, list[k], kUpdated);
  const Change change = {value, list[k]};
  if (log != nullptr && log_change_as_published(log, change, shape, k) != gpmlog_ok) atomicAdd(refused, 1u);
  value = updated(change.value, batch);
  bench::persist_mine(persist, &value, sizeof value);
}

__global__ void undo_insert(Table* table, gpmlog* log, unsigned* undone) {
  Table before;
  if (gpmlog_read(log, &before, sizeof before, 0) != gpmlog_ok) return;
  if (BUG == 4) gpmlog_clear(log, 0);  // @drop_early
  table->rows = before.rows;
  table->checksum = before.checksum;  // @restore
  gpm_persist();
  if (BUG != 4) gpmlog_remove(log, sizeof before, 0);
  atomicAdd(undone, 1u);
}
__global__ void undo_update(char* rows, Tablets tablets, gpmlog* log, bench::LogShape shape, unsigned* undone) {
  const int partition = bench::partition_of_thread(shape);
  if (partition == -2) return;
  Change change;
  while (gpmlog_read(log, &change, sizeof change, partition) == gpmlog_ok) {
    tablets.word(rows, change.row, kUpdated) = change.value;
    gpm_persist();
    gpmlog_remove(log, sizeof change, partition);
    atomicAdd(undone, 1u);
  }
  gpmlog_clear(log, partition);  // a value whose row was not logged: it did not change
}

Table table_after(const Shape& shape, uint32_t batches) {
  return bench::table_of(uint64_t(shape.rows) * batches);
}
/// The rows of a batch of inserts as the host has them, by columns.
std::vector<uint32_t> rows_to_load(const Shape& shape, uint32_t batch) {
  std::vector<uint32_t> words(shape.update != 0 ? 0 : size_t(shape.rows) * kWords);
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = bench::new_word(batch * shape.rows + static_cast<uint32_t>(i % shape.rows),
                               static_cast<unsigned>(i / shape.rows));
  return words;
}

// An open database: its table, its log, and the options of the command line.
struct Database {
  Store& store;
  gpmlog* log;
  const Shape& shape;
  Table* table() const { return store.kernels<Table>(0); }
  char* rows() const { return store.kernels<char>(kRowsAt); }

  void clear_log() const {
    if (shape.published != 0)
      bench::clear_as_published<<<shape.log().blocks(), kThreads>>>(log, shape.log());
    else if (shape.update != 0)
      bench::clear_log<<<shape.log().blocks(), kThreads>>>(log, shape.log());
    else
      bench::clear_log<<<1, 1>>>(log, {sizeof(Table), 1, 1, 1});
  }
  void update_rows(uint32_t batch, Chosen* chosen, unsigned* refused) const {
    CUDA(cudaMemsetAsync(chosen, 0, sizeof(uint32_t)));
    choose<<<shape.blocks(), kThreads>>>(rows(), shape.tablets(), 0, shape.rows, batch, chosen);
    store.with_persists([&](auto persist) {
      update<<<shape.log().blocks(), kThreads>>>(rows(), shape.tablets(), log, shape.log(), chosen, batch, persist,
                                                 refused);
    });
  }
  /// As the published program: a query of each tablet, whose result the host waits for and takes; a sort by one thread
  /// of the host; a kernel for each tablet, which the host waits for.
  void update_as_published(uint32_t batch, Chosen* chosen, unsigned* refused) const {
    const uint32_t of_tablet = shape.tablet;
    uint32_t* list = nullptr;
    unsigned count = 0, found = 0;
    CUDA(cudaMallocHost(&list, shape.log().entries * sizeof *list));
    {
      const Phase phase("query");
      for (uint32_t first = 0; first < shape.rows; first += of_tablet) {
        const uint32_t end = std::min(first + of_tablet, shape.rows);
        CUDA(cudaMemsetAsync(chosen, 0, sizeof(uint32_t)));
        choose<<<bench::blocks_for(end - first, kThreads), kThreads>>>(rows(), shape.tablets(), first, end, batch,
                                                                       chosen);
        CUDA(cudaMemcpy(&found, &chosen->count, sizeof found, cudaMemcpyDeviceToHost));
        EXPECT(count + found <= shape.log().entries, "the log should have room for %u rows", count + found);
        CUDA(cudaMemcpy(list + count, chosen->row, found * sizeof *list, cudaMemcpyDeviceToHost));
        count += found;
      }
    }
    {
      const Phase phase("sort");
      EXPECT(host_parallel(1, [&](unsigned) { std::sort(list, list + count); }) == 0, "the host should have sorted");
    }
    const Phase phase("update");
    CUDA(cudaMemcpy(chosen->row, list, count * sizeof *list, cudaMemcpyHostToDevice));
    for (uint32_t first = 0; first < shape.rows; first += of_tablet) {
      store.with_persists([&](auto persist) {
        update_tablet<<<bench::blocks_for(count, kThreads), kThreads>>>(
            rows(), shape.tablets(), log, shape.log(), chosen->row, count, first,
            std::min(first + of_tablet, shape.rows), batch, persist, refused);
      });
      FINISH_KERNEL();
    }
    CUDA(cudaFreeHost(list));
  }
  void insert_rows(uint32_t batch, const uint32_t* loaded, unsigned* arrivals, unsigned* refused) const {
    store.with_persists([&](auto persist) {
      insert<<<shape.blocks(), kThreads>>>(table(), rows(), shape.tablets(), log, loaded, shape.rows,
                                           table_after(shape, batch + 1), arrivals, persist, refused);
    });
    const Tablets tablets = shape.tablets();  // the host persists whole tablets, from the one with the first new row
    const size_t first = size_t(batch) * shape.rows / tablets.rows * tablets.bytes;
    store.persist_results(kRowsAt + first, tablets.bytes_of((batch + 1ull) * shape.rows) - first);
    store.persist_results(0, sizeof(Table));
  }
  void run_batch(uint32_t batch, bool commit) const {
    const std::vector<uint32_t> loaded = rows_to_load(shape, batch);
    DeviceArray<uint32_t> to(loaded.size() + 1);
    DeviceArray<unsigned> refused(1, 0), arrivals(1, 0), chosen(shape.update != 0 ? shape.rows + 1 : 1);
    {
      const Phase phase("batch");
      if (log != nullptr) store.set_state(2ull * batch + 1);
      if (shape.update != 0) {
        Chosen* const list = reinterpret_cast<Chosen*>(chosen.get());
        shape.published != 0 ? update_as_published(batch, list, refused) : update_rows(batch, list, refused);
        store.persist_results(0, shape.bytes());  // if the host persists, it does not know which rows have changed
      } else {
        CUDA(cudaMemcpy(to, loaded.data(), loaded.size() * sizeof(uint32_t), cudaMemcpyHostToDevice));
        insert_rows(batch, to, arrivals, refused);
      }
      if (commit) store.commit(2ull * batch + 2, batch + 1);
      if (commit && log != nullptr) clear_log();
    }
    FINISH_KERNEL();
    EXPECT(refused.download()[0] == 0, "the log should have room, refused %u", refused.download()[0]);
  }

  void check(uint32_t committed) const {
    const Table *found = store.host<Table>(0), want = table_after(shape, shape.update != 0 ? 1 : committed);
    EXPECT(found->rows == want.rows && found->checksum == want.checksum,
           "the table should have %llu rows (checksum %llu), has %llu (%llu)",
           static_cast<unsigned long long>(want.rows), static_cast<unsigned long long>(want.checksum),
           static_cast<unsigned long long>(found->rows), static_cast<unsigned long long>(found->checksum));
    const char* rows = store.host<char>(kRowsAt);
    for (uint32_t i = 0; i < want.rows; ++i)
      bench::check_row(shape.tablets().row(rows, i), updated_row(i, shape.update != 0 ? committed : 0), i);
  }
};

int run(Options options) {
  options.shape.system = static_cast<uint32_t>(options.system);
  const Shape& shape = options.shape;
  EXPECT(uint64_t(shape.rows) * std::max(shape.batches, 1u) <= 1u << 31, "a table should have at most 2^31 rows");
  Store store(options, kMagic, shape.bytes());
  gpmlog* log = nullptr;
  if (bench::kernels_store(options.system)) {
    const std::string file = options.pool + ".log";
    log = shape.update != 0 ? shape.log().create(file) : gpmlog_create_conv(file.c_str(), sizeof(Table), 1);
    EXPECT(log != nullptr, "the log should have been created");
  }
  const Database database = {store, log, shape};
  if (shape.update != 0) {
    store.with_persists([&](auto persist) {
      fill<<<shape.blocks(), kThreads>>>(database.rows(), shape.tablets(), shape.rows, persist);
    });
    set_table<<<1, 1>>>(database.table(), table_after(shape, 1));
    store.persist_results(0, shape.bytes());  // before the first state that is not 0
    if (log == nullptr) store.set_state(1);
  }
  store.begin_work();
  for (uint32_t batch = 0; batch < shape.batches; ++batch)
    database.run_batch(batch, !(options.stop_before_commit && batch + 1 == shape.batches));
  store.end();
  if (options.stop_before_commit) return PASS("stopped before the last commit");
  if (shape.batches != 0) database.check(shape.batches);
  bench::print_phases({"batch", "query", "sort", "update"});
  return PASS("%s: %u batches, %s %u rows", bench::kSystemNames[shape.system], shape.batches,
              shape.update != 0 ? "updates of" : "inserts of", shape.rows);
}

// For systems whose log is not durable before the data: the recovery can only look whether the table has the committed
// batches and nothing else. If not, it says what it has of the next batch. Rows behind the table's end do not count.
int examine(const Store& store, const Shape& shape, uint32_t committed) {
  const auto table_of = [&](uint32_t batches) { return table_after(shape, shape.update != 0 ? 1 : batches); };
  bench::Remains remains;
  const uint32_t next = committed < shape.batches ? committed + 1 : committed;
  const Table before = table_of(committed), after = table_of(next);
  if (shape.update == 0) remains.add(&before, &after, store.host<Table>(0), sizeof before);
  const char* rows = store.host<char>(kRowsAt);
  for (uint32_t i = 0; i < before.rows; ++i) {
    const Row found = shape.tablets().row(rows, i);
    const Row old = updated_row(i, shape.update != 0 ? committed : 0);
    const Row updated = updated_row(i, shape.update != 0 ? next : 0);
    remains.add(&old, &updated, &found, sizeof old);
  }
  return remains.judge(__FILE__, shape.update != 0 ? "rows" : "tables", shape.system, committed, shape.batches);
}

int recover(const Options& options) {
  Store store(options.recovered, kMagic, options.system, false, options.ddio);
  if (!store.is_whole()) return PASS("the pool was not created yet");
  const Shape shape = store.shape<Shape>();
  bench::require_system(options.recovered, shape.system, options.system);
  if (shape.published != 0) {
    fprintf(stderr, "%s: is of a run with --published 1, whose log is not in our order and cannot be recovered\n",
            options.recovered.c_str());
    return 2;
  }
  const uint32_t committed = static_cast<uint32_t>(store.state() / 2);
  bench::expect_acknowledged(committed, "batches");
  if (store.state() == 0 && (shape.update != 0 || bench::kernels_persist(options.system)))
    return PASS("no batch was begun");
  if (!bench::kernels_persist(options.system)) return examine(store, shape, committed);
  const std::string log_path = options.recovered + ".log";
  gpmlog* log = shape.update != 0 ? shape.log().open(log_path) : gpmlog_open(log_path.c_str());
  EXPECT(log != nullptr, "a database with batches should have its log");
  const Database database = {store, log, shape};
  DeviceArray<unsigned> undone(1, 0);
  {
    const Phase phase("recovery");
    if (store.state() % 2 == 1) {
      if (shape.update != 0)
        undo_update<<<shape.log().blocks(), kThreads>>>(database.rows(), shape.tablets(), log, shape.log(), undone);
      else
        undo_insert<<<1, 1>>>(database.table(), log, undone);
      store.set_state(2ull * committed);
    } else {
      database.clear_log();
    }
  }
  FINISH_KERNEL();
  if (committed != 0 || shape.update != 0) database.check(committed);
  for (uint32_t batch = committed; options.resume && batch < shape.batches; ++batch) database.run_batch(batch, true);
  if (options.resume) database.check(shape.batches);
  bench::print_phases({"recovery"});
  return PASS("recovered: %u of %u batches were committed, %u entries undone", committed, shape.batches,
              undone.download()[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = bench::parse<Shape>(argc, argv, "gpdb.pool", kPresets,
                                              {{"--rows", &Shape::rows, 1, 1 << 30},
                                               {"--batches", &Shape::batches, 0, 1 << 16},
                                               {"--update", &Shape::update, 0, 1},
                                               {"--share", &Shape::share, 0, 1 << 24},
                                               {"--tablet", &Shape::tablet, 16, 1 << 20},
                                               {"--published", &Shape::published, 0, 1}});
  if (options.shape.published > options.shape.update) {
    fprintf(stderr, "--published 1: is expected with --update 1; inserts have no other steps\n");
    return 2;
  }
  return options.recovered.empty() ? run(options) : recover(options);
}
