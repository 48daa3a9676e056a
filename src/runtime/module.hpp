// A loaded module: the kernels of one PTX image, or of several linked ones, and its variables in simulated memory.
// Owned by LoadedModules, which finds it by a registered image or by the driver API's module handle; must outlive
// launches of its kernels.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "memory/address_space.hpp"
#include "ptx/program.hpp"

namespace ew::runtime {
class Module;
}

/// What cudaFunction_t and CUfunction point at: a kernel with the attributes that a program sets.
struct CUfunc_st {
  const ew::ptx::Kernel* kernel = nullptr;
  const ew::runtime::Module* module = nullptr;
  ew::u32 max_dynamic_shared = 0;
  int carveout = -1;
  // What cuFuncSetBlockShape, cuFuncSetSharedSize and cuParamSet* have said for the next cuLaunch* (CUDA before 4.0).
  ew::Dim3 old_block{1, 1, 1};
  ew::u32 old_shared = 0;
  std::vector<ew::u8> old_parameters;
};

namespace ew::runtime {

struct Symbol {
  u64 address = 0, size = 0;
  bool constant = false, managed = false;
  bool of_host = false;  // __managed__: the host's own variable, which has its value already
};

struct Source {
  std::string text, name;
};

class Module {
 public:
  /// Parses, links and decodes; allocates and initialises the variables. Throws ptx::Error (a mistake in the text) or
  /// std::bad_alloc (the variables do not fit in device memory). `managed` are variables that have their memory, with
  /// its values, already. `constant_bytes`: that constant variables may take together. `knows_region` names the
  /// everwarp operations there are.
  Module(memory::AddressSpace&, const std::vector<Source>&, const std::map<std::string, u64>& managed,
         u64 constant_bytes, bool (*knows_region)(std::string_view));
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// nullptr: no such kernel, no such variable.
  CUfunc_st* function(std::string_view name);
  const Symbol* symbol(std::string_view name) const;
  /// What the driver API keeps for a texture reference of this module; empty until it puts something there.
  std::shared_ptr<void>& texture_reference(const std::string& name) { return texture_references_[name]; }
  int ptx_version() const { return ptx_version_; }
  bool holds(const CUfunc_st* function) const {
    return std::ranges::any_of(functions_, [&](const auto& entry) { return &entry.second == function; });
  }
  /// Gives the variables' memory back; the handles stay what they are.
  void release();

 private:
  void allocate(const ptx::ast::Variable&, const std::map<std::string, u64>& managed);
  void initialise(const ptx::ast::Module&, const ptx::ast::Variable&);

  memory::AddressSpace& memory_;
  std::map<std::string, Symbol, std::less<>> symbols_;
  ptx::Program program_;
  std::map<std::string, CUfunc_st, std::less<>> functions_;
  std::map<std::string, std::shared_ptr<void>> texture_references_;
  int ptx_version_ = 0;
};

}  // namespace ew::runtime
