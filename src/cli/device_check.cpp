#include "cli/device_check.hpp"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "core/files.hpp"
#include "ptx/program.hpp"
#include "runtime/container.hpp"
#include "simt/occupancy.hpp"

namespace ew::cli {

namespace {

constexpr u64 some_address = 0x1000;  // nothing runs here: any will do

/// What a module only declares is taken as defined elsewhere: functions become empty, variables exist.
void suppose_definitions(ptx::ast::Module& module) {
  using ptx::ast::Linkage;
  std::set<std::string> defined;
  for (const auto& variable : module.variables) {
    if (variable.linkage != Linkage::external_declaration) defined.insert(variable.name);
  }
  for (const auto& function : module.functions) {
    if (function.has_body) defined.insert(function.name);
  }
  for (const auto& alias : module.aliases) defined.insert(alias.name);
  for (auto& variable : module.variables) {
    const bool dynamic_shared = variable.space == ptx::Space::shared && variable.unsized;
    if (!dynamic_shared && defined.insert(variable.name).second) variable.linkage = Linkage::weak;
  }
  ptx::ast::Instruction ret;
  ret.opcode = ret.text = "ret";
  for (auto& function : module.functions) {
    if (ptx::is_system_call(function.name) || !defined.insert(function.name).second) continue;
    function.linkage = Linkage::weak;
    function.has_body = true;
    function.body = {ret};
  }
}

/// In the words that programs look for in what nvcc prints.
std::string usage_of(const ptx::Kernel& kernel, const std::string& target) {
  return fmt::format(
      "ew info    : Compiling entry function '{}' for '{}'\n"
      "    {} bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ew info    : Used {} registers, {} bytes smem, {} bytes of parameters\n",
      kernel.name, target, kernel.local_bytes, simt::registers_of_thread({}, kernel), kernel.static_shared,
      kernel.parameter_bytes);
}

/// The relocatable images in a linked file: containers (runtime/container.hpp) stand in it as they are.
std::vector<runtime::Container> relocatable_images(std::string_view bytes) {
  std::vector<runtime::Container> images;
  for (auto at = bytes.find(runtime::container_magic); at != bytes.npos;
       at = bytes.find(runtime::container_magic, at + 1)) {
    runtime::ContainerHeader header;
    const std::size_t left = bytes.size() - at;
    if (left < sizeof header) break;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    const std::size_t room = left - sizeof header;
    if (header.reserved != 0 || header.length > room || header.name_length > room - header.length) continue;
    std::string why;
    if (const auto image = runtime::unpack(bytes.data() + at, why); image && image->rdc) images.push_back(*image);
  }
  return images;
}

}  // namespace

std::optional<std::string> linked_code_mistake(const std::string& program) {
  const std::string bytes = core::content_of(program);
  try {
    std::vector<ptx::ast::Module> modules;
    for (const runtime::Container& image : relocatable_images(bytes))
      modules.push_back(ptx::parse(image.ptx, image.name));
    ptx::link(std::move(modules));
  } catch (const ptx::Error& error) {
    return std::string(error.what()) + "\n";
  }
  return std::nullopt;
}

DeviceCode check_device_code(const std::string& ptx, const std::string& source, bool relocatable) {
  DeviceCode code;
  try {
    std::vector<ptx::ast::Module> modules;
    modules.push_back(ptx::parse(ptx, source));
    if (relocatable) suppose_definitions(modules.front());
    const std::string target = modules.front().target;
    const auto program = ptx::load(ptx::link(std::move(modules)), [](std::string_view) { return some_address; });
    for (const auto& kernel : program.kernels) code.usage += usage_of(*kernel, target);
  } catch (const ptx::Error& error) {
    code.mistake = error.what();
    if (code.mistake.find("undefined symbol") != code.mistake.npos)
      code.mistake += "\n(if another file defines it: -rdc=true)";
    code.mistake += "\n";
  }
  return code;
}

}  // namespace ew::cli
