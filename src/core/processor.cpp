// The library's code needs POPCNT, which every x86-64 processor has had since 2008. On another one, a message comes
// before anything else runs.
#include <unistd.h>

#include <string_view>

namespace {

[[gnu::constructor(101)]] void check_processor() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("popcnt")) return;
  constexpr std::string_view message = "everwarp: this processor has no POPCNT instruction, which Everwarp needs\n";
  (void)!write(STDERR_FILENO, message.data(), message.size());
  _exit(1);
}

}  // namespace
