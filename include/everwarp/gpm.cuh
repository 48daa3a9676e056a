// Persistent pools for host and kernels: the functions of libGPM ("GPM: Leveraging Persistent Memory from a GPU",
// ASPLOS'22, Table 2) that programs need to keep data across a crash. For ordering, see persist.cuh.
//
//   char* pool = static_cast<char*>(gpm_map("kvs.pool", bytes, true));   // false: one that exists
//   kernel<<<…>>>(pool);            a store to the pool, then gpm_persist(): durable
//   gpm_unmap("kvs.pool", pool, bytes);
//
// On Everwarp a pool keeps its address for ever, so pointers inside it stay valid, and the crash of the process at any
// simulated instruction (`ew crash`) leaves in the file exactly what was durable. Compiled by nvcc, a pool is a file of
// plain bytes (on a DAX file system: persistent memory), mapped and registered with CUDA.
#pragma once

#include <stddef.h>

#if __has_include(<everwarp/prelude.cuh>)  // Everwarp's compiler: libeverwarp answers

extern "C" {

/// Maps the pool in file `path` for host and kernels. `create`: makes a new pool, all zero, in place of an older one.
/// Otherwise the pool must exist and have `size` bytes (0: any size). If it cannot be mapped: NULL, and a sentence on
/// stderr.
void* gpm_map(const char* path, size_t size, bool create);
/// Waits for kernels, makes everything durable and ends the mapping. 0, or -1 when `address` is no pool's first byte.
int gpm_unmap(const char* path, void* address, size_t size);
/// Bytes of the pool in a file; 0 when there is no pool.
size_t gpm_size(const char* path);
/// The host's stores to [address, address + size) are durable when this returns. 0, or -1 for memory in no pool.
int gpm_persist_range(const void* address, size_t size);
/// Between these two calls of the host, a kernel's gpm_persist() must mean durable. On the paper's platform DDIO is off
/// there. Both calls wait for kernels under way. In functional mode a store is durable at once, inside and outside.
void gpm_persist_begin(void);
void gpm_persist_end(void);

/// The program promises that its work is durable up to `progress`, a count of its own that never falls. Call it when the
/// persists are durable: after a dfence() or gpm_persist() in the kernel and the kernel's end; for stores of the host,
/// after gpm_persist_range() or gpm_unmap(). `ew crash` keeps the count outside of the pools.
void gpm_acknowledge(unsigned long long progress);
/// In a recovery under `ew crash`: the last count that the crashed run has acknowledged. Work up to it must be there.
/// Elsewhere 0.
unsigned long long gpm_acknowledged(void);

// Memory by name, as on a GPU with non-volatile memory of its own (SBRP, ASPLOS'23, section 3: PM-near). One pool holds a
// persistent table of names, and the regions of these names. A crash at any moment leaves each call done or not begun.
// This is on Everwarp only: no GPU that nvcc compiles for has such memory.
//
//   void* nvm = pm_map("gpu.nvm", 1 << 30, true);      // false: one that exists
//   float* grid = static_cast<float*>(pm_alloc(nvm, "grid", bytes));
//   … after a crash:  grid = static_cast<float*>(pm_open(nvm, "grid", NULL));

/// gpm_map() for a pool with a table of names; gpm_unmap() ends it. NULL, and a sentence on stderr, when the file holds
/// something else.
void* pm_map(const char* path, size_t size, bool create);
/// A new region, all zero, durable under this name (1 to 39 characters, no control characters). NULL, and a sentence on
/// stderr, when the name is taken, or when there is no room in the pool or in its table. The table has one entry for each
/// 64 KiB of the pool; at least 63 and at most 4095.
void* pm_alloc(void* nvm, const char* name, size_t size);
/// The region of this name. If `size` is not NULL, it gets the region's size. NULL when there is no such name.
void* pm_open(void* nvm, const char* name, size_t* size);
/// Removes the name durably, and frees its memory. 0, or -1 when there is no such name.
int pm_delete(void* nvm, const char* name);
/// Stores into `next` (40 bytes) the name whose region follows the region of `name`; the first name if `name` is NULL. 0,
/// or -1 when there is no such name.
int pm_list(void* nvm, const char* name, char* next);

}  // extern "C"

#else  // a real GPU

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static inline size_t gpm_size(const char* path) {
  struct stat status;
  return stat(path, &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
}

static inline int gpm_unmap(const char*, void* address, size_t size) {
  if (cudaDeviceSynchronize() != cudaSuccess || cudaHostUnregister(address) != cudaSuccess) return -1;
  return msync(address, size, MS_SYNC) == 0 && munmap(address, size) == 0 ? 0 : -1;
}

static inline void* gpm_map(const char* path, size_t size, bool create) {
  const int file = open(path, O_RDWR | (create ? O_CREAT | O_TRUNC : 0), 0644);
  if (file < 0) return NULL;
  const size_t bytes = create || size != 0 ? size : gpm_size(path);
  void* address = MAP_FAILED;
  if (bytes != 0 && (create ? ftruncate(file, static_cast<off_t>(bytes)) == 0 : gpm_size(path) == bytes))
    address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (address == MAP_FAILED) return NULL;
  if (cudaHostRegister(address, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable) == cudaSuccess)
    return address;  // with unified addressing the kernel's pointer is the same
  munmap(address, bytes);
  return NULL;
}

static inline int gpm_persist_range(const void* address, size_t size) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE)), begin = reinterpret_cast<size_t>(address);
  return msync(reinterpret_cast<void*>(begin / page * page), size + begin % page, MS_SYNC);
}

// A real platform switches DDIO off by itself (an I/O register of its root port). If its last-level cache belongs to the
// persistence domain (eADR), there is nothing to switch.
static inline void gpm_persist_begin(void) {}
static inline void gpm_persist_end(void) {}

// Nothing crashes on purpose here.
static inline void gpm_acknowledge(unsigned long long) {}
static inline unsigned long long gpm_acknowledged(void) {
  return 0;
}

#endif

#if defined(__CUDACC__)
#include "persist.cuh"

/// This thread's earlier stores to pools are durable when it returns.
EVERWARP_DEVICE void gpm_persist() {
  asm volatile(EVERWARP_REGION("gpm_persist", "membar.sys;")::: "memory");
}

// The rest of libGPM: logs and checkpoints.
#include "gpm_log.cuh"
#include "gpm_checkpoint.cuh"
#endif
