// ew_speed_count KERNEL SCALE: runs one kernel once and prints what it took. tests/speed/check starts it under
// callgrind, which collects inside a Gpu's run() only. timing/KERNEL: on the default machine in timing mode;
// denovo/KERNEL: the same under that protocol.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <exception>
#include <string_view>

#include "subject.hpp"

int main(int argc, char** argv) {
  try {
    if (argc != 3) {
      fmt::print(stderr, "usage: ew_speed_count KERNEL SCALE\n");
      return 2;
    }
    std::string_view kernel = argv[1];
    const bool denovo = kernel.starts_with("denovo/"), timing = denovo || kernel.starts_with("timing/");
    if (timing) kernel.remove_prefix(7);
    ew::speed::Subject subject(ew::speed::kernels_ptx(), kernel, static_cast<ew::u32>(std::atoi(argv[2])), timing,
                               denovo ? "denovo" : "gpu");
    const auto counters = subject.run();
    if (const auto wrong = subject.mistake(); !wrong.empty()) {
      fmt::print("FAIL: {}\n", wrong);
      return 1;
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print("{} warp instructions, {} thread instructions, {} warps, {} KiB resident at most\n",
               counters.warp_instructions, counters.thread_instructions, counters.warps, usage.ru_maxrss);
  } catch (const std::exception& error) {
    fmt::print(stderr, "FAIL: {}\n", error.what());
    return 1;
  }
}
