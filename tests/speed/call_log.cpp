// Every call inside one function, in order: depth and address, a line each, on standard output. For a program whose
// sources are compiled with -finstrument-functions: tests/speed/calls makes one of hierarchy.cpp.
// EW_CALLS_INSIDE: the function's address, as nm has it (the program is linked with -no-pie).
#include <cstdio>
#include <cstdlib>

namespace {

[[gnu::no_instrument_function]] void* outermost() {
  const char* const address = std::getenv("EW_CALLS_INSIDE");
  return address ? reinterpret_cast<void*>(std::strtoull(address, nullptr, 16)) : nullptr;
}

int depth = 0;  // 0: outside

}  // namespace

extern "C" {
[[gnu::no_instrument_function]] void __cyg_profile_func_enter(void* function, void*) {
  static void* const inside = outermost();
  if (!depth && function != inside) return;
  if (depth) std::printf("%d %llx\n", depth, reinterpret_cast<unsigned long long>(function));
  ++depth;
}
[[gnu::no_instrument_function]] void __cyg_profile_func_exit(void*, void*) {
  if (depth) --depth;
}
}
