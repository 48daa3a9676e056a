// The mailbox of GPUfs: what gpufs.cuh writes into it, and what daemons of the host read. A slot serves one call at a
// time. Its first line has the request; behind it lie the bytes that the call brings or gets. Its flags lie apart: a
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
  gpufs_line = 128,             // of the request
  gpufs_most_bytes = 0x7fffffff  // of a file: offsets and sizes are int
};

/// What the calls return when they fail.
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
  unsigned long long answer;  // the number of the last call that was served, and in the lower half its result
  char free[16];
};
static_assert(sizeof(GpufsFlags) == 32, "flags have a sector of their own");

/// A mailbox, by value: for kernels and for the host.
struct GpufsMailbox {
  char* memory;       // pinned memory of the host: the slots
  GpufsFlags* flags;  // the same: one a slot
  unsigned* turns;    // device memory: for each slot whether it is taken, and the number of its last call; then one word
  unsigned slots, bytes;  // bytes: that a slot has room for, behind the request

  EVERWARP_BOTH char* slot(unsigned number) const { return memory + number * (gpufs_line + size_t(bytes)); }
  EVERWARP_BOTH char* data(unsigned number) const { return slot(number) + gpufs_line; }
};

}  // namespace everwarp

#undef EVERWARP_BOTH
