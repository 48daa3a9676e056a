#include "runtime/loaded_modules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/symbol_name.hpp"
#include "runtime/kernel_services.hpp"

namespace ew::runtime {

LoadedModules::LoadedModules(const Registry& registry, ProgramMemory& memory, u64 constant_bytes,
                             Complaints& complaints)
    : registry_(registry), memory_(memory), constant_bytes_(constant_bytes), complaints_(complaints) {}

std::unique_ptr<Module> LoadedModules::load_sources(const std::vector<Source>& sources,
                                                    const std::map<std::string, u64>& managed, cudaError_t& error,
                                                    std::string* mistakes) {
  try {
    return std::make_unique<Module>(memory_.space(), sources, managed, constant_bytes_, is_region);
  } catch (const ptx::Error& mistake) {
    if (mistakes)
      *mistakes = mistake.what();
    else
      print_report(mistake.what());
    error = cudaErrorInvalidPtx;
  } catch (const std::bad_alloc&) {
    complaints_.say("the variables of a module do not fit in device memory");
    error = cudaErrorMemoryAllocation;
  }
  return nullptr;
}

LoadedModules::Loaded& LoadedModules::load(const Image& image) {
  const auto [found, fresh] = images_.try_emplace(image.group);
  Loaded& loaded = found->second;
  if (!fresh) return loaded;
  if (!image.refusal.empty()) {
    complaints_.say(image.refusal);
    loaded.error = cudaErrorNoKernelImageForDevice;
    return loaded;
  }
  std::vector<Source> sources;
  std::map<std::string, u64> managed;
  for (const Image* part : registry_.group(image.group)) {
    sources.push_back(part->source);
    managed.insert(part->managed.begin(), part->managed.end());
  }
  loaded.module = load_sources(sources, managed, loaded.error);
  if (!loaded.module) return loaded;
  for (const auto& [name, address] : managed)
    if (const Symbol* symbol = loaded.module->symbol(name)) memory_.allocations().note_shared(address, symbol->size);
  return loaded;
}

cudaError_t LoadedModules::function(const void* host, CUfunc_st*& function) {
  if (const auto known = functions_.find(host); known != functions_.end()) {
    function = known->second;
    return cudaSuccess;
  }
  const auto registered = registry_.function(host);
  if (!registered) {
    complaints_.say(host ? "launch of a function that is no kernel of this program" : "launch of a null pointer");
    return cudaErrorInvalidDeviceFunction;
  }
  Loaded& loaded = load(*registered->image);
  if (!loaded.module) return loaded.error;
  function = loaded.module->function(registered->name);
  if (!function) {
    complaints_.say(
        fmt::format("kernel {} is not in the device code of this program", core::readable_name(registered->name)));
    return cudaErrorInvalidDeviceFunction;
  }
  functions_[host] = function;
  return cudaSuccess;
}

cudaError_t LoadedModules::symbol(const void* host, Symbol& symbol) {
  if (!host) return cudaErrorInvalidSymbol;
  const auto registered = registry_.variable(host);
  if (!registered) return cudaErrorInvalidSymbol;
  Loaded& loaded = load(*registered->image);
  if (!loaded.module) return loaded.error;
  const Symbol* found = loaded.module->symbol(registered->name);
  if (!found) return cudaErrorInvalidSymbol;
  symbol = *found;
  return cudaSuccess;
}

void LoadedModules::load_all() {
  for (const Image* image : registry_.images())
    if (image->refusal.empty()) load(*image);
}

void LoadedModules::forget(const Image& image) {
  const auto found = images_.find(image.group);
  if (found == images_.end()) return;
  std::erase_if(functions_, [&](const auto& entry) { return entry.second->module == found->second.module.get(); });
  images_.erase(found);
}

cudaError_t LoadedModules::load(const std::vector<Source>& sources, Module*& module, std::string* mistakes) {
  cudaError_t error = cudaSuccess;
  auto made = load_sources(sources, {}, error, mistakes);
  if (!made) return error;
  module = made.get();
  modules_.emplace(module, std::move(made));
  return cudaSuccess;
}

bool LoadedModules::unload(Module* module) {
  return modules_.erase(module) != 0;
}

Module* LoadedModules::find(const void* handle) {
  const auto found = modules_.find(handle);
  return found == modules_.end() ? nullptr : found->second.get();
}

bool LoadedModules::has_function(const CUfunc_st* handle) const {
  const auto holds = [&](const std::unique_ptr<Module>& module) { return module && module->holds(handle); };
  return std::ranges::any_of(
             modules_, holds, [](const auto& entry) -> auto& { return entry.second; }) ||
         std::ranges::any_of(
             images_, holds, [](const auto& entry) -> auto& { return entry.second.module; });
}

void LoadedModules::reset() {
  functions_.clear();
  const auto bury = [&](std::unique_ptr<Module> module) {
    if (!module) return;
    module->release();
    gone_.push_back(std::move(module));
  };
  for (auto& [group, loaded] : images_) bury(std::move(loaded.module));
  for (auto& [handle, module] : modules_) bury(std::move(module));
  images_.clear();
  modules_.clear();
  for (const Image* image : registry_.images()) Registry::initialise_managed(*image);
}

}  // namespace ew::runtime
