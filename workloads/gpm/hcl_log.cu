// A test of libGPM's HCL log. There are two blocks, whose last warps are not full. Every thread inserts three entries
// and removes them again. Before that it checks that wrong calls are refused, and change no byte of the log.
//
//   hcl_log [--small] [--pool FILE]     the log's file; create it, insert, remove, check
//   hcl_log --recover FILE              open it, check that every entry is complete, and none acknowledged is missing
#include <string>

#include "library.h"

constexpr unsigned kBlocks = 2, kThreads = 40, kRounds = 3;
struct Entry {
  unsigned round, thread, seal;
};
__host__ __device__ Entry entry_of(unsigned round, unsigned thread) {
  return {round, thread, seal_of(round, thread)};
}
__device__ unsigned thread_of_grid() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// Wrong ways to write a log, on the library's own layout.
__device__ void insert_wrongly(gpmlog* log, const Entry& entry) {
  const everwarp::GpmLogPlace place = everwarp::gpm_log_place(log, -1);
  const unsigned head = *place.head;
  unsigned* word[3];
  for (unsigned w = 0; w < 3; ++w) word[w] = reinterpret_cast<unsigned*>(place.words + (head + w) * place.stride);
  if (BUG == 2) {
    *place.head = head + 3;  // @head_early
    gpm_persist();
  }
  *word[0] = entry.round;
  *word[1] = entry.thread;
  *word[2] = entry.seal;                 // @entry
  if (BUG == 1) *place.head = head + 3;  // @head
  gpm_persist();
}

__global__ void record(gpmlog* log, unsigned round, int* refused) {
  const Entry entry = entry_of(round, thread_of_grid());
  if (BUG == 1 || BUG == 2)
    insert_wrongly(log, entry);
  else if (gpmlog_insert(log, &entry, sizeof entry) != gpmlog_ok)
    atomicAdd(refused, 1);
}

__global__ void take_off(gpmlog* log, int* refused) {
  if (gpmlog_remove(log, sizeof(Entry)) != gpmlog_ok) atomicAdd(refused, 1);
}

// For each thread, the number of its entries; -1 if one of them is not what the thread inserted.
__global__ void count(gpmlog* log, int* counts) {
  Entry entries[kRounds];
  unsigned found = kRounds;
  while (found != 0 && gpmlog_read(log, entries, found * sizeof(Entry)) != gpmlog_ok) --found;
  int whole = static_cast<int>(found);
  for (unsigned i = 0; i < found; ++i) {
    const Entry want = entry_of(i, thread_of_grid());
    if (entries[i].round != want.round || entries[i].thread != want.thread || entries[i].seal != want.seal) whole = -1;
  }
  counts[thread_of_grid()] = whole;
}

// A wrong way to open a log: every head is set to zero and stored again.
__global__ void reset_heads(gpmlog* log) {
  const everwarp::GpmLogPlace place = everwarp::gpm_log_place(log, -1);
  const unsigned head = *place.head;
  *place.head = 0;  // @zero
  gpm_persist();
  *place.head = head;  // @again
  gpm_persist();
}

// The first threads make nine calls that must fail.
__global__ void misuse(gpmlog* log, int* status) {
  unsigned words[16] = {};
  if (thread_of_grid() == 0) {
    status[0] = gpmlog_insert(log, words, 10);
    status[1] = gpmlog_insert(log, words, 0);
    status[2] = gpmlog_insert(log, words, sizeof words);
    status[3] = gpmlog_read(log, words, sizeof words);
    status[4] = gpmlog_remove(log, size_t(1) << 40);
    status[5] = gpmlog_insert(log, words, 4, kBlocks * kThreads);
    status[6] = gpmlog_read(log, words, 6);
    status[8] = gpmlog_clear(log, -2);
  }
  if (thread_of_grid() == kBlocks * kThreads) status[7] = gpmlog_insert(log, words, 4);
}

