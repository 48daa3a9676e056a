// Arrays on drives (everwarp/storage_array.cuh): every way to read and write elements, with more lines than the cache
// has, elements that span lines, prefetches, and reads, writes and write-backs that are begun and finished apart.
//
// machine: --set storage.drives=2
//
//   array [ELEMENTS]
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <everwarp/storage.cuh>
#include <string>
#include <vector>

namespace {

int failures = 0;

void expect(bool holds, const std::string& what, unsigned long long found) {
  if (holds) return;
  ++failures;
  printf("FAIL array: %s; found %llu\n", what.c_str(), found);
}

/// 12 bytes: a line of 512 holds 42 and two thirds.
struct triple {
  unsigned a, b, c;
  __host__ __device__ static triple of(unsigned i) { return {i, i * 3 + 1, ~i}; }
  __host__ __device__ bool operator==(const triple& o) const { return a == o.a && b == o.b && c == o.c; }
};

__device__ unsigned thread_of_grid() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ unsigned threads_of_grid() {
  return gridDim.x * blockDim.x;
}

__global__ void fill(bam::array_view<triple> a) {
  for (unsigned i = thread_of_grid(); i < a.size(); i += threads_of_grid()) a[i] = triple::of(i);
}
__global__ void compare(bam::array_view<triple> a, unsigned* wrong) {
  for (unsigned i = thread_of_grid(); i < a.size(); i += threads_of_grid())
    if (!(static_cast<triple>(a[i]) == triple::of(i))) atomicAdd(wrong, 1u);
}
/// A thread has a stretch: its cursor reads and writes it, spanning elements too.
__global__ void rotate_by_cursor(bam::array_view<triple> a) {
  const unsigned each = static_cast<unsigned>(a.size()) / threads_of_grid();
  bam::cursor<triple> c(a);
  for (unsigned i = thread_of_grid() * each; i < (thread_of_grid() + 1) * each; ++i) {
    const triple t = c[i];
    c.write(i, {t.b, t.c, t.a});
  }
}
__global__ void by_iterators(bam::array_view<unsigned> a) {
  for (auto i = a.begin() + thread_of_grid(); i < a.end(); i += threads_of_grid()) {
    *i = 7;
    *i += 5;
    *i -= 2;
  }
}
__global__ void sum(bam::array_view<unsigned> a, unsigned long long* total) {
  unsigned long long mine = 0;
  const bam::array_view<unsigned> constant = a;
  for (unsigned i = thread_of_grid(); i < a.size(); i += threads_of_grid()) mine += constant[i];
  atomicAdd(total, mine);
}
/// Two elements far from each other are asked for, then used; a third is written without waiting in between.
__global__ void begin_and_finish(bam::array_view<unsigned> a, unsigned* wrong) {
  const unsigned n = static_cast<unsigned>(a.size()), mine = thread_of_grid(), third = n / 3;
  for (unsigned i = mine; i < third; i += threads_of_grid()) {
    bam::ticket one = a.begin(i);
    bam::ticket two = a.begin(i + third);
    unsigned x = 0, y = 0;
    if (a.finish_read(one, x) != bam::ok || a.finish_read(two, y) != bam::ok || x + y != 20) atomicAdd(wrong, 1u);
    bam::ticket three = a.begin(i + 2 * third);
    if (a.finish_write(three, x + y + i) != bam::ok) atomicAdd(wrong, 1u);
    if (a.finish_write(three, 0) != bam::not_begun) atomicAdd(wrong, 1u);  // it was finished
  }
}
__global__ void statuses(bam::array_view<triple> a, unsigned spanning, unsigned* found) {
  triple t{};
  found[0] = a.read(a.size(), t);
  found[1] = a.write(a.size() + 5, t);
  bam::ticket ticket = a.begin(spanning);
  found[2] = a.finish_read(ticket, t);
  bam::ticket never;
  found[3] = a.finish_read(never, t);
  bam::cursor<triple> c(a);
  found[4] = c.read(spanning, t);
  found[5] = c.read(1ull << 40, t);
  ticket = a.begin_write_back(spanning);
  found[6] = a.finish_write_back(ticket);
  found[7] = a.write_back(1ull << 40);
}
__global__ void write_spanning_back(bam::array_view<triple> a, unsigned spanning, unsigned* end) {
  a[spanning] = triple::of(spanning);
  *end = a.write_back(spanning);
}
/// All threads add to counters of many lines, and one behind the end.
template <class T>
__global__ void add_to_all(bam::array_view<T> a, unsigned counters, unsigned apart, unsigned rounds, unsigned* wrong) {
  for (unsigned i = 0; i < rounds; ++i) {
    const unsigned at = (thread_of_grid() + i) % counters * apart;
    T before{};
    if (a.atomic_add(at, T(3), before) != bam::ok || before < T(0)) atomicAdd(wrong, 1u);
    a.atomic_add(at, T(-1));
  }
  if (a.atomic_add(a.size(), T(1)) != T(0)) atomicAdd(wrong, 1u);
}
__global__ void prefetch_all(bam::array_view<unsigned> a, unsigned per_line, unsigned* ends) {
  if (threadIdx.x < 12) ends[threadIdx.x] = a.prefetch(threadIdx.x * per_line);
}
__global__ void write_and_begin_back(bam::array_view<unsigned> a, unsigned per_line, unsigned* ends) {
  const unsigned i = threadIdx.x * per_line;
  a[i] = 1000 + threadIdx.x;
  bam::ticket t = a.begin_write_back(i);
  ends[threadIdx.x] = a.finish_write_back(t);
}

template <class T>
void sums(const char* what, bam::controller& drive, unsigned* counts) {
  constexpr unsigned counters = 24, threads = 4 * 96, rounds = 6;
  bam::cache_config config;
  config.line = 512, config.slots = 5, config.bytes = counters * 512;
  bam::cache cache({&drive}, config);
  bam::array<T> a(cache, 0, config.bytes / sizeof(T));
  std::vector<T> found(a.size(), T(0));
  a.upload(found.data());
  counts[0] = 0;
  const unsigned apart = 512 / sizeof(T);
  add_to_all<T><<<4, 96>>>(a.view(), counters, apart, rounds, counts);
  cudaDeviceSynchronize();
  expect(counts[0] == 0, std::string(what) + ": an atomic addition", counts[0]);
  expect(cache.failure().count > 0 && cache.failure().why == bam::out_of_range, "one behind the end",
         cache.failure().count);
  a.download(found.data());
  unsigned wrong = 0;
  for (unsigned i = 0; i < found.size(); ++i)
    wrong += found[i] != (i % apart ? T(0) : T(2 * threads * rounds / counters));
  expect(wrong == 0, std::string(what) + ": sums of atomic additions", wrong);
}

void run(unsigned n, bam::placement placement, std::vector<bam::controller*> drives, unsigned* counts) {
  const std::string name = placement == bam::placement::striped ? "striped" : "replicated";
  bam::cache_config config;
  config.line = 512, config.slots = 16, config.placement = placement;
  config.bytes = (n * sizeof(triple) + n * sizeof(unsigned) + 2047) / 512 * 512;
  bam::cache cache(drives, config);
  const unsigned long long second = (n * sizeof(triple) + 511) / 512 * 512;
  bam::array<triple> triples(cache, 0, n);
  bam::array<unsigned> words(cache, second, n);
  unsigned long long* const total = reinterpret_cast<unsigned long long*>(counts + 64);

  fill<<<4, 64>>>(triples.view());
  counts[0] = 0;
  compare<<<4, 64>>>(triples.view(), counts);
  cudaDeviceSynchronize();
  expect(counts[0] == 0, name + ": elements that span lines", counts[0]);
  for (int i = 0; i < 3; ++i) rotate_by_cursor<<<1, 8>>>(triples.view());  // three times: as before
  compare<<<4, 64>>>(triples.view(), counts);
  cudaDeviceSynchronize();
  expect(counts[0] == 0, name + ": elements that cursors have written", counts[0]);
  expect(cache.statistics().reused > n, name + ": accesses to lines that were held", cache.statistics().reused);

  by_iterators<<<4, 64>>>(words.view());
  *total = 0;
  sum<<<4, 64>>>(words.view(), total);
  begin_and_finish<<<1, 8>>>(words.view(), counts);
  cudaDeviceSynchronize();
  expect(*total == 10ull * n, name + ": a sum", *total);
  expect(counts[0] == 0, name + ": what was begun and finished", counts[0]);
  cache.must();
  std::vector<unsigned> found(n);
  words.download(found.data());
  unsigned wrong = 0;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned third = n / 3;
    wrong += found[i] != (i >= 2 * third && i < 3 * third ? 20 + i - 2 * third : 10);
  }
  expect(wrong == 0, name + ": elements on the drives", wrong);

