// The software cache of drives (everwarp/storage_cache.cuh): many evictions with few slots under every policy, and each
// defect of published caches, shown to be absent here.
//
// machine: --set storage.drives=3 --set storage.1.model=980pro
// machine: --set storage.2.fault=unrecovered-read:lba=77,write-fault:opcode=1:times=3,lost-completion:lba=320:times=1,lost-completion:lba=900:times=1
//
//   cache [ACCESSES]     of each of 128 threads of the random part
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
  printf("FAIL cache: %s; found %llu\n", what.c_str(), found);
}

using word = unsigned long long;

__host__ __device__ word mix(word x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Each thread has elements of its own, those that are its number modulo the threads: it adds to some and checks them.
__global__ void add_at_random(bam::array_view<word> a, unsigned accesses, unsigned round, unsigned* wrong) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  const word own = a.size() / threads;
  for (unsigned i = 0; i < accesses; ++i) {
    const word at = mix(thread * 7919ull + i + round * 1000003ull) % own * threads + thread;
    const word before = a[at];
    if (before % 1000003 != at % 1000003) atomicAdd(wrong, 1u);
    a[at] = before + 1000003;
  }
}

struct policy {
  const char* name;
  bam::replacement replacement;
  bam::placement placement;
  unsigned line, slots, entries, pairs;
  word first_turn;
};

void many_evictions(const policy& p, const std::vector<bam::controller*>& drives, unsigned accesses, unsigned* counts) {
  const unsigned threads = p.entries > 3 ? 128 : 32;  // docs/bam.md: many threads on the shortest rings
  const word elements = 64 * p.line / sizeof(word);
  bam::cache_config config;
  config.bytes = elements * sizeof(word), config.line = p.line, config.slots = p.slots;
  config.replacement = p.replacement, config.placement = p.placement;
  config.entries = p.entries, config.pairs = p.pairs, config.first_turn = p.first_turn;
  std::vector<word> expected(elements), found(elements);
  for (word i = 0; i < elements; ++i) expected[i] = i;
  bam::cache cache(drives, config);
  bam::array<word> array(cache, 0, elements);
  array.upload(expected.data());
  counts[0] = 0;
  for (unsigned round = 0; round < 2; ++round)
    add_at_random<<<threads / 32, 32>>>(array.view(), accesses, round, counts);
  cudaDeviceSynchronize();
  expect(cudaGetLastError() == cudaSuccess, p.name, 0);
  expect(counts[0] == 0, std::string(p.name) + ": elements that were lost", counts[0]);
  for (unsigned round = 0; round < 2; ++round)
    for (unsigned thread = 0; thread < threads; ++thread)
      for (unsigned i = 0; i < accesses; ++i)
        expected[mix(thread * 7919ull + i + round * 1000003ull) % (elements / threads) * threads + thread] += 1000003;
  const std::string why = cache.diagnose();
  expect(why.empty(), std::string(p.name) + ": " + why, 0);
  array.download(found.data());
  word wrong = 0;
  for (word i = 0; i < elements; ++i) wrong += found[i] != expected[i];
  expect(wrong == 0, std::string(p.name) + ": elements on the drives", wrong);
  const bam::cache_statistics s = cache.statistics();
  expect(s.thread_hits + s.thread_misses == 4ull * threads * accesses, std::string(p.name) + ": accesses",
         s.thread_hits + s.thread_misses);
  if (p.slots < 64) expect(s.evictions > 64, std::string(p.name) + ": evictions", s.evictions);
  const word room = p.slots + cache.view().spare_slots;
  expect(s.evictions <= s.reads && s.reads <= s.evictions + room, std::string(p.name) + ": reads", s.reads);
  printf("%s: %llu evictions, %llu write-backs, %llu of %llu accesses hit\n", p.name, (word)s.evictions,
         (word)s.write_backs, (word)s.thread_hits, (word)(s.thread_hits + s.thread_misses));
}

