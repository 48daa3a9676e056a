// gpDB by threads of the host alone: gpdb.cu's batches of inserts or updates, with a write-ahead log for each thread
// ("GPM", ASPLOS'22, section 6.1: the OpenMP version).
//
//   cpu_gpdb [--rows N] [--batches N] [--threads N] …    rows of a batch, inserted at the end of the table
//   cpu_gpdb --update 1 [--rows N] …                     rows of the table, of which a batch updates one in 20
//   cpu_gpdb --recover FILE                              undo the batch that was not committed, check
//   --each 1: each result is flushed and fenced by itself, as a thread of the CUDA kernel persists its own; else lines
//   are flushed when they are complete, and one fence follows
// The state is as in gpdb.cu: 2b while b batches are committed and none is open, 2b + 1 while batch b is open. Inserts
// log the table's size. An update logs each old value before it changes it: an entry is a line, whose last word says
// of which batch it is. deterministic: yes

// build: --trace-host
#include "cpu.h"
#include "gpdb.h"

namespace {

using bench::kUpdated;
using bench::kWords;
using bench::Table;
using bench::Tablets;

constexpr uint64_t kMagic = 0x6770444243505532ull;

struct Shape {
  uint32_t rows, batches, update, threads, each;
  uint32_t tablet;  // rows of a tablet
  Tablets tablets() const { return Tablets(tablet); }
  size_t rows_bytes() const { return tablets().bytes_of(update != 0 ? rows : size_t(rows) * batches); }
  uint32_t entries() const { return update != 0 ? rows / threads / 10 + 64 : 1; }  // of a thread: twice what it needs
};
constexpr bench::Presets<Shape> kPresets = {
    {4000, 4, 0, 64, 0, 1024}, {50000000, 1, 0, 64, 0, 233008}, {40, 3, 0, 2, 0, 16}};
using Options = bench::Options<Shape>;

struct alignas(64) Entry {
  Table table;                // of an insert: the table before
  uint64_t row, value;        // of an update: the value that the row had
  uint64_t unused[3], batch;  // batch: plus one; 0: the entry is none
};
static_assert(sizeof(Entry) == 64, "an entry is a line");

struct Database {
  bench::CpuStore& store;
  const Shape& shape;
  Table* table() const { return store.at<Table>(0); }
  Entry* logged_table() const { return store.at<Entry>(64); }
  char* rows() const { return store.at<char>(256); }
  uint32_t& word(size_t row, unsigned word) const {
    return shape.tablets().word(rows(), static_cast<uint32_t>(row), word);
  }
  Entry* log(unsigned thread) const {
    return store.at<Entry>(256 + shape.rows_bytes()) + size_t(thread) * shape.entries();
  }
  static size_t bytes(const Shape& shape) {
    return 256 + shape.rows_bytes() + size_t(shape.threads) * shape.entries() * sizeof(Entry);
  }
  Table table_after(uint32_t batches) const { return bench::table_of(uint64_t(shape.rows) * batches); }
  void set_table(const Table& contents) const {
    *table() = contents;
    bench::persist_bytes(table(), sizeof(Table));
  }

