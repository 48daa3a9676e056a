// PMDK's libpmem, on Everwarp's persistent memory: programs that map files of a DAX file system with it build and run as
// they are. libeverwarp answers; `-lpmem` links nothing more. docs/persistent-programs.md says what differs.
//
//   char* memory = (char*)pmem_map_file("kvs.pool", bytes, PMEM_FILE_CREATE, 0666, &mapped, &is_pmem);
//   cudaHostRegister(memory, mapped, 0);        // kernels may use it
//   kernel<<<…>>>(memory);                      // a store, then __threadfence_system(): durable where DDIO is off
//   pmem_persist(memory, bytes);                // what the host has stored: one core flushes it, in simulated time
//
// A mistake is one sentence on stderr, and what pmem_errormsg() returns; errno is the system's, or EINVAL.
#ifndef EVERWARP_LIBPMEM_H
#define EVERWARP_LIBPMEM_H

#include <stddef.h>
#include <sys/types.h>

#define PMEM_MAJOR_VERSION 1
#define PMEM_MINOR_VERSION 1

#define PMEM_FILE_CREATE (1 << 0)
#define PMEM_FILE_EXCL (1 << 1)
#define PMEM_FILE_SPARSE (1 << 2)   // has no effect: a pool has all of its blocks
#define PMEM_FILE_TMPFILE (1 << 3)  // refused: a pool has a name

#define PMEM_F_MEM_NODRAIN (1U << 0)
#define PMEM_F_MEM_NONTEMPORAL (1U << 1)
#define PMEM_F_MEM_TEMPORAL (1U << 2)
#define PMEM_F_MEM_WC (1U << 3)
#define PMEM_F_MEM_WB (1U << 4)
#define PMEM_F_MEM_NOFLUSH (1U << 5)
#define PMEM_F_MEM_VALID_FLAGS 0x3fU

#ifdef __cplusplus
extern "C" {
#endif

/// The file as memory of the host. Without PMEM_FILE_CREATE: the pool that is there, all of it, and `bytes` is 0. With it:
/// the pool of that size that is there, with its content, or a new one, all zero; with PMEM_FILE_EXCL only a new one.
/// `mapped` and `is_pmem` (always 1) may be NULL. NULL: it cannot be mapped.
void* pmem_map_file(const char* path, size_t bytes, int flags, mode_t mode, size_t* mapped, int* is_pmem);
/// Waits for all work of the GPU; everything is durable then. 0, or -1.
int pmem_unmap(void* address, size_t bytes);
/// 1: all of these bytes are of such a mapping, or of a pool.
int pmem_is_pmem(const void* address, size_t bytes);

// One core of the host flushes the lines and waits until they are durable; the program waits for it. Bytes of no pool are
// left out. pmem_flush() waits, too, so that pmem_drain() has nothing to wait for.
void pmem_persist(const void* address, size_t bytes);
void pmem_flush(const void* address, size_t bytes);
void pmem_drain(void);
int pmem_msync(const void* address, size_t bytes);
void pmem_deep_flush(const void* address, size_t bytes);
int pmem_deep_drain(const void* address, size_t bytes);
int pmem_deep_persist(const void* address, size_t bytes);
/// 1 on a machine with eADR (nvm.eadr).
int pmem_has_auto_flush(void);
/// 0: no processor has it.
int pmem_has_hw_drain(void);

// One core of the host writes, and the program waits for it. 256 bytes and more go past the caches, as in PMDK. With
// PMEM_F_MEM_NOFLUSH they stay in the caches; in all other cases they are durable at return. pmem_memset() of another
// value than 0: its stores take no time, its flush does.
void* pmem_memcpy(void* to, const void* from, size_t bytes, unsigned flags);
void* pmem_memmove(void* to, const void* from, size_t bytes, unsigned flags);
void* pmem_memset(void* to, int value, size_t bytes, unsigned flags);
void* pmem_memcpy_persist(void* to, const void* from, size_t bytes);
void* pmem_memmove_persist(void* to, const void* from, size_t bytes);
void* pmem_memset_persist(void* to, int value, size_t bytes);
void* pmem_memcpy_nodrain(void* to, const void* from, size_t bytes);
void* pmem_memmove_nodrain(void* to, const void* from, size_t bytes);
void* pmem_memset_nodrain(void* to, int value, size_t bytes);

/// NULL: a program for this version can run. Else a sentence.
const char* pmem_check_version(unsigned major, unsigned minor);
/// What this thread's last mistake was; empty: there was none.
const char* pmem_errormsg(void);

#ifdef __cplusplus
}
#endif

#endif
