// Code that the tests of libGPM itself share: their options, and checks of the file's bytes.
//
//   NAME [--small] [--pool FILE]     works on a new file (libgpm.pool), checks; the last line says PASS
//   NAME --recover FILE              checks what a crash has left; status 0: it is right
//   -DBUG=N                          plants bug N of bugs.toml
#pragma once
#include <everwarp/gpm.cuh>

#include "../cuda/check.h"

#ifndef BUG
#define BUG 0
#endif

__host__ __device__ inline unsigned seal_of(unsigned a, unsigned b) {
  unsigned x = a * 0x9e3779b9u + b + 0x85ebca6bu;
  x = (x ^ (x >> 15)) * 0x2c1b3c6du;
  return x ^ (x >> 12);
}

// The message names the program, not this file.
#define REQUIRE(condition, ...)                                  \
  do {                                                           \
    if (!(condition)) check::failed(__BASE_FILE__, __VA_ARGS__); \
  } while (0)

struct Library {
  const char* file = "libgpm.pool";
  bool recovers = false;

  Library(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const bool recover = !strcmp(argv[i], "--recover");
      if (!strcmp(argv[i], "--small")) continue;  // one size
      if ((!recover && strcmp(argv[i], "--pool") != 0) || i + 1 == argc) {
        fprintf(stderr, "usage: %s [--small] [--pool FILE] | --recover FILE\n", argv[0]);
        exit(2);
      }
      recovers |= recover;
      file = argv[++i];
    }
    gpm_persist_begin();
  }

  /// True if the file is there and its creation is complete. Looks at its bytes alone.
  bool is_whole() const {
    if (gpm_size(file) == 0) return false;
    const void* pool = gpm_map(file, 0, false);
    REQUIRE(pool != nullptr, "%s should be mapped", file);
    const bool whole = *static_cast<const unsigned long long*>(pool) != 0;
    REQUIRE(gpm_unmap(file, const_cast<void*>(pool), gpm_size(file)) == 0, "%s should be unmapped", file);
    return whole;
  }
  /// Requires that nothing was acknowledged: there is no file yet.
  int nothing_yet() const {
    REQUIRE(gpm_acknowledged() == 0, "acknowledged steps: %llu, but there is no whole file", gpm_acknowledged());
    return check::passed(__BASE_FILE__, "the file was not created yet");
  }

  /// All bytes of an open log's pool.
  std::vector<char> bytes(gpmlog* log) const {
    gpmlog handle;
    CUDA(cudaMemcpy(&handle, log, sizeof handle, cudaMemcpyDeviceToHost));
    return std::vector<char>(handle.pool, handle.pool + handle.shape.bytes);
  }
  /// Requires that no word of the file is an address: not of the pool, of the handle or of its locks.
  void check_no_addresses(gpmlog* log) const {
    gpmlog handle;
    CUDA(cudaMemcpy(&handle, log, sizeof handle, cudaMemcpyDeviceToHost));
    const std::vector<char> all = bytes(log);
    const auto near = [](uint64_t word, const void* begin, size_t size) {
      return word - reinterpret_cast<uint64_t>(begin) < size;
    };
    for (size_t i = 0; i + 8 <= all.size(); i += 8) {
      uint64_t word;
      memcpy(&word, &all[i], 8);
      REQUIRE(!near(word, handle.pool, all.size()) && !near(word, log, sizeof handle) &&
                  !(handle.locks != nullptr && near(word, handle.locks, 4096)),
              "byte %zu of the file should not hold an address, holds %#llx", i, static_cast<unsigned long long>(word));
    }
  }
};
