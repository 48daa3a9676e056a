// The programs of the two tree barriers. Every block visits one set of data in an iteration, then joins a tree barrier:
// all blocks of a CU meet, one of them meets the others' CUs, and the CU's blocks meet again. In the next iteration
// each block has the set that a block of the next CU had. With local exchange the blocks of a CU meet once more in
// between, and each visits the set of its neighbour. A visit knows how many there must have been before it: whoever
// passes a barrier early is seen, or leaves a wrong number of visits.
//
// A barrier is a class with its size in words and `meet` for one thread: member `mine` of `all`, at one use after
// another.
#pragma once
#include "heterosync.h"

namespace heterosync {

struct BarrierShape {
  unsigned iterations, accesses, cus, words, stride;  // words: of one barrier; stride: sets to the next CU's
};

/// One thread's way through the barriers of its block: barriers[0] of all CUs, then one for each CU. REQUIRES: all
/// threads of the block call each function.
template <template <class> class Barrier>
class Tree {
 public:
  __device__ Tree(unsigned* barriers, const BarrierShape& shape, const Place& place)
      : place_(place), among_cus_(barriers, 15), in_cu_(barriers + (1 + place.cu) * shape.words, 25) {}

  __device__ void meet_locally() {
    __syncthreads();
    in_cu_.meet(place_.slot, place_.members);
  }
  __device__ void meet() {
    meet_locally();
    if (place_.slot == 0) among_cus_.meet(place_.rank, place_.cus);
    in_cu_.meet(place_.slot, place_.members);
  }

 private:
  const Place& place_;
  Barrier<GlobalScope> among_cus_;
  Barrier<LocalScope> in_cu_;
};

template <template <class> class Barrier, bool kExchange>
__global__ void phases(unsigned* barriers, unsigned* sets, unsigned* roll, unsigned* cu_of_block, unsigned* wrong,
                       BarrierShape shape) {
  const Place place = muster(roll, cu_of_block, shape.cus);
  if (!place.stays) return;
  Tree<Barrier> tree(barriers, shape, place);
  unsigned seen = 0, visits = 0;
  const auto visit_set_of = [&](unsigned slot, unsigned iteration) {
    const unsigned set = (place.first + slot + iteration * shape.stride) % place.blocks;
    const unsigned oldest = visit(column_in(sets, set, shape.accesses), shape.accesses);
    seen |= oldest ^ expected_word(set, threadIdx.x, shape.accesses - 1, visits, shape.accesses);
    ++visits;
  };
  for (unsigned i = 0; i < shape.iterations; ++i) {
    visit_set_of(place.slot, i);
    if (kExchange) {
      tree.meet_locally();
      visit_set_of((place.slot + 1) % place.members, i);
    }
    tree.meet();
  }
  if (seen != 0) atomicAdd(wrong, 1u);
}

template <template <class> class Barrier, bool kExchange>
void run_barrier(const Sizes& sizes, const char* variant) {
  const Grid grid = grid_of(phases<Barrier, kExchange>, kThreads, sizes.blocks_per_cu, sizes.cus);
  const unsigned words = whole_lines(Barrier<LocalScope>::words(std::max(grid.cus, grid.resident)));
  const DeviceArray<unsigned> barriers(words * (1 + grid.cus), 0), roll(1 + grid.cus, 0), wrong(1, 0);
  const Sets sets(grid.blocks, sizes.accesses);
  const Record record(grid);
  phases<Barrier, kExchange>
      <<<grid.blocks, kThreads>>>(barriers, sets.device(), roll, record.device(), wrong,
                                  {sizes.iterations, sizes.accesses, grid.cus, words, sizes.blocks_per_cu});
  FINISH_KERNEL();
  expect_none_wrong(wrong, variant);
  unsigned blocks = 0;
  for (unsigned of_cu : record.blocks_of_cu()) blocks += of_cu;
  std::vector<unsigned> visits(grid.blocks);
  for (unsigned set = 0; set < blocks; ++set) visits[set] = sizes.iterations * (kExchange ? 2 : 1);
  sets.check(visits, variant);
  printf("%s: %u blocks on %u CUs, %u barriers\n", variant, blocks, grid.cus, sizes.iterations);
}

/// main of a program of barriers.
template <template <class> class Barrier>
int run_barriers(int argc, char** argv, const char* plain, const char* with_exchange) {
  Sizes sizes;
  sizes.iterations =
      8;  // on 7 CUs and fewer a block comes back to its first set, of which its cache may have an old copy
  return run_all(parse(argc, argv,
                       {{plain, [&sizes](const char* variant) { run_barrier<Barrier, false>(sizes, variant); }},
                        {with_exchange, [&sizes](const char* variant) { run_barrier<Barrier, true>(sizes, variant); }}},
                       {{"--iterations", &sizes.iterations, 1, 1000000},
                        {"--blocks-per-cu", &sizes.blocks_per_cu, 1, 32},
                        {"--accesses", &sizes.accesses, 2, 1000},
                        {"--cus", &sizes.cus, 0, 1024}}));
}

}  // namespace heterosync
