// Modules that parse are linked and decoded, or refused with ptx::Error.
#include <algorithm>

#include "input.hpp"
#include "ptx/program.hpp"

namespace {

using namespace ew::ptx;

ew::u64 address_of(const ast::Module& module, std::string_view name) {
  const auto found =
      std::find_if(module.variables.begin(), module.variables.end(), [&](const auto& v) { return v.name == name; });
  return 0x7000'0000'0000 + 4096 * static_cast<ew::u64>(found - module.variables.begin());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  try {
    std::vector<ast::Module> modules;
    for (const auto& text : modules_of(bytes, size)) modules.push_back(parse(text, "fuzz"));
    const auto linked = link(std::move(modules));
    load(linked, [&](std::string_view name) { return address_of(linked, name); });
  } catch (const Error&) {
  }
  return 0;
}
