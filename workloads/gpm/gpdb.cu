// gpDB: transactions on a table of rows in persistent memory ("GPM", ASPLOS'22, section 4.1): batches of inserted rows,
// or of updates of rows that a condition chooses.
//
//   gpdb [--rows N] [--batches N] …               rows of a batch, inserted at the end of the table
//   gpdb --update 1 [--rows N] [--batches N] …    rows of the table, of which a batch updates one in twenty
//        [--partitions N]                         a conventional log of so many partitions in place of HCL
//   gpdb --recover FILE [--resume]                undo the batch that was not committed, check; then do the rest
//   --stop-before-commit: all of the last batch but its commit
//
// How a batch becomes atomic. The state is 2b while b batches are committed and none is open, 2b + 1 while batch b is
// open. Inserts log the table's size and checksum in a conventional log before these change; rows behind the table's
// end do not count. Updates log each old row in an HCL log before they change it. A log is empty whenever the state
// becomes odd: it is cleared behind each commit, and by a recovery, which takes an entry off only when what it restores
// is durable. deterministic: yes
#include "gpdb.h"
#include "system.h"

namespace {

using bench::is_chosen;
using bench::mix;
using bench::new_row;
using bench::Phase;
using bench::Row;
using bench::Store;
using bench::Table;
using bench::updated;

constexpr uint64_t kMagic = 0x677044424d543031ull;
constexpr unsigned kThreads = 256;

struct RowEntry {
  uint32_t index, free;
  Row row;
};
struct Shape {
  uint32_t rows, batches, update;
  uint32_t partitions, system;  // partitions: of a conventional log of updates; 0: HCL
  size_t most_rows() const { return update != 0 ? rows : size_t(rows) * batches; }
  size_t bytes() const { return sizeof(bench::Header) + bench::whole_lines(most_rows() * sizeof(Row)); }
  unsigned blocks() const { return bench::blocks_for(rows, kThreads); }
  unsigned update_blocks() const { return bench::blocks_for(rows / 16 + 1, kThreads); }  // for one row in twenty
};
constexpr size_t kRowsAt = sizeof(bench::Header);  // behind the table's own line
constexpr bench::Presets<Shape> kPresets = {
    {4000, 4, 0, 0, 0}, {50000000, 1, 0, 0, 0}, {40, 3, BUG == 2 || BUG == 3, 0, 0}};
using Options = bench::Options<Shape>;

template <class Persist>
__global__ void fill(Row* rows, unsigned count, Persist persist) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) return;
  rows[i] = new_row(i);
  bench::persist_mine(persist, &rows[i], sizeof(Row));
}
__global__ void set_table(Table* table, Table contents) {
  table->checksum = contents.checksum;
  table->rows = contents.rows;
  gpm_persist();
}

// A whole batch of inserts. One thread of the kernel logs the size. All threads store rows. The block that ends last
// moves the table's end.
template <class Persist>
__global__ void insert(Table* table, Row* rows, gpmlog* log, unsigned count, Table after, unsigned* arrivals,
                       Persist persist, unsigned* refused) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i == 0 && log != nullptr && BUG != 1) {
    const Table before = *table;
    if (gpmlog_insert(log, &before, sizeof before, 0) != gpmlog_ok) atomicAdd(refused, 1u);  // @log_size
  }
  if (i < count) rows[after.rows - count + i] = new_row(after.rows - count + i);  // @row
  bench::persist_mine(persist, &rows[after.rows - count + i], sizeof(Row));
  if (!bench::last_block(arrivals) || threadIdx.x != 0) return;
  const Table before = *table;
  table->checksum = after.checksum;  // @rows
  table->rows = after.rows;
  bench::persist_mine(persist, table, sizeof *table);
  if (BUG == 1 && log != nullptr) gpmlog_insert(log, &before, sizeof before, 0);  // @log_late
}

// A wrong way to log a thread's old row: nothing waits until the entry is durable.
__device__ void log_without_persist(gpmlog* log, const RowEntry& entry) {
  const everwarp::GpmLogPlace place = everwarp::gpm_log_place(log, -1);
  const unsigned* words = reinterpret_cast<const unsigned*>(&entry);
  for (unsigned w = 0; w < sizeof entry / 4; ++w) {
    unsigned* to = reinterpret_cast<unsigned*>(place.words + w * place.stride);
    *to = words[w];  // @word
  }
  *place.head = sizeof entry / 4;  // @unpersisted
}