void check_misuse(gpmlog* log, const Library& library) {
  const int want[9] = {gpmlog_wrong_size,   gpmlog_wrong_size, gpmlog_full,         gpmlog_empty,       gpmlog_empty,
                       gpmlog_no_partition, gpmlog_wrong_size, gpmlog_no_partition, gpmlog_no_partition};
  const std::vector<char> before = library.bytes(log);
  DeviceArray<int> status(9, 0);
  misuse<<<kBlocks + 1, kThreads>>>(log, status);
  FINISH_KERNEL();
  EXPECT_SAME(std::vector<int>(want, want + 9), status.download(), "status of a wrong call");
  EXPECT(before == library.bytes(log), "a refused call should change nothing in the log");

  const std::string other = std::string(library.file) + ".misuse";
  gpmlog* older = gpmlog_create_conv(other.c_str(), 400, 10);
  EXPECT(older != nullptr && gpmlog_close(older) == 0, "there is a log of 10 partitions");
  EXPECT(gpmlog_create_conv(other.c_str(), size_t{1} << 34, 4000000000u) == nullptr,
         "no GPU has room for so many locks");
  gpmlog_sizes sizes;
  EXPECT(
      (older = gpmlog_open(other.c_str())) != nullptr && gpmlog_get_sizes(older, &sizes) == 0 && sizes.partitions == 10,
      "a refused creation should leave the older log");
  EXPECT(gpmlog_close(older) == 0, "the older log should have been closed");
  std::remove(other.c_str());
}

void check_counts(gpmlog* log, int least, int most) {
  DeviceArray<int> counts(kBlocks * kThreads, 0);
  count<<<kBlocks, kThreads>>>(log, counts);
  FINISH_KERNEL();
  const std::vector<int> found = counts.download();
  for (unsigned t = 0; t < found.size(); ++t)
    EXPECT(found[t] >= least && found[t] <= most, "thread %u should have %d to %d whole entries, has %d", t, least,
           most, found[t]);
}

gpmlog* create(const Library& library) {
  const size_t bytes = kRounds * sizeof(Entry) * kBlocks * 64;
  if (BUG != 3) return gpmlog_create_hcl(library.file, bytes, kBlocks, kThreads);
  everwarp::GpmLogHeader header =  // a header that no one makes durable
      everwarp::gpm_log_layout(everwarp::gpm_log_hcl, kBlocks * 64, kRounds * sizeof(Entry) / 4);
  header.blocks = kBlocks;
  header.threads = kThreads;
  header.magic = everwarp::gpm_log_magic;
  void* pool = gpm_map(library.file, header.bytes, true);
  memcpy(pool, &header, sizeof header);
  everwarp::GpmLogMemory memory;
  EXPECT(everwarp::gpm_log_memory("create", library.file, header, &memory), "there is device memory");
  return everwarp::gpm_log_handle("create", library.file, pool, memory);
}

int run(const Library& library) {
  gpmlog* log = create(library);
  EXPECT(log != nullptr, "the log should have been created");
  if (BUG == 0) check_misuse(log, library);
  DeviceArray<int> refused(1, 0);
  for (unsigned round = 0; round < kRounds; ++round) {
    record<<<kBlocks, kThreads>>>(log, round, refused);
    FINISH_KERNEL();
    gpm_acknowledge(round + 1);
  }
  check_counts(log, kRounds, kRounds);
  if (BUG == 0) check_misuse(log, library);
  library.check_no_addresses(log);
  for (unsigned round = 0; round < kRounds; ++round) {
    take_off<<<kBlocks, kThreads>>>(log, refused);
    FINISH_KERNEL();
    gpm_acknowledge(kRounds + round + 1);
  }
  check_counts(log, 0, 0);
  EXPECT(gpmlog_close(log) == 0 && (log = gpmlog_open(library.file)) != nullptr,
         "the empty log should be opened again");
  check_counts(log, 0, 0);
  EXPECT(refused.download()[0] == 0, "no call should be refused, %d were", refused.download()[0]);
  EXPECT(gpmlog_close(log) == 0, "the log should have been closed");
  return PASS("%u threads inserted and removed %u entries each", kBlocks * kThreads, kRounds);
}

int recover(const Library& library) {
  const int acknowledged = static_cast<int>(gpm_acknowledged());
  if (!library.is_whole()) return library.nothing_yet();
  gpmlog* log = gpmlog_open(library.file);
  EXPECT(log != nullptr, "the log should be whole");
  if (BUG == 4) {
    reset_heads<<<kBlocks, kThreads>>>(log);
    FINISH_KERNEL();
  }
  const int most = acknowledged < static_cast<int>(kRounds) ? acknowledged + 1 : 2 * kRounds - acknowledged;
  const int least = acknowledged < static_cast<int>(kRounds) ? acknowledged : most == 0 ? 0 : most - 1;
  check_counts(log, least, most);
  EXPECT(gpmlog_close(log) == 0, "the log should have been closed");
  return PASS("recovered behind %d of %u steps", acknowledged, 2 * kRounds);
}

int main(int argc, char** argv) {
  const Library library(argc, argv);
  if (BUG == 5) gpm_persist_end();
  return library.recovers ? recover(library) : run(library);
}
