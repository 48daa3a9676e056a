// The programs of the three mutexes: blocks take turns on data that the mutex protects. In a local variant each CU has
// a mutex and data of its own, in a global one all blocks share one of each.
//
// A mutex is a class with its scope, its size in words (for at most `slots` blocks that hold it or wait), what it holds
// before, and lock and unlock for one thread: lock returns what unlock wants to know.
#pragma once
#include "heterosync.h"

namespace heterosync {

struct MutexShape {
  unsigned iterations, accesses, cus, slots, words;
};

template <class Mutex>
__global__ void take_turns(unsigned* mutexes, unsigned* sets, unsigned* cu_of_block, MutexShape shape) {
  const unsigned cu = this_cu();
  if (threadIdx.x == 0) cu_of_block[blockIdx.x] = cu;
  if (cu >= shape.cus) return;
  const unsigned which = Mutex::Scope::local ? cu : 0;
  unsigned* mutex = mutexes + which * shape.words;
  unsigned* column = column_in(sets, which, shape.accesses);
  for (unsigned i = 0; i < shape.iterations; ++i) {
    unsigned ticket = 0;
    if (threadIdx.x == 0) ticket = Mutex::lock(mutex, shape.slots);
    __syncthreads();
    visit(column, shape.accesses);
    __syncthreads();
    if (threadIdx.x == 0) Mutex::unlock(mutex, shape.slots, ticket);
  }
}

template <class Mutex>
void run_mutex(const Sizes& sizes, const char* variant) {
  const Grid grid = grid_of(take_turns<Mutex>, kThreads, sizes.blocks_per_cu, sizes.cus);
  const unsigned slots = Mutex::Scope::local ? grid.resident : grid.blocks;
  const unsigned words = std::max(whole_lines(Mutex::words(slots)), sizes.lock_lines * kLineWords);
  const unsigned count = Mutex::Scope::local ? grid.cus : 1;
  std::vector<unsigned> free(words), mutexes;
  Mutex::prepare(free);
  for (unsigned i = 0; i < count; ++i) mutexes.insert(mutexes.end(), free.begin(), free.end());

  const DeviceArray<unsigned> device_mutexes(mutexes);
  const Sets sets(count, sizes.accesses);
  const Record record(grid);
  take_turns<Mutex><<<grid.blocks, kThreads>>>(device_mutexes, sets.device(), record.device(),
                                               {sizes.iterations, sizes.accesses, grid.cus, slots, words});
  FINISH_KERNEL();
  std::vector<unsigned> visits(count);
  unsigned blocks = 0;
  const std::vector<unsigned> of_cu = record.blocks_of_cu();
  for (unsigned cu = 0; cu < grid.cus; ++cu) {
    visits[Mutex::Scope::local ? cu : 0] += of_cu[cu] * sizes.iterations;
    blocks += of_cu[cu];
  }
  sets.check(visits, variant);
  printf("%s: %u blocks on %u CUs, %u critical sections each\n", variant, blocks, grid.cus, sizes.iterations);
}

/// main of a program of mutexes: each is a variant's name and run_mutex of its class.
using RunMutex = void (*)(const Sizes&, const char*);
inline int run_mutexes(int argc, char** argv, std::initializer_list<std::pair<const char*, RunMutex>> mutexes) {
  Sizes sizes;
  std::vector<Variant> variants;
  for (const auto& [name, run] : mutexes)
    variants.push_back({name, [&sizes, run = run](const char* variant) { run(sizes, variant); }});
  return run_all(parse(argc, argv, variants,
                       {{"--iterations", &sizes.iterations, 1, 1000000},
                        {"--blocks-per-cu", &sizes.blocks_per_cu, 1, 32},
                        {"--accesses", &sizes.accesses, 2, 1000},
                        {"--cus", &sizes.cus, 0, 1024},
                        {"--lock-lines", &sizes.lock_lines, 1, 64}}));
}

}  // namespace heterosync
