#include "runtime/module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "core/checked.hpp"

namespace ew::runtime {

namespace {

bool in_memory(const ptx::ast::Variable& variable) {
  return (variable.space == ptx::Space::global || variable.space == ptx::Space::constant) &&
         variable.linkage != ptx::ast::Linkage::external_declaration;
}

template <class Visit>
void each_variable(const ptx::ast::Module& module, Visit&& visit) {
  for (const auto& variable : module.variables)
    if (in_memory(variable)) visit(variable);
  for (const auto& function : module.functions)
    for (const auto& variable : function.variables)
      if (in_memory(variable)) visit(variable);
}

void check_regions(const ptx::ast::Module& module, bool (*knows_region)(std::string_view)) {
  for (const auto& function : module.functions)
    for (const auto& region : function.regions)
      if (!knows_region(region.name))
        throw ptx::Error(
            fmt::format("function {}: .pragma \"everwarp.{}\" names no operation of this version of Everwarp",
                        function.name, region.name));
}

/// Each behind the one before, at its own alignment, as in a GPU's constant bank.
void check_constants(const ptx::ast::Module& module, u64 most) {
  core::Checked bytes(0);
  each_variable(module, [&](const auto& variable) {
    if (variable.space == ptx::Space::constant)
      bytes = bytes.rounded_up(std::max<u64>(variable.alignment, 1)) + variable.size;
  });
  if (bytes.at_most(most)) return;
  throw ptx::Error(fmt::format("the module's constant variables take {} bytes: device.constant_memory is {}",
                               bytes.fits() ? std::to_string(bytes.value()) : "more than 2^64", most));
}

int version_number(const std::string& text) {  // "8.3" -> 83
  const auto dot = text.find('.');
  return std::atoi(text.c_str()) * 10 + (dot == std::string::npos ? 0 : std::atoi(text.c_str() + dot + 1));
}

}  // namespace

Module::Module(memory::AddressSpace& memory, const std::vector<Source>& sources,
               const std::map<std::string, u64>& managed, u64 constant_bytes, bool (*knows_region)(std::string_view))
    : memory_(memory) {
  std::vector<ptx::ast::Module> parsed;
  for (const Source& source : sources) parsed.push_back(ptx::parse(source.text, source.name));
  const ptx::ast::Module linked = ptx::link(std::move(parsed));
  check_regions(linked, knows_region);
  check_constants(linked, constant_bytes);
  ptx_version_ = version_number(linked.version);
  try {
    each_variable(linked, [&](const auto& variable) { allocate(variable, managed); });
    program_ = ptx::load(linked, [&](std::string_view name) {
      const Symbol* found = symbol(name);
      return found ? found->address : 0;
    });
    each_variable(linked, [&](const auto& variable) { initialise(linked, variable); });
  } catch (...) {
    release();
    throw;
  }
  for (const auto& kernel : program_.kernels) functions_[kernel->name] = {kernel.get(), this};
}

Module::~Module() {
  release();
}

void Module::release() {
  for (const auto& [name, symbol] : symbols_) memory_.release(symbol.address);
  symbols_.clear();
}

void Module::allocate(const ptx::ast::Variable& variable, const std::map<std::string, u64>& managed) {
  using memory::Region;
  if (symbols_.contains(variable.name)) return;
  if (const auto placed = managed.find(variable.name); placed != managed.end()) {
    memory_.adopt(Region::managed, placed->second, variable.size, variable.name);
    symbols_[variable.name] = {placed->second, variable.size, false, true, true};
    return;
  }
  const bool constant = variable.space == ptx::Space::constant;
  const Region region = variable.managed ? Region::managed : constant ? Region::constant : Region::device;
  const bool handle = variable.type == ptx::Type::texref || variable.type == ptx::Type::samplerref ||
                      variable.type == ptx::Type::surfref;  // holds a texture or surface object
  const u64 size = std::max<u64>(variable.size, handle ? 8 : 0);
  const u64 address =
      memory_.allocate(region, std::max<u64>(size, 1), std::max<u64>(variable.alignment, 256), variable.name, constant);
  if (address == 0) throw std::bad_alloc();
  std::memset(reinterpret_cast<void*>(address), 0, size);  // the arena may hand out used memory
  symbols_[variable.name] = {address, size, constant, variable.managed};
}

void Module::initialise(const ptx::ast::Module& linked, const ptx::ast::Variable& variable) {
  auto* bytes = reinterpret_cast<u8*>(symbols_.at(variable.name).address);
  if (!symbols_.at(variable.name).of_host)
    std::copy_n(variable.data.begin(), std::min<u64>(variable.data.size(), variable.size), bytes);
  for (const auto& relocation : variable.relocations) {
    u64 target = 0;
    if (const Symbol* found = symbol(relocation.symbol)) {
      target = found->address;
    } else {
      const auto function = std::find_if(linked.functions.begin(), linked.functions.end(),
                                         [&](const auto& f) { return f.name == relocation.symbol; });
      if (function == linked.functions.end())
        throw ptx::Error(fmt::format("variable {}: its initial value names {}, which this module does not define",
                                     variable.name, relocation.symbol));
      target = ptx::code_base + 16 * static_cast<u64>(function - linked.functions.begin());
    }
    target = (target + static_cast<u64>(relocation.addend)) >> relocation.shift;
    if (relocation.offset + relocation.size <= variable.size)
      std::memcpy(bytes + relocation.offset, &target, std::min<u64>(relocation.size, sizeof target));
  }
}

CUfunc_st* Module::function(std::string_view name) {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

const Symbol* Module::symbol(std::string_view name) const {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : &found->second;
}

}  // namespace ew::runtime
