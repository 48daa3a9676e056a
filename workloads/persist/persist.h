// What the programs of this folder share: how they are called, and how they open their pool. README.md says what they
// are.
//
//   NAME [--pool FILE]         creates the pool (persist.pool), works, checks; the last line says PASS
//   NAME --recover FILE        recovers what a crash has left, checks; status 0: all is well
//   -DBUG=N                    plants bug N of bugs.toml
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <everwarp/gpm.cuh>
#include <everwarp/persist.cuh>

#ifndef BUG
#define BUG 0
#endif

template <class Pool>
struct Program {
  bool recovers = false;
  Pool* pool = nullptr;  // null: a recovery has found none

  Program(int argc, char** argv) {
    recovers = argc > 2 && !strcmp(argv[1], "--recover");
    const char* file = argc > 1 ? argv[argc - 1] : "persist.pool";
    if (recovers && gpm_size(file) == 0) exit(gpm_acknowledged() != 0);
    pool = static_cast<Pool*>(gpm_map(file, sizeof(Pool), !recovers));
    if (pool == nullptr) exit(2);
    gpm_persist_begin();
  }
  ~Program() { printf("PASS\n"); }  // whoever failed has left by exit()
};

inline void finish() {
  if (cudaDeviceSynchronize() != cudaSuccess) exit(3);
}

#define EXPECT(condition, ...)      \
  do {                              \
    if (!(condition)) {             \
      printf("FAIL: " __VA_ARGS__); \
      printf("\n");                 \
      exit(1);                      \
    }                               \
  } while (0)
