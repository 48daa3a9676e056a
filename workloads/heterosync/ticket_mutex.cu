// FAM: a centralised ticket lock by fetch-and-add (Sinclair's thesis, 2017, section 2.6.1, algorithm 3). Tickets and
// turn have a line each.
//
// copies: which CU a block runs on
#include "mutex.h"

namespace {

using namespace heterosync;

template <class ItsScope>
struct TicketMutex {
  using Scope = ItsScope;
  using Ref = typename Scope::template ref<unsigned>;
  static unsigned words(unsigned) { return 2 * kLineWords; }
  static void prepare(std::vector<unsigned>&) {}

  static __device__ unsigned lock(unsigned* mutex, unsigned) {
    const unsigned ticket = Ref(mutex[0]).fetch_add(1, kRelaxed);
    while (Ref(mutex[kLineWords]).load(kAcquire) != ticket) continue;
    return ticket;
  }
  static __device__ void unlock(unsigned* mutex, unsigned, unsigned) { Ref(mutex[kLineWords]).fetch_add(1, kRelease); }
};

}  // namespace

int main(int argc, char** argv) {
  return run_mutexes(argc, argv,
                     {{"FAM_L", run_mutex<TicketMutex<LocalScope>>}, {"FAM_G", run_mutex<TicketMutex<GlobalScope>>}});
}
