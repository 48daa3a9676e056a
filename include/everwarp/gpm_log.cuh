// libGPM's logs ("GPM: Leveraging Persistent Memory from a GPU", ASPLOS'22, section 5.2 and Table 2). Included by
// gpm.cuh. docs/libgpm.md explains each function; gpm_format.h has the layout of the file.
//
//   gpmlog* log = gpmlog_create_hcl("undo.log", bytes, blocks, threads);   // host; NULL and a sentence on stderr
//   … in a kernel of so many blocks and threads:
//     Entry entry = {index, table[index]};
//     if (gpmlog_insert(log, &entry, sizeof entry) != gpmlog_ok) …;        // durable when it returns
//     table[index] = value;
//     gpm_persist();
//   … after a crash:  log = gpmlog_open("undo.log");  in a kernel: gpmlog_read, undo, gpm_persist, gpmlog_remove
//
// A partition is a stack of 4-byte words. Its head, 8 bytes, says how many words there are. An entry is durable before
// the head that counts it is stored. So after a crash each entry is in the log, or it is not. Locks and the handle lie in
// device memory. Each open makes them anew, and stores nothing in the file.
#pragma once

#if defined(__CUDACC__)

#include "gpm_format.h"

/// The results of the device functions. A call without gpmlog_ok has changed nothing.
enum gpmlog_status {
  gpmlog_ok = 0,
  gpmlog_full = -1,          // the entry does not fit into its partition
  gpmlog_wrong_size = -2,    // a size is 0, or no multiple of 4
  gpmlog_empty = -3,         // the partition holds fewer bytes than were asked for
  gpmlog_no_partition = -4,  // the log has no such partition; HCL: the launch is larger than the log
};

/// An open log, in device memory: for kernels, and for gpmlog_close().
struct gpmlog {
  everwarp::GpmLogHeader shape;
  char* pool;
  unsigned* locks;  // conventional log: a lock for each partition, in a sector of its own
};

/// What a log was made with. Conventional: `blocks` and `threads` are 0.
struct gpmlog_sizes {
  unsigned partitions, blocks, threads;
  size_t partition_bytes;  // of entries, that each partition has room for
};

namespace everwarp {

enum { gpm_lock_words = 8 };

inline gpmlog* gpm_log_refuse(const char* call, const char* path, const char* what) {
  fprintf(stderr, "%s: %s %s\n", call, path == NULL ? "(no path)" : path, what);
  return NULL;
}

/// Device memory of an open log: its handle, and a lock for each partition of a conventional one.
struct GpmLogMemory {
  gpmlog* log;
  unsigned* locks;
};

/// Of a log with this header. False, and a sentence on stderr, where there is none.
inline bool gpm_log_memory(const char* call, const char* path, const GpmLogHeader& shape, GpmLogMemory* memory) {
  memory->log = NULL;
  memory->locks = NULL;
  const size_t lock_bytes = shape.kind == gpm_log_conventional ? sizeof(unsigned) * gpm_lock_words * shape.partitions : 0;
  cudaError_t error = cudaMalloc(reinterpret_cast<void**>(&memory->log), sizeof(gpmlog));
  if (error == cudaSuccess && lock_bytes != 0)
    error = cudaMalloc(reinterpret_cast<void**>(&memory->locks), lock_bytes);
  if (error == cudaSuccess && lock_bytes != 0) error = cudaMemset(memory->locks, 0, lock_bytes);
  if (error == cudaSuccess) return true;
  cudaFree(memory->locks);
  cudaFree(memory->log);
  cudaGetLastError();  // what is refused leaves no error behind
  gpm_log_refuse(call, path,
                 error == cudaErrorMemoryAllocation ? "has no room in device memory for its locks"
                                                    : "needs the GPU, on which an earlier call has failed");
  return false;
}

/// The handle of the log whose file is mapped at `pool`.
inline gpmlog* gpm_log_handle(const char* call, const char* path, void* pool, const GpmLogMemory& memory) {
  gpmlog handle;
  handle.shape = *static_cast<GpmLogHeader*>(pool);
  handle.pool = static_cast<char*>(pool);
  handle.locks = memory.locks;
  if (cudaMemcpy(memory.log, &handle, sizeof(gpmlog), cudaMemcpyHostToDevice) == cudaSuccess) return memory.log;
  cudaFree(memory.locks);
  cudaFree(memory.log);
  gpm_unmap(path, pool, handle.shape.bytes);
  return gpm_log_refuse(call, path, "needs the GPU, on which an earlier call has failed");
}

inline gpmlog* gpm_log_create(const char* call, const char* path, GpmLogHeader header) {
  GpmLogMemory memory;
  if (!gpm_log_memory(call, path, header, &memory)) return NULL;  // what is refused has replaced no older log
  GpmLogHeader* file = static_cast<GpmLogHeader*>(gpm_map(path, header.bytes, true));
  const char* mistake = "cannot be made";
  if (file != NULL) {
    *file = header;  // all but the magic
    if (gpm_persist_range(file, header.entries) == 0) {
      file->magic = gpm_log_magic;
      if (gpm_persist_range(file, sizeof file->magic) == 0) return gpm_log_handle(call, path, file, memory);
    }
    gpm_unmap(path, file, header.bytes);
    mistake = "cannot be made durable";
  }
  cudaFree(memory.locks);
  cudaFree(memory.log);
  return gpm_log_refuse(call, path, mistake);
}

}  // namespace everwarp

