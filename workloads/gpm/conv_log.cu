// A test of libGPM's conventional log. Threads of three blocks share two partitions. They append entries of two sizes,
// and remove some. The device memory that the library takes for its locks is not zero before.
//
//   conv_log [--small] [--pool FILE]     the log's file; create it, append, remove, clear, check
//   conv_log --recover FILE              open it, check that every entry is complete, and none acknowledged is missing
#include "library.h"

constexpr unsigned kBlocks = 3, kThreads = 4, kPartitions = 2, kRounds = 3;
struct Entry {
  unsigned round, thread, seal;
};
// In a round half of the threads append to each partition. The thread's number decides to which one.
constexpr unsigned kOfRound = kBlocks * kThreads / kPartitions, kMost = kRounds * kOfRound;

// Wrong ways to write a log: the head before the entry, or no persist between them.
__device__ void insert_wrongly(gpmlog* log, const Entry& entry) {
  const everwarp::GpmLogPlace place = everwarp::gpm_log_place(log, -1);
  everwarp::gpm_log_locked(place, [&]() {
    const unsigned head = everwarp::gpm_log_head(place);
    Entry* to = reinterpret_cast<Entry*>(place.words + 4 * head);
    if (BUG == 1) {
      *place.head = head + 3;  // @head_early
      gpm_persist();
    }
    to->round = entry.round;
    to->thread = entry.thread;
    to->seal = entry.seal;                 // @entry
    if (BUG == 2) *place.head = head + 3;  // @head
    gpm_persist();
    return 0;
  });
}

__global__ void record(gpmlog* log, unsigned round, int* refused) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const Entry entry = {round, thread, seal_of(round, thread)};
  if (BUG == 1 || BUG == 2)
    insert_wrongly(log, entry);
  else if (gpmlog_insert(log, &entry, sizeof entry) != gpmlog_ok)
    atomicAdd(refused, 1);
}

// For each partition: the number of its entries. `bad`: those that no thread has appended, and those that stand twice.
__global__ void count(gpmlog* log, unsigned* counts, unsigned* bad) {
  const int partition = static_cast<int>(threadIdx.x);
  Entry entries[kMost];
  unsigned found = kMost, seen[kRounds] = {};
  while (found != 0 && gpmlog_read(log, entries, found * sizeof(Entry), partition) != gpmlog_ok) --found;
  counts[partition] = found;
  for (unsigned i = 0; i < found; ++i) {
    const Entry& entry = entries[i];
    const bool whole = entry.round < kRounds && entry.thread < kBlocks * kThreads &&
                       entry.thread % kPartitions == threadIdx.x && entry.seal == seal_of(entry.round, entry.thread) &&
                       !(seen[entry.round] >> entry.thread & 1);
    if (whole)
      seen[entry.round] |= 1u << entry.thread;
    else
      ++bad[partition];
  }
}

// Removes an entry and puts it back. Then makes calls that must be refused.
__global__ void take_words(gpmlog* log, int* status) {
  unsigned words[3];
  status[0] = gpmlog_read(log, words, sizeof words, 0);
  status[1] = gpmlog_remove(log, sizeof words, 0);
  status[2] = gpmlog_insert(log, words, sizeof words, 0);
  status[3] = gpmlog_insert(log, words, 4, 0);            // full
  status[4] = gpmlog_insert(log, words, 4, kPartitions);  // no such partition
  status[5] = gpmlog_read(log, words, 1 << 20, 0);        // more than there is
  status[6] = gpmlog_remove(log, 4 * kMost * 3 + 4, 1);   // the same
}
__global__ void clear(gpmlog* log) {
  gpmlog_clear(log, 1);
}

void check_counts(gpmlog* log, unsigned least_rounds, unsigned most_rounds) {
  DeviceArray<unsigned> counts(kPartitions, 0), bad(kPartitions, 0);
  count<<<1, kPartitions>>>(log, counts, bad);
  FINISH_KERNEL();
  for (unsigned p = 0; p < kPartitions; ++p) {
    const unsigned found = counts.download()[p], least = least_rounds * kOfRound, most = most_rounds * kOfRound;
    EXPECT(bad.download()[p] == 0, "partition %u should have whole entries, %u are not", p, bad.download()[p]);
    EXPECT(found >= least && found <= most, "partition %u should have %u to %u entries, has %u", p, least, most, found);
  }
}

// The device may give memory that is not zero for the locks. Everwarp gives memory again when 1,024 newer blocks were
// freed.
void make_device_memory_dirty() {
  for (int i = 0; i < 1100; ++i) {
    void* dirt;
    CUDA(cudaMalloc(&dirt, 256));
    CUDA(cudaMemset(dirt, 0xff, 256));
    CUDA(cudaFree(dirt));
  }
}

int run(const Library& library) {
  make_device_memory_dirty();
  gpmlog* log = gpmlog_create_conv(library.file, kPartitions * kMost * sizeof(Entry), kPartitions);
  EXPECT(log != nullptr, "the log should have been created");
  DeviceArray<int> refused(1, 0);
  for (unsigned round = 0; round < kRounds; ++round) {
    record<<<kBlocks, kThreads>>>(log, round, refused);
    FINISH_KERNEL();
    gpm_acknowledge(round + 1);
  }
  EXPECT(refused.download()[0] == 0, "no call should be refused, %d were", refused.download()[0]);
  check_counts(log, kRounds, kRounds);
  library.check_no_addresses(log);
  if (BUG == 0) {
    const std::vector<char> before = library.bytes(log);
    DeviceArray<int> status(7, 0);
    take_words<<<1, 1>>>(log, status);
    FINISH_KERNEL();
    EXPECT_SAME((std::vector<int>{0, 0, 0, gpmlog_full, gpmlog_no_partition, gpmlog_empty, gpmlog_empty}),
                status.download(), "status of a call");
    EXPECT(before == library.bytes(log), "words that were read, removed and inserted again should stand as they stood");
  }
  EXPECT(gpmlog_close(log) == 0, "the log should have been closed");
  EXPECT((log = gpmlog_open(library.file)) != nullptr, "the log should have been opened");
  check_counts(log, kRounds, kRounds);
  const std::vector<char> before = library.bytes(log);
  clear<<<1, 1>>>(log);
  FINISH_KERNEL();
  const std::vector<char> after = library.bytes(log);
  unsigned changed = 0;
  for (size_t i = 0; i < before.size(); ++i) changed += before[i] != after[i];
  EXPECT(changed == 1, "a clear should change the head of its partition alone, %u bytes have changed", changed);
  EXPECT(gpmlog_close(log) == 0, "the log should have been closed");
  return PASS("%u threads appended %u entries each to %u partitions", kBlocks * kThreads, kRounds, kPartitions);
}

int recover(const Library& library) {
  const unsigned acknowledged = static_cast<unsigned>(gpm_acknowledged());
  if (!library.is_whole()) return library.nothing_yet();
  gpmlog* log = gpmlog_open(library.file);
  EXPECT(log != nullptr, "the log should be whole");
  check_counts(log, acknowledged < kRounds ? acknowledged : 0, kRounds);  // behind the last round, a clear follows
  EXPECT(gpmlog_close(log) == 0, "the log should have been closed");
  return PASS("recovered behind %u of %u rounds", acknowledged, kRounds);
}

int main(int argc, char** argv) {
  const Library library(argc, argv);
  return library.recovers ? recover(library) : run(library);
}
