// The modules that are loaded, and how the program finds kernels and variables in them: by the host's address of what
// it has registered (its image is loaded at first use), or by the driver API's module handle. Owned by Machine and
// guarded by its mutex. A Module outlives launches of its kernels.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "driver_types.h"
#include "runtime/complaints.hpp"
#include "runtime/module.hpp"
#include "runtime/program_memory.hpp"
#include "runtime/registry.hpp"

namespace ew::runtime {

class LoadedModules {
 public:
  /// `constant_bytes`: that the constant variables of a module may take together.
  LoadedModules(const Registry&, ProgramMemory&, u64 constant_bytes, Complaints&);

  /// The kernel behind a host stub; loads its module at first use. An error has been explained on stderr once.
  cudaError_t function(const void* host, CUfunc_st*& function);
  cudaError_t symbol(const void* host, Symbol& symbol);
  /// Loads every image of the program, as their first use would.
  void load_all();
  /// The image's code leaves the process (dlclose): what was loaded of it is forgotten. REQUIRES: no work is under way.
  void forget(const Image&);
  bool has(const Image& image) const { return images_.contains(image.group); }

  /// A module of the driver API. The error has been explained on stderr, or in `mistakes` when given.
  cudaError_t load(const std::vector<Source>&, Module*& module, std::string* mistakes = nullptr);
  bool unload(Module*);
  Module* find(const void* handle);
  /// Whether the handle is a kernel of a module that is loaded.
  bool has_function(const CUfunc_st*) const;

  /// cudaDeviceReset: their variables' memory is given back.
  void reset();

 private:
  struct Loaded {  // an image or a group of linked images
    cudaError_t error = cudaSuccess;
    std::unique_ptr<Module> module;
  };
  Loaded& load(const Image&);
  std::unique_ptr<Module> load_sources(const std::vector<Source>&, const std::map<std::string, u64>& managed,
                                       cudaError_t& error, std::string* mistakes = nullptr);

  const Registry& registry_;
  ProgramMemory& memory_;
  const u64 constant_bytes_;
  Complaints& complaints_;
  std::map<const void*, Loaded> images_;                    // by image group
  std::map<const void*, std::unique_ptr<Module>> modules_;  // of the driver API
  std::unordered_map<const void*, CUfunc_st*> functions_;   // by host stub
  std::vector<std::unique_ptr<Module>> gone_;               // from before a reset: no new handle equals an old one
};

}  // namespace ew::runtime
