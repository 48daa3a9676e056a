#include "runtime/program_time.hpp"

extern "C" long long __everwarp_program_time() {
  return ew::runtime::ProgramTime::of_this_thread();
}