// The list of rows that the condition chooses. With it every thread of a warp of update() has a row, and logs it.
struct Chosen {
  uint32_t count;
  uint32_t index[1];  // more follow
};
__global__ void choose(const Row* rows, unsigned count, uint32_t batch, Chosen* chosen) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < count && is_chosen(rows[i], batch)) chosen->index[atomicAdd(&chosen->count, 1u)] = i;
}

template <class Persist>
__global__ void update(Row* rows, gpmlog* log, const Chosen* chosen, uint32_t batch, Persist persist,
                       unsigned* refused) {
  for (unsigned k = blockIdx.x * kThreads + threadIdx.x; k < chosen->count; k += gridDim.x * kThreads) {
    const uint32_t i = chosen->index[k];
    const Row old = rows[i];
    if (log != nullptr) {
      const RowEntry entry = {i, 0, old};
      if (BUG == 2)
        log_without_persist(log, entry);
      else if (BUG == 3)
        rows[i].amount = updated(old, batch).amount;                                                  // @amount_early
      if (BUG != 2 && gpmlog_insert(log, &entry, sizeof entry) != gpmlog_ok) atomicAdd(refused, 1u);  // @log_row
    }
    rows[i].amount = updated(old, batch).amount;  // @amount
    rows[i].stamp = updated(old, batch).stamp;    // @stamp
    bench::persist_mine(persist, &rows[i], sizeof(Row));
  }
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
__global__ void undo_update(Row* rows, gpmlog* log, uint32_t partitions, unsigned* undone) {
  const int partition = bench::partition_to_undo(partitions);
  RowEntry entry;
  while (gpmlog_read(log, &entry, sizeof entry, partition) == gpmlog_ok) {
    rows[entry.index] = entry.row;
    gpm_persist();
    gpmlog_remove(log, sizeof entry, partition);
    atomicAdd(undone, 1u);
  }
}

Table table_after(const Shape& shape, uint32_t batches) {
  return bench::table_of(uint64_t(shape.rows) * batches);
}

// An open database: its table, its log, and the options of the command line.
struct Database {
  Store& store;
  gpmlog* log;
  const Shape& shape;
  Table* table() const { return store.kernels<Table>(0); }
  Row* rows() const { return store.kernels<Row>(kRowsAt); }

  void clear_log() const {
    if (shape.update != 0)
      bench::clear_log<<<shape.update_blocks(), kThreads>>>(log, shape.partitions);
    else
      bench::clear_log<<<1, 1>>>(log, 1);
  }
  void run_batch(uint32_t batch, bool commit) const {
    DeviceArray<unsigned> refused(1, 0), arrivals(1, 0), chosen(shape.update != 0 ? shape.rows + 1 : 1);
    {
      const Phase phase("batch");
      if (log != nullptr) store.set_state(2ull * batch + 1);
      if (shape.update != 0) {
        CUDA(cudaMemsetAsync(chosen, 0, sizeof(uint32_t)));
        choose<<<shape.blocks(), kThreads>>>(rows(), shape.rows, batch, reinterpret_cast<Chosen*>(chosen.get()));
        store.with_persists([&](auto persist) {
          update<<<shape.update_blocks(), kThreads>>>(rows(), log, reinterpret_cast<Chosen*>(chosen.get()), batch,
                                                      persist, refused);
        });
        store.persist_results(0, shape.bytes());  // if the host persists, it does not know which rows have changed
      } else {
        store.with_persists([&](auto persist) {
          insert<<<shape.blocks(), kThreads>>>(table(), rows(), log, shape.rows, table_after(shape, batch + 1),
                                               arrivals, persist, refused);
        });
        store.persist_results(kRowsAt + size_t(batch) * shape.rows * sizeof(Row), shape.rows * sizeof(Row));
        store.persist_results(0, sizeof(Table));
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
    const Row* rows = store.host<Row>(kRowsAt);
    for (uint64_t i = 0; i < want.rows; ++i) {
      Row row = new_row(i);
      for (uint32_t batch = 0; shape.update != 0 && batch < committed; ++batch)
        if (is_chosen(row, batch)) row = updated(row, batch);
      EXPECT(rows[i].id == row.id && rows[i].amount == row.amount && rows[i].stamp == row.stamp,
             "row %llu should be %llu, %llu, %llu, is %llu, %llu, %llu", static_cast<unsigned long long>(i),
             static_cast<unsigned long long>(row.id), static_cast<unsigned long long>(row.amount),
             static_cast<unsigned long long>(row.stamp), static_cast<unsigned long long>(rows[i].id),
             static_cast<unsigned long long>(rows[i].amount), static_cast<unsigned long long>(rows[i].stamp));
    }
  }
};

int run(Options options) {
  options.shape.system = static_cast<uint32_t>(options.system);
  const Shape& shape = options.shape;
  Store store(options, kMagic, shape.bytes());
  gpmlog* log = nullptr;
  if (bench::kernels_store(options.system)) {
    const std::string file = options.pool + ".log";
    log = shape.update != 0
              ? bench::create_log(file, 2 * sizeof(RowEntry), shape.update_blocks(), kThreads, shape.partitions)
              : gpmlog_create_conv(file.c_str(), sizeof(Table), 1);
    EXPECT(log != nullptr, "the log should have been created");
  }
  const Database database = {store, log, shape};
  if (shape.update != 0) {
    store.with_persists(
        [&](auto persist) { fill<<<shape.blocks(), kThreads>>>(database.rows(), shape.rows, persist); });
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
  bench::print_phases({"batch"});
  return PASS("%s: %u batches, %s %u rows", bench::kSystemNames[shape.system], shape.batches,
              shape.update != 0 ? "updates of" : "inserts of", shape.rows);
}

// For systems whose log is not durable before the data: the recovery can only look whether the table has the committed
// batches and nothing else. If not, it says what it has of the next batch. Rows behind the table's end do not count.
int examine(const Store& store, const Shape& shape, uint32_t committed) {
  const auto table_of = [&](uint32_t batches) {
    return shape.update != 0 ? table_after(shape, 1) : table_after(shape, batches);
  };
  const auto row_of = [&](uint64_t id, uint32_t batches) {
    Row row = new_row(id);
    for (uint32_t batch = 0; shape.update != 0 && batch < batches; ++batch)
      if (is_chosen(row, batch)) row = updated(row, batch);
    return row;
  };
  bench::Remains remains;
  const uint32_t next = committed < shape.batches ? committed + 1 : committed;
  const Table before = table_of(committed), after = table_of(next);
  if (shape.update == 0) remains.add(&before, &after, store.host<Table>(0), sizeof before);
  for (uint64_t id = 0; id < before.rows; ++id) {
    const Row old = row_of(id, committed), updated = row_of(id, next);
    remains.add(&old, &updated, store.host<Row>(kRowsAt) + id, sizeof old);
  }
  return remains.judge(__FILE__, shape.update != 0 ? "rows" : "tables", shape.system, committed, shape.batches);
}

int recover(const Options& options) {
  Store store(options.recovered, kMagic, options.system, false);
  if (!store.is_whole()) return PASS("the pool was not created yet");
  const Shape shape = store.shape<Shape>();
  bench::require_system(options.recovered, shape.system, options.system);
  const uint32_t committed = static_cast<uint32_t>(store.state() / 2);
  bench::expect_acknowledged(committed, "batches");
  if (store.state() == 0 && (shape.update != 0 || bench::kernels_persist(options.system)))
    return PASS("no batch was begun");
  if (!bench::kernels_persist(options.system)) return examine(store, shape, committed);
  gpmlog* log = gpmlog_open((options.recovered + ".log").c_str());
  EXPECT(log != nullptr, "a database with batches should have its log");
  const Database database = {store, log, shape};
  DeviceArray<unsigned> undone(1, 0);
  {
    const Phase phase("recovery");
    if (store.state() % 2 == 1) {
      if (shape.update != 0)
        undo_update<<<shape.update_blocks(), kThreads>>>(database.rows(), log, shape.partitions, undone);
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
                                               {"--partitions", &Shape::partitions, 0, 1 << 16}});
  return options.recovered.empty() ? run(options) : recover(options);
}
