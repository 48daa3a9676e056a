// The taxi queries of "BaM" (section 5.3) on a table made with their selectivity: 511 of 1.7 million trips have 30
// miles or more. Q0 reads the column of distances. Each further query reads one more column, at the long trips alone:
// Q1 the total, Q2 surcharges, Q3 the hail fee, Q4 tolls, Q5 taxes. Q5 is what a driver earns a mile on such trips.
//
// With --system scan the table is in the host's page cache, and a query copies its columns whole, row group by row
// group: a thread of the host copies into a pinned buffer, a copy engine takes it to the GPU, a kernel reads it there.
//
// machine: --set storage.drives=2
//
//   taxi [FILE] [--system NAME] [rows=N] [per_million=N] [threads=N] [query=N] [line=BYTES] [slots=N] [drives=N]
//   [replicated=1] …
//
// FILE has trips of New York's taxis (trips.h); without one the table is made. Systems: bam, scan (systems.h).
#include "host_io.h"
#include "systems.h"
#include "trips.h"

namespace {

using word = unsigned long long;
constexpr int columns = 6;
constexpr word long_trip = 3000;  // hundredths of a mile

/// Columns: arrays of drives, or plain memory.
template <class Column>
struct table {
  Column column[columns];
};
struct answer {
  word trips, miles, cents;
};

/// Hundredths of a mile, then cents.
__host__ __device__ word value_of(int column, word row, word per_million) {
  const word random = setup::mix(row * 8 + column);
  if (column == 0)
    return setup::mix(row * 8 + 7) % 1000000 < per_million ? long_trip + random % 5000 : random % long_trip;
  return column == 1 ? 5000 + random % 20000 : random % 300;
}

template <int query, class Column>
__global__ void ask(table<Column> t, word rows, answer* result) {
  const word threads = word{gridDim.x} * blockDim.x;
  answer mine{};
  for (word row = word{blockIdx.x} * blockDim.x + threadIdx.x; row < rows; row += threads) {
    const word miles = t.column[0][row];
    if (miles < long_trip) continue;
    ++mine.trips, mine.miles += miles;
    for (int c = 1; c <= query; ++c) mine.cents += c == 1 ? t.column[c][row] : 0 - static_cast<word>(t.column[c][row]);
  }
  if (mine.trips == 0) return;
  atomicAdd(&result->trips, mine.trips);
  atomicAdd(&result->miles, mine.miles);
  atomicAdd(&result->cents, mine.cents);
}

template <class Column>
void ask(int query, const table<Column>& t, word rows, answer* result, unsigned threads, cudaStream_t stream) {
  const unsigned block = threads < 128 ? threads : 128, blocks = threads / block;
  switch (query) {
    case 0:
      return ask<0><<<blocks, block, 0, stream>>>(t, rows, result);
    case 1:
      return ask<1><<<blocks, block, 0, stream>>>(t, rows, result);
    case 2:
      return ask<2><<<blocks, block, 0, stream>>>(t, rows, result);
    case 3:
      return ask<3><<<blocks, block, 0, stream>>>(t, rows, result);
    case 4:
      return ask<4><<<blocks, block, 0, stream>>>(t, rows, result);
    default:
      return ask<5><<<blocks, block, 0, stream>>>(t, rows, result);
  }
}

template <class Column>
auto* kernel_of(int query) {
  void (*const all[])(table<Column>, word, answer*) = {ask<0, Column>, ask<1, Column>, ask<2, Column>,
                                                       ask<3, Column>, ask<4, Column>, ask<5, Column>};
  return all[query];
}

/// The table as the host has it, and each query's answer.
struct contents {
  std::vector<std::vector<word>> columns_of;
  std::vector<answer> right;
  explicit contents(std::vector<std::vector<word>> table) : columns_of(std::move(table)), right(columns, answer{}) {
    for (word row = 0; row < rows(); ++row) {
      const word miles = columns_of[0][row];
      if (miles < long_trip) continue;
      for (int query = 0; query < columns; ++query) {
        ++right[query].trips, right[query].miles += miles;
        for (int c = 1; c <= query; ++c) right[query].cents += c == 1 ? columns_of[c][row] : 0 - columns_of[c][row];
      }
    }
  }
  static std::vector<std::vector<word>> made(word rows, word per_million) {
    std::vector<std::vector<word>> table(columns, std::vector<word>(rows));
    for (int c = 0; c < columns; ++c)
      for (word row = 0; row < rows; ++row) table[c][row] = value_of(c, row, per_million);
    return table;
  }
  word rows() const { return columns_of[0].size(); }
};

std::string wrong(const std::string& name, const answer& found, const answer& right) {
  if (found.trips == right.trips && found.miles == right.miles && found.cents == right.cents) return "";
  return name + ": expected " + std::to_string(right.trips) + " trips and " + std::to_string(right.cents) +
         " cents, found " + std::to_string(found.trips) + " and " + std::to_string(found.cents);
}

/// `query=N`: that one alone; else all.
bool asked(const setup::options& given, int query) {
  return given["query"] >= columns || given["query"] == static_cast<word>(query);
}

answer take(const answer* on_device) {
  answer found{};
  cudaMemcpy(&found, on_device, sizeof found, cudaMemcpyDeviceToHost);
  return found;
}

std::string by_bam(const setup::options& given, const contents& all, answer* result) {
  const setup::drives drives(given);
  const word rows = all.rows(), line = given["line"], bytes = (rows * 8 + line - 1) / line * line;
  bam::cache cache(drives.all(), setup::config(given, columns * bytes));
  table<bam::array_view<word>> t{};
  for (int c = 0; c < columns; ++c) {
    bam::array<word> column(cache, c * bytes, rows);
    column.upload(all.columns_of[c].data());
    t.column[c] = column.view();
  }
  for (int query = 0; query < columns; ++query) {
    if (!asked(given, query)) continue;
    cache.drop(), cache.reset_statistics();
    cudaMemset(result, 0, sizeof *result);
    const float milliseconds = setup::timed(
        "query", [&] { ask(query, t, rows, result, static_cast<unsigned>(given["threads"]), cudaStream_t()); });
    cache.must();
    const std::string name = "Q" + std::to_string(query);
    setup::print(name.c_str(), cache, milliseconds);
    if (given["query"] < columns)  // of one query: a metric has one value
      setup::print_registers(kernel_of<bam::array_view<word>>(query), kernel_of<const word*>(query));
    const answer& right = all.right[query];
    const bam::cache_statistics s = cache.statistics();
    const word needed = rows + query * right.trips;
    printf("%s: %llu bytes from drives: %.2f times those of the accesses\n", name.c_str(),
           static_cast<unsigned long long>(s.reads * line), static_cast<double>(s.reads * line) / (needed * 8));
    if (const std::string why = wrong(name, take(result), right); !why.empty()) return why;
    if (s.thread_hits + s.thread_misses != needed)
      return name + ": accesses: expected " + std::to_string(needed) + ", found " +
             std::to_string(s.thread_hits + s.thread_misses);
    // A line of the distances may leave before the last lane of its warp has come to it.
    const word reads = bytes / line + query * right.trips;
    if (s.reads > 2 * reads)
      return name + ": reads: expected about " + std::to_string(reads) + ", found " + std::to_string(s.reads);
  }
  return "";
}

std::string by_scan(const setup::options& given, const contents& all, answer* result) {
  const word rows = all.rows(), groups = given["groups"];
  if (groups == 0) return "groups should be 1 or more";
  const word group = (rows + groups - 1) / groups;
  const setup::memory_of<word> pinned(setup::memory_of<word>::at::host, group),
      device(setup::memory_of<word>::at::device, columns * group);
  table<const word*> t{};
  for (int c = 0; c < columns; ++c) t.column[c] = device.get() + c * group;
  for (int query = 0; query < columns; ++query) {
    if (!asked(given, query)) continue;
    word bytes = 0;
    cudaMemset(result, 0, sizeof *result);
    const float milliseconds = setup::timed("query", [&] {
      for (word first = 0; first < rows; first += group) {
        const word some = std::min(group, rows - first);
        for (int c = 0; c <= query; ++c) {
          host_copy(pinned.get(), all.columns_of[c].data() + first, some * 8, 1, 0);
          cudaMemcpyAsync(device.get() + c * group, pinned.get(), some * 8, cudaMemcpyHostToDevice, 0);
          bytes += some * 8;
        }
        ask(query, t, some, result, static_cast<unsigned>(given["threads"]), cudaStream_t());
      }
    });
    const answer& right = all.right[query];
    const std::string name = "Q" + std::to_string(query);
    printf("%s, scan: %.3f ms; %llu bytes to the GPU: %.2f times those of the accesses\n", name.c_str(), milliseconds,
           bytes, static_cast<double>(bytes) / ((rows + query * right.trips) * 8));
    if (const std::string why = wrong(name, take(result), right); !why.empty()) return why;
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const auto body = [&]() -> std::string {
    const systems::kind system = systems::take(argc, argv, {systems::kind::bam, systems::kind::scan});
    const bool named = argc > 1 && !strchr(argv[1], '=');
    const setup::options given(setup::with_cache({{"rows", 16384, "of the table"},
                                                  {"per_million", 301, "trips of 30 miles or more in a million"},
                                                  {"query", columns, "0 to 5: that one alone; 6: all"},
                                                  {"groups", 4, "scan: row groups"},
                                                  {"threads", 512, "of the kernels"}},
                                                 4096, 32),
                               argc, argv, named ? 2 : 1);
    const contents all(named ? trips::read(argv[1]) : contents::made(given["rows"], given["per_million"]));
    const setup::memory_of<answer> result(setup::memory_of<answer>::at::device, 1);
    const std::string why =
        system == systems::kind::scan ? by_scan(given, all, result.get()) : by_bam(given, all, result.get());
    const answer& last = all.right[columns - 1];
    printf("%llu of %llu trips have 30 miles or more: %.2f dollars a mile\n", last.trips, all.rows(),
           last.miles ? static_cast<double>(last.cents) / static_cast<double>(last.miles) : 0.0);
    return why;
  };
  return setup::run("taxi", body, systems::needs_drives(argc, argv));
}
