// A seqlock: one writer block updates a record of several words, reader blocks copy it without locking and try again
// when the sequence number moved. Exercises: acquire and release fences in inline PTX, relaxed loads, concurrent
// readers/writer.
//
// deterministic: no
// copies: what comes to the host depends on who came first
#include "check.h"

namespace {

constexpr int kWords = 8;

struct Record {
  unsigned sequence;  // odd while being written
  unsigned words[kWords];
};

__device__ unsigned load_relaxed(const unsigned* at) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}
__device__ void store_relaxed(unsigned* at, unsigned value) {
  asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}
__device__ void fence() {
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

__host__ __device__ unsigned word_of(unsigned version, int i) {
  return version * 2654435761u + 977u * i;
}

__device__ void write(Record* record, unsigned version) {
  store_relaxed(&record->sequence, 2 * version - 1);
  fence();
  for (int i = 0; i < kWords; ++i) store_relaxed(&record->words[i], word_of(version, i));
  fence();
  store_relaxed(&record->sequence, 2 * version);
}

__device__ unsigned read(const Record* record, unsigned* copy, int* retries) {
  for (;; ++*retries) {
    const unsigned before = load_relaxed(&record->sequence);
    fence();
    for (int i = 0; i < kWords; ++i) copy[i] = load_relaxed(&record->words[i]);
    fence();
    if (before % 2 == 0 && load_relaxed(&record->sequence) == before) return before / 2;
  }
}

// results: [0] torn reads, [1] versions that went backwards, [2] reads, [3] retries
__global__ void run(Record* record, int versions, unsigned* results) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0)
      for (int v = 1; v <= versions; ++v) write(record, v);
    return;
  }
  unsigned newest = 0, torn = 0, backwards = 0, reads = 0;
  int retries = 0;
  while (newest < versions) {
    unsigned copy[kWords];
    const unsigned version = read(record, copy, &retries);
    for (int i = 0; i < kWords; ++i) torn += copy[i] != word_of(version, i);
    backwards += version < newest;
    newest = version;
    ++reads;
  }
  atomicAdd(&results[0], torn);
  atomicAdd(&results[1], backwards);
  atomicAdd(&results[2], reads);
  atomicAdd(&results[3], static_cast<unsigned>(retries));
}

}  // namespace

int main(int argc, char** argv) {
  const int versions = size_argument(argc, argv, 1, 100, 1, 100000);
  const int readers = size_argument(argc, argv, 2, 3, 1, 64);
  Record first = {};
  for (int i = 0; i < kWords; ++i) first.words[i] = word_of(0, i);
  DeviceArray<Record> record(std::vector<Record>{first});
  DeviceArray<unsigned> results(4, 0);
  run<<<1 + readers, 16>>>(record, versions, results);
  FINISH_KERNEL();
  const auto got = results.download();
  EXPECT(got[0] == 0, "no read should be torn, %u words were", got[0]);
  EXPECT(got[1] == 0, "versions should never go back, %u did", got[1]);
  EXPECT(got[2] >= 16u * readers, "each of %d threads should read at least once, %u reads", 16 * readers, got[2]);
  const Record last = record.download()[0];
  EXPECT(last.sequence == 2u * versions, "the sequence should end at %u, is %u", 2u * versions, last.sequence);
  return PASS("versions=%d readers=%d", versions, 16 * readers);
}