/// Makes a new conventional log in file `path`, in place of an older one. Its `n_partition` partitions share `size` bytes
/// of entries evenly. It is for little data, since an insert takes its partition's lock. If it cannot be made: NULL, and a
/// sentence on stderr.
inline gpmlog* gpmlog_create_conv(const char* path, size_t size, unsigned n_partition) {
  const char* const call = "gpmlog_create_conv";
  if (path == NULL) return everwarp::gpm_log_refuse(call, path, "is no file");
  if (n_partition == 0) return everwarp::gpm_log_refuse(call, path, "needs at least one partition");
  const size_t words = size / 4 / n_partition;
  if (words == 0) return everwarp::gpm_log_refuse(call, path, "is too small: a partition needs 4 bytes at least");
  if (words > 0x3fffffff) return everwarp::gpm_log_refuse(call, path, "is too large: a partition has less than 4 GiB");
  return everwarp::gpm_log_create(
      call, path, everwarp::gpm_log_layout(everwarp::gpm_log_conventional, n_partition, static_cast<unsigned>(words)));
}

/// Makes a new HCL log in file `path`, in place of an older one. It has a partition for each thread of a grid of `blocks`
/// blocks of `threads` threads. They share `size` bytes of entries evenly (the last warp of a block counts as a full
/// one). If it cannot be made: NULL, and a sentence on stderr.
inline gpmlog* gpmlog_create_hcl(const char* path, size_t size, unsigned blocks, unsigned threads) {
  const char* const call = "gpmlog_create_hcl";
  if (path == NULL) return everwarp::gpm_log_refuse(call, path, "is no file");
  if (blocks == 0 || threads == 0 || threads > 1024)
    return everwarp::gpm_log_refuse(call, path, "needs at least one block, of 1 to 1024 threads");
  const size_t partitions = static_cast<size_t>(blocks) * ((threads + 31) / 32) * 32, words = size / 4 / partitions;
  if (partitions > 0x7fffffff) return everwarp::gpm_log_refuse(call, path, "has too many threads: 2^31 - 1 at most");
  if (words == 0) return everwarp::gpm_log_refuse(call, path, "is too small: each warp needs 128 bytes at least, 4 for each lane");
  if (words > 0x3fffffff) return everwarp::gpm_log_refuse(call, path, "is too large: a thread has less than 4 GiB");
  everwarp::GpmLogHeader header = everwarp::gpm_log_layout(
      everwarp::gpm_log_hcl, static_cast<unsigned>(partitions), static_cast<unsigned>(words));
  header.blocks = blocks;
  header.threads = threads;
  return everwarp::gpm_log_create(call, path, header);
}

/// Opens the log in file `path`. Only reads it. If it is no complete log: NULL, and a sentence on stderr.
inline gpmlog* gpmlog_open(const char* path) {
  const size_t bytes = path == NULL ? 0 : gpm_size(path);
  if (bytes == 0) return everwarp::gpm_log_refuse("gpmlog_open", path, everwarp::gpm_no_pool(path));
  void* pool = gpm_map(path, 0, false);
  if (pool == NULL) return everwarp::gpm_log_refuse("gpmlog_open", path, "cannot be mapped");
  const char* mistake = everwarp::gpm_log_mistake(pool, bytes);
  everwarp::GpmLogMemory memory;
  if (mistake == NULL &&
      everwarp::gpm_log_memory("gpmlog_open", path, *static_cast<everwarp::GpmLogHeader*>(pool), &memory))
    return everwarp::gpm_log_handle("gpmlog_open", path, pool, memory);
  gpm_unmap(path, pool, bytes);
  return mistake == NULL ? NULL : everwarp::gpm_log_refuse("gpmlog_open", path, mistake);
}

