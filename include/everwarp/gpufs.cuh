// GPUfs: kernels call a file system of the host ("GPUfs: Integrating a File System with GPUs", Silberstein, Ford, Keidar
// and Witchel, ASPLOS'13; "GPM", ASPLOS'22, section 6.1 compares with it). A block posts its call in a mailbox in pinned
// memory of the host. Daemon threads of the host look into the mailbox, make the system call, and post the answer. The
// block polls for this answer. docs/gpufs.md explains it, and says what is left out.
//
//   host_file_t file = host_file_open("out.bin", bytes, true);              // host.cuh
//   gpufs fs;
//   gpufs_start(&fs, 64, 65536, 4);                                         // 64 slots of 64 KiB, 4 daemons
//   const int number = gpufs_offer(&fs, file, "out.bin");
//   kernel<<<…>>>(fs, number);      all threads of a block:  gwrite(fs, number, offset, bytes, from);  gfsync(fs, number);
//   cudaDeviceSynchronize();  gpufs_stop(&fs);  host_file_close(file);
//
// All threads of a block make each call together, with the same arguments, because a call contains barriers of the block.
// On Everwarp the daemons' work is timed work of the host's cores ([host] of the machine file), and a crash can cut it.
// On a real machine daemons are threads of the program.
#pragma once

#if defined(__CUDACC__)

#include <stdio.h>
#include <stdlib.h>

#include "gpufs_format.h"
#include "host.cuh"
#include "region.cuh"

typedef everwarp::GpufsMailbox gpufs;

#if __has_include(<everwarp/prelude.cuh>)  // Everwarp's compiler: libeverwarp answers

extern "C" {

/// Starts daemons that serve this mailbox. 0, or -1.
int everwarp_gpufs_serve(const everwarp::GpufsMailbox* mailbox, unsigned daemons);
/// Ends the daemons. REQUIRES: no kernel is under way.
int everwarp_gpufs_end(const everwarp::GpufsMailbox* mailbox);
/// Kernels may use this file from now on. Returns its number, for gread() and gwrite(). gopen() finds the number by
/// `name` (at most 127 characters). -1, and a sentence on stderr, when the file cannot be offered. A file has at most
/// 2^31 - 1 bytes, because offsets and sizes are int.
int gpufs_offer(const gpufs* fs, host_file_t file, const char* name);

}  // extern "C"

#else  // a real machine: daemons are threads of the program

#include <atomic>
#include <string.h>

namespace everwarp {

struct GpufsServer {
  GpufsMailbox mailbox;
  std::vector<std::thread> daemons;
  std::vector<std::pair<std::string, int>> files;  // names and descriptors
  std::vector<std::atomic<unsigned>> taken;        // for each slot: a daemon serves it
  std::atomic<bool> stopped;
  GpufsServer(const GpufsMailbox& with) : mailbox(with), taken(with.slots), stopped(false) {}

  int serve(const GpufsRequest& call, char* data) const {
    if (call.operation == gpufs_open) {
      for (size_t i = 0; i < files.size(); ++i)
        if (files[i].first == data) return static_cast<int>(i);
      return gpufs_no_file;
    }
    if (call.file < 0 || static_cast<size_t>(call.file) >= files.size()) return gpufs_no_file;
    const int file = files[call.file].second;
    if (call.operation == gpufs_sync) return fsync(file);
    if (call.operation == gpufs_close) return 0;
    const bool writes = call.operation == gpufs_write;
    if (!writes && call.operation != gpufs_read) return gpufs_no_operation;
    struct stat status;
    if (call.offset < 0 || call.bytes < 0 || fstat(file, &status) != 0 ||
        static_cast<long long>(call.offset) + call.bytes > static_cast<long long>(status.st_size))
      return gpufs_outside;
    const ssize_t done = writes ? pwrite(file, data, call.bytes, call.offset) : pread(file, data, call.bytes, call.offset);
    return static_cast<int>(done);
  }
  void look() {
    while (!stopped.load())
      for (unsigned slot = 0; slot < mailbox.slots; ++slot) {
        volatile GpufsFlags* const flags = &mailbox.flags[slot];
        if (flags->posted == static_cast<unsigned>(flags->answer >> 32) || taken[slot].exchange(1)) continue;
        std::atomic_thread_fence(std::memory_order_seq_cst);
        const unsigned number = flags->posted;
        if (number != static_cast<unsigned>(flags->answer >> 32)) {
          const GpufsRequest call = *reinterpret_cast<const GpufsRequest*>(mailbox.slot(slot));
          const unsigned result = static_cast<unsigned>(serve(call, mailbox.data(slot)));
          std::atomic_thread_fence(std::memory_order_seq_cst);
          flags->answer = static_cast<unsigned long long>(number) << 32 | result;
        }
        taken[slot] = 0;
      }
  }
};
inline std::map<const void*, GpufsServer*>& gpufs_servers() {
  static std::map<const void*, GpufsServer*> all;
  return all;
}

}  // namespace everwarp

