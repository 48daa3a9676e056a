// Work of the host that takes simulated time: copies, flushes, file calls and computation of the host's cores. It runs in
// the order of a stream, like kernels and copies ("GPM", ASPLOS'22, section 3: CPU-assisted persistence).
//
//   cudaMemcpyAsync(mapped, device, bytes, cudaMemcpyDeviceToHost, stream);   // mapped: of host_map()
//   host_persist(mapped, bytes, 16, stream);                                  // 16 threads flush it
//   cudaStreamSynchronize(stream);                                            // it is durable
//
// On a timing machine of Everwarp the work runs on the host's cores ([host] of the machine file). It moves the bytes
// through the host's last-level cache, and a crash can cut it anywhere. In functional mode it is done at once. On a real
// machine each call first waits for its stream. Then it does the work itself, with memcpy, clwb, pwrite, pread and fsync.
//
// Addresses are memory of the host: malloc, cudaMallocHost, pools (gpm.cuh) and host_map. Each function returns 0 or -1;
// Everwarp says on stderr why it is -1. `threads` threads share the work in equal parts; there is at least 1.
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

typedef struct everwarp_host_file* host_file_t;

#if __has_include(<everwarp/prelude.cuh>)  // Everwarp's compiler: libeverwarp answers

extern "C" {

/// Copies with ordinary loads and stores. The copy is in the caches. In a pool it is durable when it has been flushed.
int host_copy(void* to, const void* from, size_t bytes, unsigned threads, cudaStream_t stream = NULL);
/// Flushes each cache line (clwb), and waits (sfence). When this has completed, the bytes are durable.
int host_persist(const void* address, size_t bytes, unsigned threads, cudaStream_t stream = NULL);
/// Each thread computes for so many nanoseconds.
int host_compute(double nanoseconds, unsigned threads, cudaStream_t stream = NULL);

/// Opens a file of a fixed size on the host's persistent memory ([host] file_system says what calls cost). `create`: makes
/// a new file, in place of an older one. Otherwise the file must exist and have this size (0: any size). If it cannot be
/// opened: NULL, and a sentence on stderr.
host_file_t host_file_open(const char* path, size_t bytes, bool create);
/// write(), read() and fsync(), by one thread. When a write has completed, its bytes are in the file. The next sync writes
/// the file system's journal for blocks that were allocated.
int host_file_write(host_file_t file, size_t offset, const void* from, size_t bytes, cudaStream_t stream = NULL);
int host_file_read(host_file_t file, size_t offset, void* to, size_t bytes, cudaStream_t stream = NULL);
int host_file_sync(host_file_t file, cudaStream_t stream = NULL);
/// Waits for all work, then closes the file.
int host_file_close(host_file_t file);

/// Maps a file as memory of the host alone: kernels cannot access it. cudaMemcpy to and from it goes through a pinned
/// buffer, and a core copies between buffer and file. The arguments are those of gpm_map() and gpm_unmap().
void* host_map(const char* path, size_t bytes, bool create);
int host_unmap(const char* path, void* address, size_t bytes);

/// Measures a named part of a stream. It begins when everything before measure_begin() has completed, and ends when
/// everything before measure_end() has completed. `ew run --stats` has a row for each ("ranges").
int measure_begin(const char* name, cudaStream_t stream = NULL);
int measure_end(const char* name, cudaStream_t stream = NULL);
/// The nanoseconds of all parts with this name together. Waits for the end of the last one. Negative: there is none.
double measured(const char* name);

}  // extern "C"

#else  // a real machine: the calling thread waits for the stream, then does the work

#include <cuda_runtime.h>
#include <errno.h>
#include <fcntl.h>
#include <immintrin.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

struct everwarp_host_file {
  int descriptor;
};

namespace everwarp {
namespace host {

inline bool settled(cudaStream_t stream) { return cudaStreamSynchronize(stream) == cudaSuccess; }

inline double now() {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

/// Calls work(begin, end) for equal parts of the bytes, in whole cache lines, each by a thread of its own.
template <class Work>
void share(size_t bytes, unsigned threads, Work work) {
  const size_t lines = (bytes + 63) / 64, each = (lines + threads - 1) / threads * 64;
  std::vector<std::thread> pool;
  for (size_t begin = 0; begin < bytes; begin += each)
    pool.emplace_back(work, begin, begin + each < bytes ? begin + each : bytes);
  for (std::thread& thread : pool) thread.join();
}

/// Uses clwb if the compiler may (-mclwb), else clflushopt if it may (-mclflushopt), else clflush.
inline void flush(const char* line) {
#if defined(__CLWB__)
  _mm_clwb(const_cast<char*>(line));
#elif defined(__CLFLUSHOPT__)
  _mm_clflushopt(const_cast<char*>(line));
#else
  _mm_clflush(line);
#endif
}

struct Measured {
  double begin = -1, sum = 0;
};
inline std::map<std::string, Measured>& regions() {
  static std::map<std::string, Measured> all;
  return all;
}

}  // namespace host
}  // namespace everwarp

static inline int host_copy(void* to, const void* from, size_t bytes, unsigned threads, cudaStream_t stream = NULL) {
  if (!threads || !everwarp::host::settled(stream)) return -1;
  everwarp::host::share(bytes, threads, [=](size_t begin, size_t end) {
    memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, end - begin);
  });
  return 0;
}