  void insert(uint32_t batch, unsigned thread) const {
    if (thread == 0) {
      *logged_table() = {*table(), 0, 0, {}, batch + 1ull};
      bench::persist_bytes(logged_table(), sizeof(Entry));
    }
    const bench::Part part = bench::part_of(shape.rows, thread, shape.threads, 16);  // 16 words are a line
    const size_t first = size_t(batch) * shape.rows;
    store_rows(first + part.begin, first + part.end);
  }
  /// New rows [begin, end), durable when it returns: each by itself, or each column's lines when they are complete.
  void store_rows(size_t begin, size_t end) const {
    if (shape.each != 0) {
      for (size_t i = begin; i < end; ++i) {
        for (unsigned w = 0; w < kWords; ++w) {
          word(i, w) = bench::new_word(static_cast<uint32_t>(i), w);
          host_flush(&word(i, w));
        }
        host_fence();
      }
      return;
    }
    for (unsigned w = 0; w < kWords; ++w)
      for (size_t i = begin; i < end; ++i) {
        word(i, w) = bench::new_word(static_cast<uint32_t>(i), w);
        const bool last = i + 1 == end || reinterpret_cast<uintptr_t>(&word(i + 1, w)) % 64 == 0;
        if (last || i % shape.tablet == shape.tablet - 1) host_flush(&word(i, w));
      }
    host_fence();
  }
  bool update(uint32_t batch, unsigned thread) const {
    const bench::Part part = bench::part_of(shape.rows, thread, shape.threads, 16);
    Entry* entry = log(thread);
    for (size_t i = part.begin; i < part.end; ++i) {
      if (!bench::is_chosen(word(i, 0), batch)) continue;
      if (entry == log(thread) + shape.entries()) return false;
      uint32_t& value = word(i, kUpdated);
      *entry = {{}, i, value, {}, batch + 1ull};
      bench::persist_bytes(entry++, sizeof(Entry));
      value = bench::updated(value, batch);
      bench::persist_result(&value, sizeof value, shape.each != 0);
    }
    host_fence();
    return true;
  }
  void run_batch(uint32_t batch, bool commit) const {
    host_barrier barrier(shape.threads);
    std::atomic<bool> full{false};
    {
      const bench::Phase phase("batch");
      const int status = host_parallel(shape.threads, [&](unsigned thread) {
        if (thread == 0) store.set_state(2ull * batch + 1);
        barrier.wait();
        if (shape.update == 0)
          insert(batch, thread);
        else if (!update(batch, thread))
          full = true;
        barrier.wait();
        if (thread != 0) return;
        if (shape.update == 0) set_table(table_after(batch + 1));
        if (commit) store.set_state(2ull * batch + 2);
      });
      REQUIRE(status == 0, "the threads should have run");
    }
    REQUIRE(!full, "the log of %u entries a thread should have room", shape.entries());
    if (commit) gpm_acknowledge(batch + 1);
  }
  /// The rows and the table's end become what they were before the batch.
  uint32_t undo(uint32_t batch) const {
    uint32_t undone = 0;
    const int status = host_parallel(1, [&](unsigned) {
      if (shape.update == 0 && logged_table()->batch == batch + 1ull) {
        set_table(logged_table()->table);
        undone = 1;
      }
      for (unsigned thread = 0; shape.update != 0 && thread < shape.threads; ++thread)
        for (Entry* entry = log(thread); entry < log(thread) + shape.entries() && entry->batch == batch + 1ull;
             ++entry) {
          word(entry->row, kUpdated) = static_cast<uint32_t>(entry->value);
          host_flush(&word(entry->row, kUpdated));
          ++undone;
        }
      host_fence();
      store.set_state(2ull * batch);
    });
    REQUIRE(status == 0, "the batch should have been undone");
    return undone;
  }

  void check(uint32_t committed) const {
    const Table want = table_after(shape.update != 0 ? 1 : committed), found = *table();
    REQUIRE(committed == 0 && shape.update == 0 ? found.rows == 0
                                                : found.rows == want.rows && found.checksum == want.checksum,
            "the table should have %llu rows, has %llu", static_cast<unsigned long long>(want.rows),
            static_cast<unsigned long long>(found.rows));
    std::vector<char> copy(shape.tablets().bytes_of(want.rows));
    memcpy(copy.data(), rows(), copy.size());
    for (uint32_t i = 0; i < want.rows; ++i)
      bench::check_row(shape.tablets().row(copy.data(), i), bench::updated_row(i, shape.update != 0 ? committed : 0),
                       i);
  }
};

int run(const Options& options) {
  const Shape& shape = options.shape;
  bench::CpuStore store(options, kMagic, Database::bytes(shape));
  const Database database = {store, shape};
  if (shape.update != 0) {  // the table, durable before the first batch
    const int status = host_parallel(shape.threads, [&](unsigned thread) {
      const bench::Part part = bench::part_of(shape.rows, thread, shape.threads, 16);
      database.store_rows(part.begin, part.end);
      if (thread == 0) database.set_table(database.table_after(1));
    });
    EXPECT(status == 0, "the table should have been filled");
  }
  for (uint32_t batch = 0; batch < shape.batches; ++batch)
    database.run_batch(batch, !(options.stop_before_commit && batch + 1 == shape.batches));
  if (options.stop_before_commit) return PASS("stopped before the last commit");
  database.check(shape.batches);
  bench::print_phases({"batch"});
  return PASS("%u batches, %s %u rows by %u threads", shape.batches, shape.update != 0 ? "updates of" : "inserts of",
              shape.rows, shape.threads);
}

int recover(const Options& options) {
  bench::CpuStore store(options.recovered, kMagic);
  if (!store.is_whole()) return PASS("the pool was not created yet");
  const Shape shape = store.shape<Shape>();
  const Database database = {store, shape};
  const uint32_t committed = static_cast<uint32_t>(store.state() / 2);
  bench::expect_acknowledged(committed, "batches");
  if (store.state() == 0 && shape.update != 0) return PASS("no batch was begun");
  const uint32_t undone = store.state() % 2 == 1 ? database.undo(committed) : 0;
  database.check(committed);
  return PASS("recovered: %u of %u batches were committed, %u entries undone", committed, shape.batches, undone);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = bench::parse<Shape>(argc, argv, "cpu_gpdb.pool", kPresets,
                                              {{"--rows", &Shape::rows, 1, 1 << 30},
                                               {"--batches", &Shape::batches, 1, 1 << 16},
                                               {"--update", &Shape::update, 0, 1},
                                               {"--threads", &Shape::threads, 1, 64},
                                               {"--each", &Shape::each, 0, 1},
                                               {"--tablet", &Shape::tablet, 16, 1 << 20}});
  return options.recovered.empty() ? run(options) : recover(options);
}
