// TRB, TRBEX: a two-level barrier of atomic counters, without and with local exchange (Sinclair's thesis, 2017, section
// 2.6.3, algorithm 9). A barrier has two counters and uses them in turn, so that a fast block that has come to the next
// barrier cannot be counted by a slow one that still waits at this one.
//
// copies: which CU a block runs on
#include "barrier.h"

namespace {

using namespace heterosync;

template <class Scope>
class CountingBarrier {
 public:
  static unsigned words(unsigned) { return 2; }
  __device__ CountingBarrier(unsigned* counts, unsigned) : counts_(counts) {}

  __device__ void meet(unsigned, unsigned all) {
    typename Scope::template ref<unsigned> count(counts_[turn_]);
    turn_ ^= 1;
    if (threadIdx.x == 0) {
      count.fetch_add(1, kRelease);
      for (unsigned come = all; come != 0;) {
        come = all;
        count.compare_exchange_strong(come, 0, kAcquire);
      }
    }
    __syncthreads();
  }

 private:
  unsigned* counts_;
  unsigned turn_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return run_barriers<CountingBarrier>(argc, argv, "TRB_LG", "TRBEX_LG");
}