__global__ void sum_all(bam::array_view<word> a, word* sum) {
  word mine = 0;
  for (word i = blockIdx.x * blockDim.x + threadIdx.x; i < a.size(); i += gridDim.x * blockDim.x) mine += a[i];
  atomicAdd(sum, mine);
}
__global__ void sum_same_line(bam::array_view<word> a, word* sum) {
  atomicAdd(sum, (word)a[threadIdx.x % 8]);
}
__global__ void sum_by_cursor(bam::array_view<word> a, word* sum) {
  bam::cursor<word> c(a);
  word mine = 0;
  for (word i = 0; i < 64; ++i) mine += c[i];
  atomicAdd(sum, mine);
}
/// Lane l reads line l: more lines than there are slots, wanted at once.
__global__ void one_line_each(bam::array_view<word> a, unsigned per_line, word* sum) {
  atomicAdd(sum, (word)a[threadIdx.x * per_line]);
}
/// Each lane's cursor is at a line of its own, and all wait for each other: more lines than there are slots.
__global__ void cursors_at_all(bam::array_view<word> a, unsigned per_line, unsigned* statuses) {
  bam::cursor<word> c(a);
  word value = 0;
  statuses[threadIdx.x] = c.read(threadIdx.x * per_line, value);
  if (statuses[threadIdx.x] == bam::ok) statuses[threadIdx.x] = c.write(threadIdx.x * per_line, value + 1);
  __syncthreads();
}
/// The same with tickets, which hold any line.
__global__ void tickets_of_all(bam::array_view<word> a, unsigned per_line, unsigned* statuses) {
  bam::ticket t = a.begin(threadIdx.x * per_line);
  word value = 0;
  statuses[threadIdx.x] = a.read(threadIdx.x * per_line, value);
  __syncthreads();
  a.finish_read(t, value);
}

bam::cache_config small_cache(word lines, unsigned slots) {
  bam::cache_config config;
  config.bytes = lines * 512, config.line = 512, config.slots = slots;
  return config;
}

void published_defects(bam::controller& drive, word* sum, unsigned* counts) {
  bam::cache cache({&drive}, small_cache(64, 8));
  bam::array<word> array(cache, 0, 64 * 64);
  cache.flush();
  expect(cache.statistics().writes == 0, "a flush of slots that were never used writes", cache.statistics().writes);
  std::vector<word> values(array.size());
  word total = 0;
  for (word i = 0; i < array.size(); ++i) total += values[i] = mix(i);
  array.upload(values.data());
  cache.reset_statistics();

  *sum = 0;
  sum_all<<<2, 64>>>(array.view(), sum);
  cudaDeviceSynchronize();
  expect(*sum == total, "a sum", *sum);
  cache.flush();
  expect(cache.statistics().writes == 0, "reads make no line dirty: writes", cache.statistics().writes);

  cache.drop(), cache.reset_statistics();
  *sum = 0;
  sum_same_line<<<4, 256>>>(array.view(), sum);
  cudaDeviceSynchronize();
  bam::cache_statistics s = cache.statistics();
  expect(s.reads == 1, "one read for all threads that want a line", s.reads);
  expect(s.line_misses >= 1 && s.line_hits + s.line_misses == 32, "one probe a warp", s.line_hits + s.line_misses);
  expect(s.thread_hits + s.thread_misses == 1024, "accesses of threads", s.thread_hits + s.thread_misses);

  cache.reset_statistics();
  *sum = 0;
  sum_by_cursor<<<1, 32>>>(array.view(), sum);  // its line is in the cache already
  cudaDeviceSynchronize();
  word first = 0;
  for (word i = 0; i < 64; ++i) first += values[i];
  expect(*sum == 32 * first, "a cursor whose line is cached", *sum);
  s = cache.statistics();
  expect(s.reused == 32 * 63, "accesses without a probe", s.reused);
  expect(s.line_hits + s.line_misses == 1, "one probe for the warp", s.line_hits + s.line_misses);

  cache.drop();
  *sum = 0;
  one_line_each<<<1, 32>>>(array.view(), 64, sum);
  cudaDeviceSynchronize();
  word each = 0;
  for (word i = 0; i < 32; ++i) each += values[i * 64];
  expect(*sum == each, "32 lines wanted at once, and 8 slots", *sum);
  expect(cache.diagnose().empty(), cache.diagnose(), 0);

  bam::cache_config impatient = small_cache(64, 8);
  impatient.patience = 100;
  bam::cache held({&drive}, impatient);
  bam::array<word> lines(held, 0, 64 * 64);
  cursors_at_all<<<1, 32>>>(lines.view(), 64, counts);
  cudaDeviceSynchronize();
  unsigned ok = 0, pinned = 0;
  for (int i = 0; i < 32; ++i) ok += counts[i] == bam::ok;
  expect(ok == 32, "cursors at more lines than there are slots", ok);
  s = held.statistics();
  expect(s.not_held > 0 && s.reused + s.not_held == 32 + 24, "lines that no cursor may hold", s.not_held);
  held.drop();
  cursors_at_all<<<1, 8>>>(lines.view(), 64, counts);
  cudaDeviceSynchronize();
  expect(held.statistics().reused == s.reused + 8, "lines that cursors hold", held.statistics().reused);
  held.drop();
  tickets_of_all<<<1, 32>>>(lines.view(), 64, counts);
  cudaDeviceSynchronize();
  ok = 0;
  for (int i = 0; i < 32; ++i) ok += counts[i] == bam::ok, pinned += counts[i] == bam::all_pinned;
  expect(ok >= 8 && ok + pinned == 32 && pinned > 0, "all slots held by tickets: a named error, and no hang", pinned);
  expect(held.diagnose().find("all_pinned") != std::string::npos, held.diagnose(), 0);
  // What was given up holds nothing: everything can be used again.
  held.forget_failures();
  *sum = 0;
  sum_all<<<2, 64>>>(lines.view(), sum);
  cudaDeviceSynchronize();
  expect(*sum == total + 32 + 8, "a sum behind it", *sum);
}