static inline int everwarp_gpufs_serve(const everwarp::GpufsMailbox* mailbox, unsigned daemons) {
  everwarp::GpufsServer* const server = new everwarp::GpufsServer(*mailbox);
  everwarp::gpufs_servers()[mailbox->memory] = server;
  for (unsigned i = 0; i < daemons; ++i) server->daemons.emplace_back([server] { server->look(); });
  return 0;
}
static inline int everwarp_gpufs_end(const everwarp::GpufsMailbox* mailbox) {
  everwarp::GpufsServer* const server = everwarp::gpufs_servers()[mailbox->memory];
  server->stopped = true;
  for (std::thread& daemon : server->daemons) daemon.join();
  everwarp::gpufs_servers().erase(mailbox->memory);
  delete server;
  return 0;
}
static inline int gpufs_offer(const gpufs* fs, host_file_t file, const char* name) {
  struct stat status;
  if (fstat(file->descriptor, &status) != 0 || status.st_size > everwarp::gpufs_most_bytes) {
    fprintf(stderr, "gpufs_offer: %s has %lld bytes; GPUfs has room for %d\n", name,
            static_cast<long long>(status.st_size), static_cast<int>(everwarp::gpufs_most_bytes));
    return -1;
  }
  everwarp::GpufsServer* const server = everwarp::gpufs_servers()[fs->memory];
  server->files.emplace_back(name, file->descriptor);
  return static_cast<int>(server->files.size()) - 1;
}

#endif

/// Makes a mailbox of `slots` slots, each with room for `bytes` bytes (a multiple of 128), and starts daemons that serve
/// it. A block uses slot (block number % slots). Blocks that share a slot wait for each other. 0, or -1 and a sentence on
/// stderr.
static inline int gpufs_start(gpufs* fs, unsigned slots, unsigned bytes, unsigned daemons) {
  if (slots == 0 || slots > 65536 || bytes == 0 || bytes % 128 != 0 || bytes > (1u << 30) || daemons == 0 ||
      daemons > 1024) {
    fprintf(stderr,
            "gpufs_start: %u slots of %u bytes, %u daemons; 1 to 65536 slots of a multiple of 128 bytes, at most 1 GiB, "
            "and 1 to 1024 daemons are expected\n",
            slots, bytes, daemons);
    return -1;
  }
  *fs = everwarp::GpufsMailbox();
  fs->slots = slots;
  fs->bytes = bytes;
  const size_t memory = slots * (everwarp::gpufs_line + size_t(bytes)), flags = slots * sizeof(everwarp::GpufsFlags);
  const size_t turns = (2 * size_t(slots) + 1) * sizeof(unsigned);
  void* aligned = NULL;
  if (cudaMallocHost(reinterpret_cast<void**>(&fs->memory), memory) != cudaSuccess ||
      cudaMalloc(reinterpret_cast<void**>(&fs->turns), turns) != cudaSuccess ||
      cudaMemset(fs->turns, 0, turns) != cudaSuccess || posix_memalign(&aligned, 4096, (flags + 4095) / 4096 * 4096)) {
    fprintf(stderr, "gpufs_start: there is no memory for a mailbox of %zu bytes\n", memory);
    return -1;
  }
  fs->flags = static_cast<everwarp::GpufsFlags*>(aligned);
  memset(aligned, 0, (flags + 4095) / 4096 * 4096);
#if __has_include(<everwarp/prelude.cuh>)
  const unsigned how = cudaHostRegisterIoMemory;  // the simulator performs accesses of these words when they are at the host
#else
  const unsigned how = cudaHostRegisterMapped;
#endif
  if (cudaHostRegister(aligned, (flags + 4095) / 4096 * 4096, how) != cudaSuccess) {
    fprintf(stderr, "gpufs_start: the mailbox's flags cannot be registered\n");
    return -1;
  }
  return everwarp_gpufs_serve(fs, daemons);
}