  // Lines that were asked for are there before anybody waits.
  cache.drop(), cache.reset_statistics();
  prefetch_all<<<1, 32>>>(words.view(), 128, counts);
  cudaDeviceSynchronize();
  unsigned begun = 0;
  for (unsigned i = 0; i < 12; ++i) begun += counts[i] == bam::ok;
  expect(begun == 12 && cache.statistics().prefetches == 12, name + ": prefetches", cache.statistics().prefetches);
  *total = 0;
  sum<<<1, 32>>>(words.view(), total);
  cudaDeviceSynchronize();
  expect(cache.statistics().thread_hits + cache.statistics().thread_misses == n, name + ": accesses", *total);

  cache.flush(), cache.reset_statistics();
  write_and_begin_back<<<1, 8>>>(words.view(), 128, counts);
  cudaDeviceSynchronize();
  for (unsigned i = 0; i < 8; ++i) expect(counts[i] == bam::ok, name + ": a write-back", counts[i]);
  const unsigned long long back = cache.statistics().write_backs;
  cache.flush();
  expect(back == 8 && cache.statistics().write_backs == 8, name + ": a flush finds nothing to write",
         cache.statistics().write_backs);
  cache.reset_statistics();
  write_spanning_back<<<1, 1>>>(triples.view(), 42, counts);
  cudaDeviceSynchronize();
  expect(counts[0] == bam::ok, name + ": a write-back of two lines", counts[0]);
  expect(cache.statistics().write_backs == 2, name + ": both lines of an element are written back",
         cache.statistics().write_backs);
  cache.flush();
  expect(cache.statistics().write_backs == 2, name + ": a flush finds neither of them", cache.statistics().write_backs);
  cache.must();