__global__ void store_all(bam::array_view<word> a, word add) {
  for (word i = blockIdx.x * blockDim.x + threadIdx.x; i < a.size(); i += gridDim.x * blockDim.x) a[i] = mix(i) + add;
}

/// Every drive has every line: each is read by itself.
void replicas(bam::controller& one, bam::controller& two, word* sum) {
  bam::cache_config config = small_cache(32, 4);
  config.placement = bam::placement::replicated;
  std::vector<word> found(32 * 64);
  {
    bam::cache cache({&one, &two}, config);
    bam::array<word> array(cache, 0, found.size());
    store_all<<<2, 64>>>(array.view(), 5);
    cudaDeviceSynchronize();
    cache.must();
  }
  for (bam::controller* drive : {&one, &two}) {
    bam::cache cache({drive}, small_cache(32, 4));
    bam::array<word>(cache, 0, found.size()).download(found.data());
    word wrong = 0;
    for (word i = 0; i < found.size(); ++i) wrong += found[i] != mix(i) + 5;
    expect(wrong == 0, "elements of a replica", wrong);
  }
}

/// Arrays may share a line: what the host moves of one leaves the other as it is.
void neighbours(bam::controller& drive, unsigned bytes_of_a_line) {
  bam::cache_config config = small_cache(32, 3);
  config.line = bytes_of_a_line, config.bytes = 8 * bytes_of_a_line;
  bam::cache cache({&drive}, config);
  const word half = 5 * bytes_of_a_line / 16, all = 8 * bytes_of_a_line / 8;  // the first ends in the middle of a line
  bam::array<word> first(cache, 0, half), second(cache, half * 8, all - half);
  store_all<<<2, 64>>>(second.view(), 3);
  std::vector<word> values(half), found(all);
  for (word i = 0; i < half; ++i) values[i] = mix(i) + 9;
  first.upload(values.data());
  cache.download(0, found.data(), all * 8);
  word wrong = 0;
  for (word i = 0; i < half; ++i) wrong += found[i] != mix(i) + 9;
  expect(wrong == 0, "elements of an array that was uploaded", wrong);
  wrong = 0;
  for (word i = half; i < all; ++i) wrong += found[i] != mix(i - half) + 3;
  expect(wrong == 0, "elements of its neighbour", wrong);
  first.download(values.data());
  cache.must();
}