/// Waits for kernels, ends the daemons and frees the mailbox. 0, or -1.
static inline int gpufs_stop(gpufs* fs) {
  if (cudaDeviceSynchronize() != cudaSuccess || everwarp_gpufs_end(fs) != 0) return -1;
  cudaHostUnregister(fs->flags);
  free(fs->flags);
  cudaFreeHost(fs->memory);
  cudaFree(fs->turns);
  return 0;
}

namespace everwarp {

struct GpufsPlace {
  unsigned thread, threads, block, slot;
};
EVERWARP_DEVICE GpufsPlace gpufs_place(const gpufs& fs) {
  GpufsPlace place;
  place.thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  place.threads = blockDim.x * blockDim.y * blockDim.z;
  place.block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  place.slot = place.block % fs.slots;
  return place;
}

/// Prints once what is wrong with a call, and ends the kernel. `how` is a format for a name and three numbers.
EVERWARP_DEVICE void gpufs_refuse(const gpufs& fs, const char* how, const char* call, unsigned threads) {
  const GpufsPlace place = gpufs_place(fs);
  if (atomicExch(&fs.turns[2 * fs.slots], 1u) == 0) {
    printf(how, call, threads, place.threads, place.block);
    __trap();
  }
  for (;;) wait_ns(1000);  // until the other thread has printed it
}

/// Checks that every thread of the block is here, with the same arguments.
EVERWARP_DEVICE void gpufs_meet(const gpufs& fs, const char* call, const GpufsRequest& request, const void* memory) {
  __shared__ GpufsRequest first;
  __shared__ const void* first_memory;
  const GpufsPlace place = gpufs_place(fs);
  const char* const together =
      "%s: called by %u of the %u threads of block %u; GPUfs expects all threads of a block together\n";
#if __has_include(<everwarp/prelude.cuh>)
  // The barrier below would never end if some lanes of a warp are missing.
  const unsigned left = place.threads - place.thread / 32 * 32, here = __popc(__activemask());
  if (here != (left < 32 ? left : 32)) gpufs_refuse(fs, together, call, here);
#endif
  const unsigned callers = static_cast<unsigned>(__syncthreads_count(1));
  if (callers != place.threads) gpufs_refuse(fs, together, call, callers);
  if (place.thread == 0) {
    first = request;
    first_memory = memory;
  }
  const unsigned still = static_cast<unsigned>(__syncthreads_count(1));  // at the first, threads at another barrier may count
  if (still != place.threads) gpufs_refuse(fs, together, call, still);
  const bool same = first.operation == request.operation && first.file == request.file &&
                    first.offset == request.offset && first.bytes == request.bytes && first_memory == memory;
  const unsigned agree = static_cast<unsigned>(__syncthreads_count(same));
  if (agree != place.threads)
    gpufs_refuse(fs,
                 "%s: %u of the %u threads of block %u bring other arguments than its first thread; GPUfs expects the "
                 "same from all\n",
                 call, place.threads - agree);
}

/// All threads of the block copy, 16 bytes at a time if both addresses are aligned.
EVERWARP_DEVICE void gpufs_copy(char* to, const char* from, unsigned bytes) {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  unsigned done = 0;
  if ((reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from)) % 16 == 0) {
    for (unsigned i = thread; i < bytes / 16; i += threads)
      reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(from)[i];
    done = bytes / 16 * 16;
  }
  for (unsigned i = done + thread; i < bytes; i += threads) to[i] = from[i];
}

/// Takes the block's slot. No other block uses it until gpufs_leave().
EVERWARP_DEVICE void gpufs_enter(const gpufs& fs) {
  const GpufsPlace place = gpufs_place(fs);
  if (place.thread == 0) {
    while (atomicCAS(&fs.turns[2 * place.slot], 0u, 1u) != 0) wait_ns(500);
    __threadfence();
  }
  __syncthreads();
}
EVERWARP_DEVICE void gpufs_leave(const gpufs& fs) {
  const GpufsPlace place = gpufs_place(fs);
  __syncthreads();
  if (place.thread == 0) {
    __threadfence();
    atomicExch(&fs.turns[2 * place.slot], 0u);
  }
  __syncwarp();
}

/// Posts the request, and waits for the answer. Everything that the block's threads have stored before comes before it.
EVERWARP_DEVICE int gpufs_post(const gpufs& fs, const GpufsRequest& request) {
  __shared__ int result;
  const GpufsPlace place = gpufs_place(fs);
  __threadfence_system();
  __syncthreads();
  if (place.thread == 0) {
    volatile GpufsRequest* const to = reinterpret_cast<volatile GpufsRequest*>(fs.slot(place.slot));
    to->operation = request.operation;
    to->file = request.file;
    to->offset = request.offset;
    to->bytes = request.bytes;
    __threadfence_system();
    volatile GpufsFlags* const flags = &fs.flags[place.slot];
    const unsigned number = ++fs.turns[2 * place.slot + 1];
    flags->posted = number;
    unsigned long long answer;
    while (static_cast<unsigned>((answer = flags->answer) >> 32) != number) wait_ns(100);
    result = static_cast<int>(answer);
    __threadfence_system();
  }
  __syncthreads();
  return result;
}

