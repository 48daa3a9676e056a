// SLM: a decentralised ticket lock: each block waits at a slot of its own in a ring, and who leaves opens the next slot
// (Sinclair's thesis, 2017, section 2.6.1, algorithm 5). The ring has a slot for each block that may wait, so no two do
// at one slot; slot 0 is open at the start.
//
// copies: which CU a block runs on
#include "mutex.h"

namespace {

using namespace heterosync;

template <class ItsScope>
struct SleepMutex {
  using Scope = ItsScope;
  using Ref = typename Scope::template ref<unsigned>;
  static unsigned words(unsigned slots) { return kLineWords + slots; }  // the tail has the first line
  static void prepare(std::vector<unsigned>& mutex) { mutex[kLineWords] = 1; }

  static __device__ unsigned lock(unsigned* mutex, unsigned slots) {
    const unsigned slot = Ref(mutex[0]).fetch_add(1, kRelaxed) % slots;
    Ref mine(mutex[kLineWords + slot]);
    while (mine.load(kAcquire) == 0) continue;
    mine.fetch_sub(1, kRelaxed);
    return slot;
  }
  /// A remainder would lengthen each critical section: it takes some twenty dependent instructions.
  static __device__ void unlock(unsigned* mutex, unsigned slots, unsigned slot) {
    Ref(mutex[kLineWords + (slot + 1 == slots ? 0 : slot + 1)]).exchange(1, kRelease);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return run_mutexes(argc, argv,
                     {{"SLM_L", run_mutex<SleepMutex<LocalScope>>}, {"SLM_G", run_mutex<SleepMutex<GlobalScope>>}});
}
