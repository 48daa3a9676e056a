// The mailbox of GPUfs: gpufs.cuh writes requests into it, and daemons of the host read them. A slot serves one call at a
// time. Its first line has the request. Behind it lie the bytes that the call writes or reads. Its flags lie apart: a
// word that the block stores last, and a word that a daemon stores last.
#pragma once

#include <stddef.h>

#if defined(__CUDACC__)
#define EVERWARP_BOTH __host__ __device__
#else
#define EVERWARP_BOTH
#endif

namespace everwarp {

enum GpufsOperation { gpufs_open = 1, gpufs_read, gpufs_write, gpufs_sync, gpufs_close };

enum {
  gpufs_line = 128,              // bytes for the request
  gpufs_most_bytes = 0x7fffffff  // the largest file: offsets and sizes are int
};

/// The results of calls that fail.
enum GpufsMistake {
  gpufs_no_file = -1,       // nothing was offered under this name or number
  gpufs_outside = -2,       // the bytes do not lie inside the file
  gpufs_no_operation = -3,  // the mailbox holds something else
};

struct GpufsRequest {
  int operation, file, offset, bytes;
};

struct GpufsFlags {
  unsigned posted;  // the number of the slot's last call
  unsigned free_word;
  unsigned long long answer;  // upper half: the number of the last call that was served; lower half: its result
  char free[16];
};
static_assert(sizeof(GpufsFlags) == 32, "flags have a sector of their own");

/// A mailbox. Kernels and the host pass it by value.
struct GpufsMailbox {
  char* memory;       // the slots, in pinned memory of the host
  GpufsFlags* flags;  // the flags of each slot, in pinned memory of the host
  // In device memory: two words for each slot (it is taken; the number of its last call), and a word that says whether a
  // kernel has reported a mistake.
  unsigned* turns;
  unsigned slots, bytes;  // the number of slots; the bytes that a slot has room for, behind the request

  EVERWARP_BOTH char* slot(unsigned number) const { return memory + number * (gpufs_line + size_t(bytes)); }
  EVERWARP_BOTH char* data(unsigned number) const { return slot(number) + gpufs_line; }
};

}  // namespace everwarp

#undef EVERWARP_BOTH