__global__ void statuses_of(bam::array_view<word> a, unsigned per_line, unsigned* statuses, bool writes) {
  word value = 1;
  const word i = threadIdx.x * per_line;
  statuses[threadIdx.x] = writes ? a.write(i, value) : a.read(i, value);
}

/// `failing`: its block 77 cannot be read, three writes fail, and a command of block 320 is
/// lost.
void statuses(bam::controller& drive, bam::controller& failing, word* sum, unsigned* counts) {
  bam::cache_config config = small_cache(1024, 16);
  config.patience = 1000, config.pairs = 1, config.entries = 16;
  bam::cache cache({&failing}, config);
  bam::array<word> at_64(cache, 64 * 512, 64 * 64);
  for (int again = 0; again < 2; ++again) {
    statuses_of<<<1, 32>>>(at_64.view(), 64, counts, false);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < 32; ++i)
      expect(counts[i] == (i == 13 ? 0x281 : bam::ok), "a read's status reaches its thread alone", counts[i]);
  }
  expect(cache.diagnose().find("line 77: unrecovered read error") != std::string::npos, cache.diagnose(), 0);
  cache.forget_failures();

  // A write-back that fails keeps the line: what was stored is not lost.
  bam::array<word> at_160(cache, 160 * 512, 64);
  statuses_of<<<1, 2>>>(at_160.view(), 64, counts, false);  // element 64 does not exist: a flush has another reason
  statuses_of<<<1, 1>>>(at_160.view(), 64, counts, true);
  cudaDeviceSynchronize();
  bool thrown = false;
  try {
    cache.flush();
  } catch (const std::exception& mistake) {
    thrown = std::string(mistake.what()).find("could not be written back: write fault") != std::string::npos;
  }
  expect(thrown, "a flush says that a line was not taken", 0);
  *sum = 0;
  sum_all<<<1, 64>>>(bam::array<word>(cache, 512 * 512, 64 * 64).view(), sum);  // the other lines go round the slots
  cudaDeviceSynchronize();
  cache.flush();
  std::vector<word> found(64);
  bam::array<word>(cache, 160 * 512, 64).download(found.data());
  expect(found[0] == 1, "a line that the drive takes later", found[0]);
  cache.forget_failures();

  // Of a lost command the slot is set aside; everything else goes on.
  bam::array<word> at_310(cache, 310 * 512, 64 * 64);
  statuses_of<<<1, 32>>>(at_310.view(), 64, counts, false);
  cudaDeviceSynchronize();
  unsigned late = 0, good = 0;
  for (unsigned i = 0; i < 32; ++i) late += counts[i] == bam::timed_out, good += counts[i] == bam::ok;
  expect(late == 1 && good == 31, "one lost command, one thread that is told", late);
  statuses_of<<<1, 32>>>(at_310.view(), 64, counts, false);
  cudaDeviceSynchronize();
  for (unsigned i = 0; i < 32; ++i) expect(counts[i] == bam::ok, "another try", counts[i]);
  cache.recover();
  cache.forget_failures();
  *sum = 0;
  sum_all<<<2, 64>>>(bam::array<word>(cache, 512 * 512, 64 * 64).view(), sum);
  cudaDeviceSynchronize();
  expect(cache.diagnose().empty(), cache.diagnose(), 0);

  // A confirmation that is lost is given up, and the next access has another. (Confirmations read the first block.)
  bam::cache_config confirming = config;
  confirming.first_block = 900, confirming.bytes = 64 * 512, confirming.confirms = bam::confirms::shared;
  bam::cache confirmed({&failing}, confirming);
  for (int again = 0; again < 2; ++again) {
    statuses_of<<<1, 1>>>(bam::array<word>(confirmed, 5 * 512, 64).view(), 64, counts, false);
    cudaDeviceSynchronize();
    expect(counts[0] == (again ? bam::ok : bam::timed_out), "a read whose confirmation was lost", counts[0]);
  }
  confirmed.forget_failures();

  // A replica helps where one drive cannot.
  config.placement = bam::placement::replicated;
  bam::cache both({&failing, &drive}, config);
  statuses_of<<<1, 32>>>(bam::array<word>(both, 64 * 512, 64 * 64).view(), 64, counts, false);
  cudaDeviceSynchronize();
  for (unsigned i = 0; i < 32; ++i) expect(counts[i] == bam::ok, "a replica that can be read", counts[i]);
}

