// A transaction that is robbed does not know it until it loads. Here it writes its first word again behind that, and
// has as many words as it may write. It must be tried again: it is not refused for a word too many. The other thread
// waits until it can rob, so every run is the same. In each mode.
#include "helper.h"

namespace {

constexpr unsigned kThreads = 32, kSmall = 0, kLarge = kThreads;  // the thread that robs, and the one that is robbed

__global__ void rob(tx::Space space, unsigned* steps, tx::Status* seen) {
  tx::run(space, [&](tx::Thread& thread) {
    if (thread.index() != kSmall && thread.index() != kLarge) return;
    const bool small = thread.index() == kSmall;
    if (small)
      while (tx::look(steps) == 0) tx::wait_ns(100);
    seen[small] = tx::atomically(thread, [&](tx::Transaction& t) {
      t.store(space.at(0), 1u);
      t.store(space.at(1), 10 + thread.index());
      if (!small && tx::look(steps) == 0) {
        tx::put(steps, 1u);
        while (tx::look(steps) == 1) tx::wait_ns(100);
      }
      t.store(space.at(0), 2u);
    });
    __threadfence();
    if (small) tx::put(steps, 2u);
  });
}

void try_mode(const helper::Arguments& arguments, tx::Mode mode, unsigned* steps, tx::Status* seen) {
  tx::Options options = arguments.options(2, 2, 7);
  options.mode = mode;
  options.blocks = 2;
  options.threads = kThreads;
  tx::Space space;
  REQUIRE(tx::create(space, arguments.pool.c_str(), options) && tx::start(space), "mode %u: no space", mode);
  *steps = 0;
  rob<<<2, space.block_threads(), space.shared_bytes()>>>(space, steps, seen);
  REQUIRE(tx::check(space), "mode %u: tx::check() says that there is a mistake", mode);
  const tx::Statistics statistics = tx::statistics(space);
  REQUIRE(seen[0] == tx::committed && seen[1] == tx::committed, "mode %u: status %u and %u, but should be 0", mode,
          seen[0], seen[1]);
  REQUIRE(statistics.commits == 2 && statistics.robbed == 1,
          "mode %u: %llu commits and %llu robbed, but should be 2 and 1", mode, statistics.commits, statistics.robbed);
  REQUIRE(tx::settle(space), "mode %u: cannot be settled", mode);
  REQUIRE(*space.in_image(0) == 2 && *space.in_image(1) == 10 + kLarge, "mode %u: the words are %u and %u", mode,
          *space.in_image(0), *space.in_image(1));
  tx::close(space);
  if (mode != tx::in_memory) remove(arguments.pool.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  helper::Arguments arguments;
  arguments.pool = "robbed.pool";
  arguments.parse(argc, argv, {});
  unsigned* steps = nullptr;
  tx::Status* seen = nullptr;
  if (cudaMallocManaged(&steps, sizeof *steps) != cudaSuccess ||
      cudaMallocManaged(&seen, 2 * sizeof *seen) != cudaSuccess)
    return 3;
  unsigned modes = 0;
  for (tx::Mode mode : {tx::in_memory, tx::strict, tx::helper, tx::adaptive})
    try_mode(arguments, mode, steps, seen), ++modes;
  return check::passed(__BASE_FILE__, "a robbed transaction is tried again, in %u modes", modes);
}
