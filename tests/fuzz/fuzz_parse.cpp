// Any text either parses or throws ptx::Error.
#include "input.hpp"
#include "ptx/flow.hpp"
#include "ptx/program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  using namespace ew::ptx;
  for (const auto& text : modules_of(bytes, size)) {
    try {
      const auto module = parse(text, "fuzz");
      for (const auto& function : module.functions) {
        if (function.has_body) analyse(function);
      }
    } catch (const Error&) {
    }
  }
  return 0;
}
