// LFTRB, LFTRBEX: a two-level barrier in which each member has a word to come and a word to go, without and with local
// exchange (Sinclair's thesis, 2017, section 2.6.3, algorithms 11 and 12, with `Done` set anew in each sweep). Member 0
// waits for all words to come, then sets all words to go; its threads share the words out, as in the barrier of Xiao
// and Feng (IPDPS 2010) that the thesis begins with.
//
// copies: which CU a block runs on
#include "barrier.h"

namespace {

using namespace heterosync;

template <class Scope>
class LockFreeBarrier {
 public:
  static unsigned words(unsigned members) { return 2 * whole_lines(members); }
  __device__ LockFreeBarrier(unsigned* words, unsigned most_failures) : words_(words), most_failures_(most_failures) {}

  __device__ void meet(unsigned mine, unsigned all) {
    unsigned* come = words_;
    unsigned* go = words_ + (all + kLineWords - 1) / kLineWords * kLineWords;
    if (threadIdx.x == 0) Ref(come[mine]).exchange(1, kRelease);
    Backoff wait(most_failures_);
    if (mine == 0) {
      while (__syncthreads_and(my_words_have_come(come, all)) == 0) wait();
      for (unsigned i = threadIdx.x; i < all; i += kThreads) {
        Ref(come[i]).store(0, kRelaxed);
        Ref(go[i]).exchange(1, kRelease);
      }
    }
    if (threadIdx.x == 0) {
      while (Ref(go[mine]).load(kAcquire) != 1) wait();
      Ref(go[mine]).exchange(0, kRelaxed);
    }
    __syncthreads();
  }

 private:
  using Ref = typename Scope::template ref<unsigned>;

  static __device__ bool my_words_have_come(unsigned* come, unsigned all) {
    for (unsigned i = threadIdx.x; i < all; i += kThreads)
      if (Ref(come[i]).load(kAcquire) == 0) return false;
    return true;
  }

  unsigned *words_, most_failures_;
};

}  // namespace

int main(int argc, char** argv) {
  return run_barriers<LockFreeBarrier>(argc, argv, "LFTRB_LG", "LFTRBEX_LG");
}
