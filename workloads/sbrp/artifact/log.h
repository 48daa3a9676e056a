// libGPM's conventional log, as the artifact of "SBRP" (ASPLOS'23) builds gpKVS with it: a partition for each
// entry, found through a header, heads and tails in the pool, with the entries behind them; nothing begins on a line.
// So the entries and heads of a warp share sectors with its neighbours'. An entry counts once the partition's head has
// moved past it.
#pragma once
#include "../recoverable.h"

namespace artifact {

struct LogHeader {
  int partitions;
  uint64_t *head, *tail;  // by partition: the byte that the next entry starts at; that behind its last
  uint64_t bytes;
  int flags;
};
constexpr int kConventional = 1, kUnordered = 2;  // flags

// What kernels find a log by: in device memory, as libGPM has it.
struct Log {
  LogHeader* header;
  char* entries;
  int* locks;  // by partition
};

// Word by word, as many as there are.
__device__ void copy_words(void* to, const void* from, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes / sizeof(uint32_t); ++i)
    static_cast<uint32_t*>(to)[i] = static_cast<const uint32_t*>(from)[i];
}

template <class Entry>
__device__ void write_log(const Log* log, const Entry* entry, uint32_t partition) {
  if (!(log->header->flags & kConventional) || partition >= static_cast<uint32_t>(log->header->partitions)) return;
  const uint64_t start = log->header->head[partition];
  uint64_t bytes = sizeof(Entry);
  if (start + bytes > log->header->tail[partition]) bytes = log->header->tail[partition] - start;
  copy_words(log->entries + start, entry, bytes);
  if (!(log->header->flags & kUnordered)) ofence();
  const uint64_t head = log->header->head[partition] + bytes;
  copy_words(&log->header->head[partition], &head, sizeof head);
  if (!(log->header->flags & kUnordered)) ofence();
}

// An entry, under the lock of its partition. Bytes that it has; 0: the partition is empty.
template <class Entry>
__device__ uint64_t read_log(const Log* log, Entry* entry, uint32_t partition) {
  uint64_t bytes = 0;
  for (bool done = false; !done;) {
    const bool locked = atomicCAS(&log->locks[partition], 0, 1) == 0;
    __threadfence();
    if (!locked) continue;
    const uint64_t begin = partition == 0 ? 0 : log->header->tail[partition - 1];
    bytes = log->header->head[partition] - begin;
    copy_words(entry, log->entries + begin, bytes);
    __threadfence();
    atomicExch(&log->locks[partition], 0);
    done = true;
  }
  return bytes;
}

__global__ void set_up_log(LogHeader* log, uint64_t* head, uint32_t partitions, uint32_t entry_bytes) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    *log = {static_cast<int>(partitions), head, head + partitions, uint64_t(partitions) * entry_bytes, kConventional};
  if (i < partitions) {
    head[i] = uint64_t(i) * entry_bytes;
    head[partitions + i] = uint64_t(i + 1) * entry_bytes;
  }
  dfence();
}

__global__ void clear_log(const Log* log) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= static_cast<uint32_t>(log->header->partitions)) return;
  while (atomicCAS(&log->locks[i], 0, 1) != 0) {
  }
  const uint64_t start = i == 0 ? 0 : log->header->tail[i - 1];
  copy_words(&log->header->head[i], &start, sizeof start);
  ofence();
  atomicExch(&log->locks[i], 0);
  __threadfence();
  dfence();
}

inline size_t log_bytes(uint32_t partitions, size_t entry_bytes) {
  return recoverable::whole_lines(sizeof(LogHeader) + partitions * (2 * sizeof(uint64_t) + entry_bytes));
}

// A log for the kernels, with locks that nobody holds, and whether it is empty.
class LogHandle {
 public:
  LogHandle(LogHeader* header, uint32_t partitions, size_t entry_bytes)
      : header_(header),
        partitions_(partitions),
        entry_bytes_(static_cast<uint32_t>(entry_bytes)),
        locks_(partitions, 0),
        log_(std::vector<Log>{{header, reinterpret_cast<char*>(heads() + 2 * partitions), locks_}}) {}
  const Log* get() const { return log_; }
  int blocks() const { return recoverable::blocks_for(partitions_, 512); }
  void set_up() {
    set_up_log<<<blocks(), 512>>>(header_, heads(), partitions_, entry_bytes_);
    empty_ = true;
  }
  /// Before a batch opens, which fills it.
  void clear() {
    if (!empty_) clear_log<<<blocks(), 512>>>(log_);
    empty_ = false;
  }

 private:
  uint64_t* heads() const { return reinterpret_cast<uint64_t*>(header_ + 1); }

  LogHeader* header_;
  uint32_t partitions_, entry_bytes_;
  DeviceArray<int> locks_;
  DeviceArray<Log> log_;
  bool empty_ = false;
};

}  // namespace artifact
