// ew_speed_count [MACHINE/]KERNEL SCALE [key=value ...]: runs one kernel once and prints what it took.
// tests/speed/check starts it under callgrind, which collects inside a Gpu's run() only. With a machine it runs in
// timing mode; `denovo` is the default machine under that protocol.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <exception>
#include <optional>
#include <string_view>

#include "subject.hpp"

namespace {

ew::runtime::MachineConfig machine(std::string_view name, char** setting, char** end) {
  const bool denovo = name == "denovo";
  ew::runtime::MachineConfig config = ew::runtime::load_machine(denovo ? "default" : name);
  if (denovo) config.coherence.protocol = name;
  for (; setting != end; ++setting) ew::runtime::apply_setting(*setting, config);
  return config;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3) {
      fmt::print(stderr, "usage: ew_speed_count [MACHINE/]KERNEL SCALE [key=value ...]\n");
      return 2;
    }
    std::string_view kernel = argv[1];
    std::optional<ew::runtime::MachineConfig> timing;
    if (const auto slash = kernel.find('/'); slash != kernel.npos) {
      timing = machine(kernel.substr(0, slash), argv + 3, argv + argc);
      kernel.remove_prefix(slash + 1);
    }
    ew::speed::Subject subject(ew::speed::kernels_ptx(), kernel, static_cast<ew::u32>(std::atoi(argv[2])),
                               timing ? &*timing : nullptr);
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
