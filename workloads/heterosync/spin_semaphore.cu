// SS, SSBO: a readers-writer semaphore whose count a test-and-set lock protects, without and with backoff (Sinclair's
// thesis, 2017, section 2.6.2, algorithm 7, with the lock free at 0 and freed only by who has taken it). One block of
// each CU writes: it takes the whole semaphore and visits the words of all readers. The others read a share each, all
// lines of which must be of one moment. A writer that waits keeps further readers out. In a local variant each CU has a
// semaphore and data of its own, in a global one all blocks share one of each.
//
// copies: which CU a block runs on
#include "heterosync.h"

namespace {

using namespace heterosync;

// `count` and `writer_waits` are plain data of the lock's critical section. A reader takes one of the count and leaves
// at least one; a writer takes it all.
struct alignas(64) Semaphore {
  unsigned lock, count, most, writer_waits;
};

template <class ItsScope, bool kBackoff>
struct SpinSemaphore {
  using Scope = ItsScope;
  using Ref = typename Scope::template ref<unsigned>;

  static __device__ void wait(Semaphore& semaphore, bool writer) {
    Backoff pause;
    for (;;) {
      bool entered = false;
      if (take(semaphore)) {
        entered = writer ? semaphore.count == semaphore.most : semaphore.count > 1 && semaphore.writer_waits == 0;
        if (entered) semaphore.count = writer ? 0 : semaphore.count - 1;
        if (writer) semaphore.writer_waits = entered ? 0 : 1;
        free(semaphore);
      }
      if (entered) return;
      if (kBackoff) pause();
    }
  }
  static __device__ void post(Semaphore& semaphore, bool writer) {
    Backoff pause;
    while (!take(semaphore))
      if (kBackoff) pause();
    semaphore.count += writer ? semaphore.most : 1;
    free(semaphore);
  }

 private:
  static __device__ bool take(Semaphore& semaphore) {
    unsigned expected = 0;
    return Ref(semaphore.lock).compare_exchange_strong(expected, 1, kAcquire);
  }
  static __device__ void free(Semaphore& semaphore) { Ref(semaphore.lock).exchange(0, kRelease); }
};

struct Shape {
  unsigned iterations, accesses, cus, shares;  // readers' shares of a semaphore's data
  unsigned lock_lines;                         // a semaphore is a line
};

template <class Kind>
__global__ void read_and_write(Semaphore* semaphores, unsigned* sets, unsigned* roll, unsigned* cu_of_block,
                               unsigned* wrong, Shape shape) {
  const Place place = muster(roll, cu_of_block, shape.cus);
  if (!place.stays) return;
  const unsigned which = Kind::Scope::local ? place.cu : 0;
  Semaphore& semaphore = semaphores[which * shape.lock_lines];
  const unsigned writing_slot = place.rank % place.members;
  const bool writer = place.slot == writing_slot;
  const unsigned reader = place.slot - (place.slot > writing_slot);
  unsigned seen = 0;
  for (unsigned i = 0; i < shape.iterations; ++i) {
    if (threadIdx.x == 0) Kind::wait(semaphore, writer);
    __syncthreads();
    for (unsigned share = 0; writer && share < shape.shares; ++share)
      visit(column_in(sets, which * shape.shares + share, shape.accesses), shape.accesses);
    if (!writer)
      seen |= inspect(column_in(sets, which * shape.shares + reader % shape.shares, shape.accesses), shape.accesses);
    __syncthreads();
    if (threadIdx.x == 0) Kind::post(semaphore, writer);
  }
  if (seen != 0) atomicAdd(wrong, 1u);
}

template <class Kind>
void run(const Sizes& sizes, const char* variant) {
  const Grid grid = grid_of(read_and_write<Kind>, kThreads, sizes.blocks_per_cu, sizes.cus);
  const unsigned count = Kind::Scope::local ? grid.cus : 1, shares = sizes.blocks_per_cu - 1;
  const unsigned most = sizes.readers + 1;
  const DeviceArray<Semaphore> semaphores(
      std::vector<Semaphore>(count * sizes.lock_lines, Semaphore{0, most, most, 0}));
  const Sets sets(count * shares, sizes.accesses);
  const Record record(grid);
  const DeviceArray<unsigned> roll(1 + grid.cus, 0), wrong(1, 0);
  read_and_write<Kind>
      <<<grid.blocks, kThreads>>>(semaphores, sets.device(), roll, record.device(), wrong,
                                  {sizes.iterations, sizes.accesses, grid.cus, shares, sizes.lock_lines});
  FINISH_KERNEL();
  expect_none_wrong(wrong, variant);
  std::vector<unsigned> visits(count * shares);  // by the writer of each CU that has blocks
  const std::vector<unsigned> of_cu = record.blocks_of_cu();
  unsigned blocks = 0;
  for (unsigned cu = 0; cu < grid.cus; ++cu) {
    blocks += of_cu[cu];
    for (unsigned share = 0; of_cu[cu] > 0 && share < shares; ++share)
      visits[(Kind::Scope::local ? cu : 0) * shares + share] += sizes.iterations;
  }
  sets.check(visits, variant);
  for (const Semaphore& semaphore : semaphores.download())
    EXPECT(semaphore.lock == 0 && semaphore.count == most && semaphore.writer_waits == 0,
           "%s: a semaphore should end free at %u, is %u with lock %u", variant, most, semaphore.count, semaphore.lock);
  printf("%s: %u blocks on %u CUs, %u times each\n", variant, blocks, grid.cus, sizes.iterations);
}

}  // namespace

int main(int argc, char** argv) {
  Sizes sizes;
  const auto variant = [&sizes](void (*run)(const Sizes&, const char*)) {
    return [&sizes, run](const char* name) { run(sizes, name); };
  };
  return run_all(parse(argc, argv,
                       {{"SS_L", variant(run<SpinSemaphore<LocalScope, false>>)},
                        {"SS_G", variant(run<SpinSemaphore<GlobalScope, false>>)},
                        {"SSBO_L", variant(run<SpinSemaphore<LocalScope, true>>)},
                        {"SSBO_G", variant(run<SpinSemaphore<GlobalScope, true>>)}},
                       {{"--iterations", &sizes.iterations, 1, 1000000},
                        {"--blocks-per-cu", &sizes.blocks_per_cu, 2, 32},
                        {"--accesses", &sizes.accesses, 2, 1000},
                        {"--cus", &sizes.cus, 0, 1024},
                        {"--readers", &sizes.readers, 1, 1000000},
                        {"--lock-lines", &sizes.lock_lines, 1, 64}}));
}