/// What the open log was made with: gpmlog_open() takes a log of any program. 0, or -1 when `log` is no open log.
inline int gpmlog_get_sizes(const gpmlog* log, gpmlog_sizes* sizes) {
  gpmlog handle;
  if (log == NULL || sizes == NULL ||
      cudaMemcpy(&handle, log, sizeof handle, cudaMemcpyDeviceToHost) != cudaSuccess ||
      handle.shape.magic != everwarp::gpm_log_magic)
    return -1;
  sizes->partitions = handle.shape.partitions;
  sizes->blocks = handle.shape.blocks;
  sizes->threads = handle.shape.threads;
  sizes->partition_bytes = 4ull * handle.shape.words;
  return 0;
}

/// Waits for kernels and ends the mapping. The entries stay in the file. 0, or -1 when `log` is no open log.
inline int gpmlog_close(gpmlog* log) {
  gpmlog handle;
  if (log == NULL || cudaMemcpy(&handle, log, sizeof handle, cudaMemcpyDeviceToHost) != cudaSuccess ||
      handle.shape.magic != everwarp::gpm_log_magic)
    return -1;
  cudaFree(handle.locks);
  cudaFree(log);
  return gpm_unmap("", handle.pool, handle.shape.bytes);
}

namespace everwarp {

/// Where the parts of a partition lie. A value in registers.
struct GpmLogPlace {
  unsigned long long* head;  // NULL: there is no such partition
  char* words;               // word w at words + w * stride
  unsigned stride;
  unsigned* lock;            // NULL: only its own thread uses it
};

EVERWARP_DEVICE unsigned gpm_linear_block() {
  return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
EVERWARP_DEVICE unsigned gpm_linear_thread() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

EVERWARP_DEVICE GpmLogPlace gpm_log_place(const gpmlog* log, int partition) {
  GpmLogPlace place = {NULL, NULL, 0, NULL};
  if (partition < -1) return place;
  const unsigned words = log->shape.words;
  char* const heads = log->pool + log->shape.heads;
  char* const entries = log->pool + log->shape.entries;
  if (log->shape.kind == gpm_log_hcl) {
    const unsigned threads = log->shape.threads, warps = (threads + gpm_lanes - 1) / gpm_lanes;
    unsigned block = gpm_linear_block(), thread = gpm_linear_thread();
    if (partition >= 0) {
      block = static_cast<unsigned>(partition) / threads;
      thread = static_cast<unsigned>(partition) % threads;
    }
    if (block >= log->shape.blocks || thread >= threads) return place;
    const size_t warp = static_cast<size_t>(block) * warps + thread / gpm_lanes;
    const unsigned lane = thread % gpm_lanes;
    place.head = reinterpret_cast<unsigned long long*>(heads + (warp * gpm_lanes + lane) * gpm_head_bytes);
    place.words = entries + warp * words * gpm_line + 4 * lane;
    place.stride = gpm_line;
  } else {
    const unsigned block_threads = blockDim.x * blockDim.y * blockDim.z;
    const size_t own = static_cast<size_t>(gpm_linear_block()) * block_threads + gpm_linear_thread();
    const unsigned at = static_cast<unsigned>(partition >= 0 ? partition : own % log->shape.partitions);
    if (at >= log->shape.partitions) return place;
    place.head = reinterpret_cast<unsigned long long*>(heads + static_cast<size_t>(at) * gpm_head_bytes);
    place.words = entries + at * 4ull * words;
    place.stride = 4;
    place.lock = log->locks + static_cast<size_t>(at) * gpm_lock_words;
  }
  return place;
}

/// Runs `work` with the partition's lock, if it has one. Several lanes of one warp may ask for the same lock.
template <class Work>
EVERWARP_DEVICE int gpm_log_locked(const GpmLogPlace& place, const Work& work) {
  if (place.lock == NULL) return work();
  int status = gpmlog_ok;
  for (bool done = false; !done;) {
    if (atomicCAS(place.lock, 0u, 1u) == 0u) {
      __threadfence();
      status = work();
      __threadfence();
      atomicExch(place.lock, 0u);
      done = true;
    }
  }
  return status;
}

EVERWARP_DEVICE unsigned gpm_log_head(const GpmLogPlace& place) {
  return static_cast<unsigned>(*static_cast<const volatile unsigned long long*>(place.head));
}

EVERWARP_DEVICE void gpm_log_set_head(const GpmLogPlace& place, unsigned words) {
  *place.head = words;
  gpm_persist();
}

EVERWARP_DEVICE int gpm_log_append(const GpmLogPlace& place, unsigned capacity, const void* from, unsigned words) {
  const unsigned head = gpm_log_head(place);
  if (words > capacity - head) return gpmlog_full;
  char* to = place.words + static_cast<size_t>(head) * place.stride;
  for (unsigned w = 0; w < words; ++w, to += place.stride) {
    unsigned word;
    memcpy(&word, static_cast<const char*>(from) + 4 * w, 4);
    *reinterpret_cast<unsigned*>(to) = word;
  }
  gpm_persist();
  gpm_log_set_head(place, head + words);
  return gpmlog_ok;
}

EVERWARP_DEVICE int gpm_log_top(const GpmLogPlace& place, void* to, unsigned words) {
  const unsigned head = gpm_log_head(place);
  if (words > head) return gpmlog_empty;
  const char* from = place.words + static_cast<size_t>(head - words) * place.stride;
  for (unsigned w = 0; w < words; ++w, from += place.stride) {
    const unsigned word = *reinterpret_cast<const volatile unsigned*>(from);
    memcpy(static_cast<char*>(to) + 4 * w, &word, 4);
  }
  return gpmlog_ok;
}

EVERWARP_DEVICE int gpm_log_drop(const GpmLogPlace& place, unsigned words) {
  const unsigned head = gpm_log_head(place);
  if (words > head) return gpmlog_empty;
  gpm_log_set_head(place, head - words);
  return gpmlog_ok;
}

EVERWARP_DEVICE bool gpm_log_size_fits(size_t size) {
  return size != 0 && size % 4 == 0;
}
/// The size in words. If there are more words than any partition has, it is one too many.
EVERWARP_DEVICE unsigned gpm_log_words(size_t size) {
  return size / 4 > 0x40000000 ? 0x40000000 : static_cast<unsigned>(size / 4);
}

}  // namespace everwarp

// `partition` is a number of a partition. In an HCL log it stands for thread partition % threads of block partition /
// threads. -1 stands for the calling thread's own partition (HCL), or for the thread's number in the grid modulo the
// number of partitions (conventional). `size` is in bytes, a multiple of 4. All return a gpmlog_status.

/// Appends the `size` bytes at `addr`. When it returns, they are durable and in the log.
EVERWARP_DEVICE int gpmlog_insert(gpmlog* log, const void* addr, size_t size, int partition = -1) {
  if (!everwarp::gpm_log_size_fits(size)) return gpmlog_wrong_size;
  const everwarp::GpmLogPlace place = everwarp::gpm_log_place(log, partition);
  if (place.head == NULL) return gpmlog_no_partition;
  return everwarp::gpm_log_locked(place, [&]() EVERWARP_NODEBUG {
    return everwarp::gpm_log_append(place, log->shape.words, addr, everwarp::gpm_log_words(size));
  });
}

/// Copies the youngest `size` bytes to `addr`. They stay in the log.
EVERWARP_DEVICE int gpmlog_read(gpmlog* log, void* addr, size_t size, int partition = -1) {
  if (!everwarp::gpm_log_size_fits(size)) return gpmlog_wrong_size;
  const everwarp::GpmLogPlace place = everwarp::gpm_log_place(log, partition);
  if (place.head == NULL) return gpmlog_no_partition;
  return everwarp::gpm_log_locked(
      place, [&]() EVERWARP_NODEBUG { return everwarp::gpm_log_top(place, addr, everwarp::gpm_log_words(size)); });
}

/// Removes the youngest `size` bytes. When it returns, this is durable.
EVERWARP_DEVICE int gpmlog_remove(gpmlog* log, size_t size, int partition = -1) {
  if (!everwarp::gpm_log_size_fits(size)) return gpmlog_wrong_size;
  const everwarp::GpmLogPlace place = everwarp::gpm_log_place(log, partition);
  if (place.head == NULL) return gpmlog_no_partition;
  return everwarp::gpm_log_locked(place,
                                  [&]() EVERWARP_NODEBUG { return everwarp::gpm_log_drop(place, everwarp::gpm_log_words(size)); });
}

/// Removes everything, by one store, of the head. When it returns, this is durable.
EVERWARP_DEVICE int gpmlog_clear(gpmlog* log, int partition = -1) {
  const everwarp::GpmLogPlace place = everwarp::gpm_log_place(log, partition);
  if (place.head == NULL) return gpmlog_no_partition;
  return everwarp::gpm_log_locked(place, [&]() EVERWARP_NODEBUG {
    if (everwarp::gpm_log_head(place) != 0) everwarp::gpm_log_set_head(place, 0);
    return static_cast<int>(gpmlog_ok);
  });
}

#endif  // __CUDACC__