template <class Make>
void refused(const char* words, Make make) {
  std::string said = "nothing";
  try {
    make();
  } catch (const std::exception& mistake) {
    said = mistake.what();
  }
  expect(said.find(words) != std::string::npos, std::string("refused with \"") + words + "\": " + said, 0);
}

void mistakes(bam::controller& drive) {
  bam::cache_config config = small_cache(64, 8);
  bam::cache cache({&drive}, config);
  refused("0 drives; it has 1 to 16", [&] { bam::cache({}, config); });
  refused("lines of 768 bytes; they have a power of two, from 512 to", [&] {
    bam::cache_config odd = config;
    odd.line = 768;
    bam::cache({&drive}, odd);
  });
  refused("bytes; they are whole lines", [&] {
    bam::cache_config odd = config;
    odd.bytes = 1000;
    bam::cache({&drive}, odd);
  });
  for (const word first : {word{drive.what().blocks - 10}, ~word{0} - 10})
    refused("blocks, and the cached range takes 64 from block", [&] {
      bam::cache_config far = config;
      far.first_block = first;
      bam::cache({&drive}, far);
    });
  refused("drive 0 stands twice in its list", [&] { bam::cache({&drive, &drive}, config); });
  refused("4294967295 slots; it has 1 to 1073741824", [&] {
    bam::cache_config many = config;
    many.slots = ~0u;
    bam::cache({&drive}, many);
  });
  refused("are not behind the cached range, or not on the drive", [&] {
    bam::journal_config where;
    where.first_block = ~0ull - 3, where.entries = 2;
    bam::journal(cache, where);
  });
  refused("its elements are aligned at 8", [&] { bam::array<word>(cache, 4, 1); });
  refused("and the cached range has", [&] { bam::array<word>(cache, 8, 64 * 64); });
}

}  // namespace

int main(int argc, char** argv) {
  const int accesses = argc > 1 ? atoi(argv[1]) : 6;
  if (accesses < 1) {
    printf("cache: expected: cache [ACCESSES], a number from 1\n");
    return 2;
  }
  if (storage_drives() < 3) {
    printf("cache: needs three drives, the third of which fails: see the line \"machine:\" of its source\n");
    return 77;
  }
  word* sum = nullptr;
  cudaMallocManaged(&sum, 4096);
  unsigned* const counts = reinterpret_cast<unsigned*>(sum + 8);
  try {
    bam::controller one(0), two(1), failing(2);
    using bam::placement;
    using bam::replacement;
    const policy policies[] = {
        {"clock, 512 bytes, 8 slots", replacement::clock, placement::striped, 512, 8, 64, 2, 0},
        {"fifo, 512 bytes, 8 slots", replacement::fifo, placement::striped, 512, 8, 64, 2, 0},
        {"replicated", replacement::clock, placement::replicated, 512, 8, 64, 2, 0},
        {"clock, 4 KiB, rings of 2", replacement::clock, placement::striped, 4096, 16, 2, 1, 0},
        {"fifo, 8 KiB, rings of 3, counters at 2^16", replacement::fifo, placement::striped, 8192, 16, 3, 1,
         (1ull << 16) - 30},
        {"clock, 64 KiB, rings of 1000, counters at 2^32", replacement::clock, placement::striped, 65536, 20, 1000, 1,
         (1ull << 32) - 30},
        {"all lines fit", replacement::clock, placement::striped, 4096, 64, 16, 1, 0},
    };
    for (const policy& p : policies) many_evictions(p, {&one, &two}, static_cast<unsigned>(accesses), counts);
    published_defects(one, sum, counts);
    replicas(one, two, sum);
    neighbours(one, 512);
    neighbours(one, 16384);
    statuses(one, failing, sum, counts);
    mistakes(one);
  } catch (const std::exception& mistake) {
    printf("FAIL cache: %s\n", mistake.what());
    return 1;
  }
  if (failures) return 1;
  printf("PASS cache\n");
  return 0;
}
