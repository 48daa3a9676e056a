// SPM, SPMBO: a test-and-set lock, without and with backoff (Sinclair's thesis, 2017, section 2.6.1, algorithm 2).
//
// copies: which CU a block runs on
#include "mutex.h"

namespace {

using namespace heterosync;

template <class ItsScope, bool kBackoff>
struct SpinMutex {
  using Scope = ItsScope;
  using Ref = typename Scope::template ref<unsigned>;
  static unsigned words(unsigned) { return 1; }
  static void prepare(std::vector<unsigned>&) {}

  static __device__ unsigned lock(unsigned* mutex, unsigned) {
    Backoff wait;
    for (;;) {
      unsigned expected = 0;
      if (Ref(*mutex).compare_exchange_strong(expected, 1, kAcquire)) return 0;
      if (kBackoff) wait();
    }
  }
  static __device__ void unlock(unsigned* mutex, unsigned, unsigned) { Ref(*mutex).exchange(0, kRelease); }
};

}  // namespace

int main(int argc, char** argv) {
  return run_mutexes(argc, argv,
                     {{"SPM_L", run_mutex<SpinMutex<LocalScope, false>>},
                      {"SPM_G", run_mutex<SpinMutex<GlobalScope, false>>},
                      {"SPMBO_L", run_mutex<SpinMutex<LocalScope, true>>},
                      {"SPMBO_G", run_mutex<SpinMutex<GlobalScope, true>>}});
}
