// The host's part of a program, as work that takes time: copies, flushes, file calls and computation of the host's
// cores, in the order of a stream beside kernels and copies ("GPM", ASPLOS'22, section 3: CPU-assisted persistence).
//
//   cudaMemcpyAsync(mapped, device, bytes, cudaMemcpyDeviceToHost, stream);   // mapped: of host_map()
//   host_persist(mapped, bytes, 16, stream);                                  // 16 threads flush it
//   cudaStreamSynchronize(stream);                                            // it is durable
//
// On a timing machine of Everwarp the work runs on the host's cores ([host] of the machine file), moves the bytes through
// the host's last-level cache, and a crash can cut it anywhere. In functional mode it is done at once. On a real machine
// the same calls are memcpy, clwb, write and fsync, by a thread that the stream waits for.
//
// A program whose host code itself takes time uses host_parallel(): threads of the program on these cores, traced.
//
// Addresses are memory of the host: malloc, cudaMallocHost, pools (gpm.cuh) and host_map. Each function returns 0, or -1
// and says why on stderr. `threads`: how many share the work in equal parts; at least 1.
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

#include <atomic>

typedef struct everwarp_host_file* host_file_t;

#if __has_include(<everwarp/prelude.cuh>)  // Everwarp's compiler: libeverwarp answers

namespace everwarp_host {
template <class T>
struct plain {
  typedef T type;
};
template <class T>
struct plain<T&> {
  typedef T type;
};
}  // namespace everwarp_host

extern "C" {

/// Copies with ordinary loads and stores. What it writes is in the caches: in a pool it is durable when it is flushed.
int host_copy(void* to, const void* from, size_t bytes, unsigned threads, cudaStream_t stream = NULL);
/// Flushes each cache line (clwb), and waits (sfence): the bytes are durable when it has completed.
int host_persist(const void* address, size_t bytes, unsigned threads, cudaStream_t stream = NULL);
/// 1 if the host's last-level cache belongs to the persistence domain (eADR): what is in it survives a crash, and nothing
/// needs a flush. Else 0. In functional mode 1: a store is durable at once; but 0 where ew crash --states model records
/// the run of a machine without eADR, because the states are those of such a machine.
int host_cache_durable(void);
/// Each thread computes so long.
int host_compute(double nanoseconds, unsigned threads, cudaStream_t stream = NULL);

/// body(argument, thread) by so many threads at once. host_parallel(), below, is what programs call.
int everwarp_host_parallel(unsigned threads, void (*body)(void* argument, unsigned thread), void* argument,
                           cudaStream_t stream);
void __everwarp_flush(const void* address);
void __everwarp_fence(void);
void __everwarp_spin(void);
void __everwarp_stream(void* to, const void* from, unsigned bytes);

/// A file on the host's persistent memory, of a fixed size ([host] file_system says what calls cost). `create`: makes it,
/// in place of an older one; else it must exist with this size (0: whatever it has). NULL, and a sentence on stderr, when
/// that cannot be.
host_file_t host_file_open(const char* path, size_t bytes, bool create);
/// write(), read() and fsync(), by one thread. What was written is in the file when the call has completed; that blocks
/// were allocated is durable after the next sync.
int host_file_write(host_file_t file, size_t offset, const void* from, size_t bytes, cudaStream_t stream = NULL);
int host_file_read(host_file_t file, size_t offset, void* to, size_t bytes, cudaStream_t stream = NULL);
int host_file_sync(host_file_t file, cudaStream_t stream = NULL);
/// Waits for all work, then closes the file.
int host_file_close(host_file_t file);

/// The file's bytes as memory of the host alone. cudaMemcpy to and from it goes through a pinned buffer and a core's
/// copy. Arguments as gpm_map() and gpm_unmap() have them.
void* host_map(const char* path, size_t bytes, bool create);
int host_unmap(const char* path, void* address, size_t bytes);

/// A named stretch of a stream: from the moment at which everything before measure_begin() has completed, to the same of
/// measure_end(). `ew run --stats` has a row for each ("ranges").
int measure_begin(const char* name, cudaStream_t stream = NULL);
int measure_end(const char* name, cudaStream_t stream = NULL);
/// Nanoseconds of all such stretches together; waits for the last one's end. Negative: there is none of that name.
double measured(const char* name);

}  // extern "C"

/// The line that holds the address goes to the memory controller (clwb). It is there behind the next host_fence().
static inline void host_flush(const void* address) { __everwarp_flush(address); }
/// Stores and flushes before it have completed (sfence): those of pools are durable.
static inline void host_fence() { __everwarp_fence(); }
/// A word past the caches (a non-temporal store), in order with nothing before the next host_fence().
static inline void host_stream(unsigned long long* to, unsigned long long value) { __everwarp_stream(to, &value, sizeof value); }
/// In a loop that waits for another thread.
static inline void host_pause() { __everwarp_spin(); }

/// body(thread) by each of so many threads of the host at once, 0 to threads - 1; waits for the stream, then for them. On
/// a timing machine the program must be built with `ew build --trace-host`: each thread runs on a core of the simulated
/// host, and what it executes takes simulated time (docs/semantics/host-work.md). Threads may use std::mutex, atomics
/// and host_barrier, and must not call the CUDA runtime.
template <class Body>
int host_parallel(unsigned threads, Body&& body, cudaStream_t stream = NULL) {
  typedef typename everwarp_host::plain<Body>::type Plain;
  return everwarp_host_parallel(
      threads, [](void* argument, unsigned thread) { (*static_cast<Plain*>(argument))(thread); },
      const_cast<void*>(static_cast<const volatile void*>(&body)), stream);
}

#else  // a real machine: one thread of the program does the work while the stream waits

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

static inline void host_flush(const void* address) { everwarp::host::flush(static_cast<const char*>(address)); }
static inline void host_fence() { _mm_sfence(); }
static inline void host_stream(unsigned long long* to, unsigned long long value) {
  _mm_stream_si64(reinterpret_cast<long long*>(to), static_cast<long long>(value));
}
static inline void host_pause() { _mm_pause(); }

template <class Body>
int host_parallel(unsigned threads, Body&& body, cudaStream_t stream = NULL) {
  if (!threads || !everwarp::host::settled(stream)) return -1;
  std::vector<std::thread> pool;
  for (unsigned thread = 0; thread < threads; ++thread) pool.emplace_back([&body, thread] { body(thread); });
  for (std::thread& one : pool) one.join();
  return 0;
}

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

/// What Linux says of the first region of persistent memory.
static inline int host_cache_durable(void) {
  char domain[16] = "";
  FILE* const file = fopen("/sys/bus/nd/devices/region0/persistence_domain", "r");
  if (file == NULL) return 0;
  const bool read = fgets(domain, sizeof domain, file) != NULL;
  fclose(file);
  return read && strncmp(domain, "cpu_cache", 9) == 0 ? 1 : 0;
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

/// Where threads of host_parallel() wait for each other, again and again.
class host_barrier {
 public:
  explicit host_barrier(unsigned threads) : threads_(threads) {}
  void wait() {
    const unsigned turn = turn_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      turn_.store(turn + 1, std::memory_order_release);
      return;
    }
    while (turn_.load(std::memory_order_acquire) == turn) host_pause();
  }

 private:
  const unsigned threads_;
  alignas(64) std::atomic<unsigned> arrived_{0};
  alignas(64) std::atomic<unsigned> turn_{0};
};

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