static inline int host_persist(const void* address, size_t bytes, unsigned threads, cudaStream_t stream = NULL) {
  if (!threads || !everwarp::host::settled(stream)) return -1;
  everwarp::host::share(bytes, threads, [=](size_t begin, size_t end) {
    const char* const first = static_cast<const char*>(address);
    const size_t skip = reinterpret_cast<size_t>(first + begin) % 64;
    for (const char* line = first + begin - skip; line < first + end; line += 64) everwarp::host::flush(line);
    _mm_sfence();
  });
  return 0;
}

static inline int host_compute(double nanoseconds, unsigned threads, cudaStream_t stream = NULL) {
  if (!threads || !everwarp::host::settled(stream)) return -1;
  everwarp::host::share(size_t(threads) * 64, threads, [=](size_t, size_t) {
    for (const double end = everwarp::host::now() + nanoseconds; everwarp::host::now() < end;) {}
  });
  return 0;
}

static inline host_file_t host_file_open(const char* path, size_t bytes, bool create) {
  const int file = open(path, O_RDWR | (create ? O_CREAT | O_TRUNC : 0), 0644);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0 || (create && ftruncate(file, static_cast<off_t>(bytes)) != 0) ||
      (!create && bytes != 0 && static_cast<size_t>(status.st_size) != bytes)) {
    fprintf(stderr, "host_file_open: %s: %s\n", path, file < 0 ? strerror(errno) : "cannot have this size");
    if (file >= 0) close(file);
    return NULL;
  }
  return new everwarp_host_file{file};
}

static inline int host_file_write(host_file_t file, size_t offset, const void* from, size_t bytes, cudaStream_t stream = NULL) {
  if (!everwarp::host::settled(stream)) return -1;
  return pwrite(file->descriptor, from, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes) ? 0 : -1;
}

static inline int host_file_read(host_file_t file, size_t offset, void* to, size_t bytes, cudaStream_t stream = NULL) {
  if (!everwarp::host::settled(stream)) return -1;
  return pread(file->descriptor, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes) ? 0 : -1;
}

static inline int host_file_sync(host_file_t file, cudaStream_t stream = NULL) {
  return everwarp::host::settled(stream) && fsync(file->descriptor) == 0 ? 0 : -1;
}

static inline int host_file_close(host_file_t file) {
  const int result = cudaDeviceSynchronize() == cudaSuccess ? close(file->descriptor) : -1;
  delete file;
  return result;
}

static inline void* host_map(const char* path, size_t bytes, bool create) {
  const host_file_t file = host_file_open(path, bytes, create);
  if (!file) return NULL;
  struct stat status;
  void* address = MAP_FAILED;
  if (fstat(file->descriptor, &status) == 0)
    address = mmap(NULL, static_cast<size_t>(status.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file->descriptor, 0);
  close(file->descriptor);
  delete file;
  return address == MAP_FAILED ? NULL : address;
}

static inline int host_unmap(const char*, void* address, size_t bytes) {
  if (cudaDeviceSynchronize() != cudaSuccess) return -1;
  return msync(address, bytes, MS_SYNC) == 0 && munmap(address, bytes) == 0 ? 0 : -1;
}

static inline int measure_begin(const char* name, cudaStream_t stream = NULL) {
  if (!everwarp::host::settled(stream)) return -1;
  everwarp::host::regions()[name].begin = everwarp::host::now();
  return 0;
}

static inline int measure_end(const char* name, cudaStream_t stream = NULL) {
  everwarp::host::Measured& region = everwarp::host::regions()[name];
  if (region.begin < 0 || !everwarp::host::settled(stream)) return -1;
  region.sum += everwarp::host::now() - region.begin;
  region.begin = -1;
  return 0;
}

static inline double measured(const char* name) {
  const std::map<std::string, everwarp::host::Measured>& all = everwarp::host::regions();
  const std::map<std::string, everwarp::host::Measured>::const_iterator found = all.find(name);
  return found == all.end() ? -1 : found->second.sum;
}

#endif

/// measure_begin() and measure_end() around a block: `measure step("checkpoint");`
class measure {
 public:
  explicit measure(const char* name, cudaStream_t stream = NULL) : name_(name), stream_(stream) {
    measure_begin(name_, stream_);
  }
  ~measure() { measure_end(name_, stream_); }
  measure(const measure&) = delete;
  measure& operator=(const measure&) = delete;

 private:
  const char* const name_;
  const cudaStream_t stream_;
};
