// The taxi queries of "BaM" (section 5.3) on a table made with their selectivity: 511 of 1.7 million trips have 30
// miles or more. Q0 reads the column of distances. Each further query reads one more column, at the long trips alone:
// Q1 the total, Q2 surcharges, Q3 the hail fee, Q4 tolls, Q5 taxes. Q5 is what a driver earns a mile on such trips.
//
// machine: --set storage.drives=2
//
//   taxi [rows=N] [per_million=N] [threads=N] [line=BYTES] [slots=N] [drives=N] [replicated=1] …
#include "setup.h"

namespace {

using word = unsigned long long;
constexpr int columns = 6;
constexpr word long_trip = 3000;  // hundredths of a mile

struct table {
  bam::array_view<word> column[columns];
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

template <int query>
__global__ void ask(table t, answer* result) {
  const word threads = word{gridDim.x} * blockDim.x;
  answer mine{};
  for (word row = word{blockIdx.x} * blockDim.x + threadIdx.x; row < t.column[0].size(); row += threads) {
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

}  // namespace

int main(int argc, char** argv) {
  return setup::run("taxi", [&]() -> std::string {
    const setup::options given(setup::with_cache({{"rows", 16384, "of the table"},
                                                  {"per_million", 301, "trips of 30 miles or more in a million"},
                                                  {"threads", 512, "of the kernels"}},
                                                 4096, 32),
                               argc, argv);
    const setup::drives drives(given);
    const word rows = given["rows"], line = given["line"], bytes = (rows * 8 + line - 1) / line * line;
    const word per_million = given["per_million"];
    bam::cache cache(drives.all(), setup::config(given, columns * bytes));
    table t{};
    std::vector<word> values(rows);
    std::vector<answer> expected(columns, answer{});
    for (int c = 0; c < columns; ++c) {
      bam::array<word> column(cache, c * bytes, rows);
      for (word row = 0; row < rows; ++row) {
        values[row] = value_of(c, row, per_million);
        const word miles = value_of(0, row, per_million);
        if (miles < long_trip) continue;
        for (int query = 0; query < columns; ++query) {
          if (c == 0) ++expected[query].trips, expected[query].miles += miles;
          if (c > 0 && c <= query) expected[query].cents += c == 1 ? values[row] : 0 - values[row];
        }
      }
      column.upload(values.data());
      t.column[c] = column.view();
    }
    answer* found = nullptr;
    cudaMallocManaged(&found, sizeof(answer));
    const unsigned threads = static_cast<unsigned>(given["threads"]), block = threads < 128 ? threads : 128;
    for (int query = 0; query < columns; ++query) {
      cache.drop(), cache.reset_statistics();
      *found = {};
      const float milliseconds = setup::timed([&] {
        switch (query) {
          case 0:
            ask<0><<<threads / block, block>>>(t, found);
            break;
          case 1:
            ask<1><<<threads / block, block>>>(t, found);
            break;
          case 2:
            ask<2><<<threads / block, block>>>(t, found);
            break;
          case 3:
            ask<3><<<threads / block, block>>>(t, found);
            break;
          case 4:
            ask<4><<<threads / block, block>>>(t, found);
            break;
          default:
            ask<5><<<threads / block, block>>>(t, found);
            break;
        }
      });
      cache.must();
      const std::string name = "Q" + std::to_string(query);
      setup::print(name.c_str(), cache, milliseconds);
      const answer& right = expected[query];
      if (found->trips != right.trips || found->miles != right.miles || found->cents != right.cents)
        return name + ": expected " + std::to_string(right.trips) + " trips and " + std::to_string(right.cents) +
               " cents, found " + std::to_string(found->trips) + " and " + std::to_string(found->cents);
      const word accesses = rows + query * right.trips, reads = bytes / line + query * right.trips;
      const bam::cache_statistics s = cache.statistics();
      if (s.thread_hits + s.thread_misses != accesses)
        return name + ": accesses: expected " + std::to_string(accesses) + ", found " +
               std::to_string(s.thread_hits + s.thread_misses);
      // A line of the distances may leave before the last lane of its warp has come to it.
      if (s.reads > 2 * reads)
        return name + ": reads: expected about " + std::to_string(reads) + ", found " + std::to_string(s.reads);
    }
    printf("%llu of %llu trips have 30 miles or more: %.2f dollars a mile\n", found->trips, rows,
           found->miles ? static_cast<double>(found->cents) / static_cast<double>(found->miles) : 0.0);
    return "";
  });
}
