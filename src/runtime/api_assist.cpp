// What include/everwarp/assist.cuh declares for the host.
#include "runtime/gpu_limits.hpp"
#include "runtime/own_api.hpp"

using namespace ew;
using namespace ew::runtime;

extern "C" int everwarp_assist(void) {
  return own_api(0,
                 [](Machine& machine, ApiLock&) { return static_cast<int>(machine.config().assist.limits().answer); });
}
