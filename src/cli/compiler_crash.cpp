#include "cli/compiler_crash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/symbol_name.hpp"

namespace ew::cli {

namespace {

/// What stands between `before` and the next of `ends`; empty when `before` does not occur.
std::string_view between(std::string_view text, std::string_view before, std::string_view ends) {
  const auto at = text.find(before);
  if (at == text.npos) return {};
  text.remove_prefix(at + before.size());
  return text.substr(0, text.find_first_of(ends));
}

std::string function_of(std::string_view output) {
  std::string_view name = between(output, "on function '@", "'\n");
  if (name.empty()) name = between(output, "In function: ", "\n");
  if (name.empty()) return {};
  return core::readable_name(name);
}

/// FILE:LINE:COLUMN at the end of the line of the cause, or empty.
std::string_view place_of(std::string_view cause) {
  const auto comma = cause.rfind(", ");
  if (comma == cause.npos) return {};
  const std::string_view last = cause.substr(comma + 2);
  const auto colons = std::count(last.begin(), last.end(), ':');
  const bool digits = !last.empty() && std::isdigit(static_cast<unsigned char>(last.back()));
  return colons == 2 && digits && last.find(' ') == last.npos ? last : std::string_view();
}

struct Advice {
  std::string_view sign;  // occurs in the cause
  std::string_view sentence;
};

constexpr Advice advices[] = {
    {"Circular dependency",
     "__device__ variables whose initialisers point at each other or at themselves; set one of the pointers in a "
     "kernel, or with cudaMemcpyToSymbol"},
    {"AtomicStore",
     "an atomic store with an order; use cuda::atomic_ref of <cuda/atomic>, or __threadfence() and a volatile store"},
    {"AtomicLoad",
     "an atomic load with an order; use cuda::atomic_ref of <cuda/atomic>, or a volatile load and __threadfence()"},
    {"AtomicFence", "a fence with an order; use cuda::atomic_thread_fence of <cuda/atomic>, or __threadfence()"},
    {"dynamic_stackalloc", "alloca or an array of variable length; give it a fixed size, or use malloc"},
};

}  // namespace

std::optional<std::string> explain_compiler_crash(std::string_view output, std::string_view source) {
  static constexpr std::string_view starts[] = {"fatal error: error in backend:", "PLEASE submit a bug report",
                                                "Stack dump:"};
  std::size_t start = output.npos;
  for (std::string_view sign : starts) start = std::min(start, output.find(sign));
  if (start == output.npos) return std::nullopt;

  const std::string_view cause = between(output, "error in backend: ", "\n");
  const std::string function = function_of(output);
  const std::string_view place = place_of(cause);
  std::string text(output.substr(0, start));
  text += fmt::format("{}: error: clang cannot make PTX of this program", place.empty() ? source : place);
  if (!function.empty()) text += fmt::format(", in {}", function);
  const Advice* advice =
      std::find_if(std::begin(advices), std::end(advices), [&](auto& a) { return cause.find(a.sign) != cause.npos; });
  if (advice != std::end(advices)) {
    text += fmt::format(": it has {}\n", advice->sentence);
  } else if (!cause.empty()) {
    text += fmt::format(": {}\n", cause);
  } else {
    text += ": its back end crashed; leave out parts of the function until it compiles to find the construct\n";
  }
  return text;
}

std::string compiler_hint(std::string_view output) {
  static constexpr Advice hints[] = {
      {"'omp.h' file not found", "OpenMP in .cu files is clang's: apt-get install libomp-19-dev"},
      {"cannot find -lomp", "OpenMP in .cu files is clang's: apt-get install libomp-19-dev"},
      {"'helper_cuda.h' file not found",
       "it belongs to NVIDIA's samples, not to CUDA: name the samples' Common folder with -I"},
      {"'cutil.h' file not found", "it belonged to the samples of CUDA 4 and older, not to CUDA"},
      {"reference to __global__ function", "a kernel that launches kernels (dynamic parallelism) is not supported"},
  };
  for (const Advice& hint : hints) {
    if (output.find(hint.sign) != output.npos) return fmt::format("ew build: note: {}\n", hint.sentence);
  }
  return {};
}

}  // namespace ew::cli