  statuses<<<1, 1>>>(triples.view(), 42, counts);
  cudaDeviceSynchronize();
  const unsigned expected[] = {bam::out_of_range, bam::out_of_range, bam::spans_lines, bam::not_begun,
                               bam::ok,           bam::out_of_range, bam::spans_lines, bam::out_of_range};
  for (int i = 0; i < 8; ++i) expect(counts[i] == expected[i], name + ": a status", counts[i]);
  bool thrown = false;
  try {
    cache.must();
  } catch (const std::exception& mistake) {
    thrown = std::string(mistake.what()).find("accesses failed; the first, of line") != std::string::npos;
  }
  expect(thrown, name + ": the host is told of failed accesses", 0);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 2400;
  if (n < 2400 || n % 8) {
    printf("array: expected: array [ELEMENTS], a multiple of 8 from 2400\n");
    return 2;
  }
  if (storage_drives() < 2) {
    printf("array: needs two drives: ew run --set storage.drives=2\n");
    return 77;
  }
  unsigned* counts = nullptr;
  cudaMallocManaged(&counts, 4096);
  try {
    bam::controller one(0), two(1);
    run(static_cast<unsigned>(n), bam::placement::striped, {&one, &two}, counts);
    run(static_cast<unsigned>(n), bam::placement::replicated, {&one, &two}, counts);
    sums<long>("long", one, counts), sums<int>("int", one, counts);
    sums<float>("float", one, counts), sums<double>("double", one, counts);
  } catch (const std::exception& mistake) {
    printf("FAIL array: %s\n", mistake.what());
    return 1;
  }
  if (failures) return 1;
  printf("PASS array\n");
  return 0;
}