EVERWARP_DEVICE int gpufs_move(const gpufs& fs, int operation, int file, int offset, int bytes, char* memory) {
  int done = 0;
  gpufs_enter(fs);
  do {
    const int piece = bytes - done < static_cast<int>(fs.bytes) ? bytes - done : static_cast<int>(fs.bytes);
    const GpufsRequest request = {operation, file, offset + done, piece};
    char* const data = fs.data(gpufs_place(fs).slot);
    if (operation == gpufs_write && piece > 0) gpufs_copy(data, memory + done, static_cast<unsigned>(piece));
    const int result = gpufs_post(fs, request);
    if (result != piece) {
      done = result >= 0 ? done + result : done > 0 ? done : result;
      break;
    }
    if (operation == gpufs_read) gpufs_copy(memory + done, data, static_cast<unsigned>(piece));
    done += piece;
    __syncthreads();  // the slot's bytes have been used
  } while (done < bytes);
  gpufs_leave(fs);
  return done;
}

EVERWARP_DEVICE int gpufs_simple(const gpufs& fs, const char* call, const GpufsRequest& request) {
  gpufs_meet(fs, call, request, NULL);
  gpufs_enter(fs);
  const int result = gpufs_post(fs, request);
  gpufs_leave(fs);
  return result;
}

}  // namespace everwarp

// The calls of kernels. All threads of a block make each call together, with the same arguments. All get the same result.
// A negative result is an everwarp::GpufsMistake.

/// The number of the file that the host has offered under this name.
EVERWARP_DEVICE int gopen(const gpufs& fs, const char* name) {
  const everwarp::GpufsRequest request = {everwarp::gpufs_open, 0, 0, 0};
  everwarp::gpufs_meet(fs, "gopen", request, name);
  if (name == NULL) everwarp::gpufs_refuse(fs, "%s: the name is a null pointer\n", "gopen", 0);
  everwarp::gpufs_enter(fs);
  const everwarp::GpufsPlace place = everwarp::gpufs_place(fs);
  if (place.thread == 0) {
    char* const to = fs.data(place.slot);
    unsigned i = 0;
    for (; name[i] != 0 && i < 127; ++i) to[i] = name[i];
    to[name[i] == 0 ? i : 0] = 0;  // no file has so long a name
  }
  const int result = everwarp::gpufs_post(fs, request);
  everwarp::gpufs_leave(fs);
  return result;
}
/// Copies bytes of the file to `to`. Returns how many; a slot's bytes that are not inside the file end the call.
EVERWARP_DEVICE int gread(const gpufs& fs, int file, int offset, int bytes, void* to) {
  const everwarp::GpufsRequest request = {everwarp::gpufs_read, file, offset, bytes};
  everwarp::gpufs_meet(fs, "gread", request, to);
  return everwarp::gpufs_move(fs, request.operation, file, offset, bytes, static_cast<char*>(to));
}
/// Copies bytes of the block's memory to the file. Returns how many; a slot's bytes that are not inside the file end the
/// call. They are in the file when it returns.
EVERWARP_DEVICE int gwrite(const gpufs& fs, int file, int offset, int bytes, const void* from) {
  const everwarp::GpufsRequest request = {everwarp::gpufs_write, file, offset, bytes};
  everwarp::gpufs_meet(fs, "gwrite", request, from);
  return everwarp::gpufs_move(fs, request.operation, file, offset, bytes,
                              const_cast<char*>(static_cast<const char*>(from)));
}
/// Makes everything durable that was written to the file before. 0.
EVERWARP_DEVICE int gfsync(const gpufs& fs, int file) {
  const everwarp::GpufsRequest request = {everwarp::gpufs_sync, file, 0, 0};
  return everwarp::gpufs_simple(fs, "gfsync", request);
}
/// Has no effect here: the file stays offered. 0.
EVERWARP_DEVICE int gclose(const gpufs& fs, int file) {
  const everwarp::GpufsRequest request = {everwarp::gpufs_close, file, 0, 0};
  return everwarp::gpufs_simple(fs, "gclose", request);
}

#endif
