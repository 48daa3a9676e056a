// What the host code of the program has registered: images (containers with PTX), kernels by the address of their host
// stub, variables by the address of their host shadow. Filled by __cudaRegister* before main() and at dlopen().
// Thread-safe. Knows nothing of loaded modules: a Machine loads an image at first use.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/container.hpp"
#include "runtime/module.hpp"

namespace ew::runtime {

struct Image {
  Source source;
  std::string refusal;          // why the bytes are no image of ours; empty: they are
  const void* group = nullptr;  // images of one group are linked together; an image without -fgpu-rdc is its own group
  std::map<std::string, u64>
      managed;  // __managed__ variables: name and address of the host's variable, which kernels use
};

struct RegisteredFunction {
  const Image* image = nullptr;
  std::string name;
};

struct RegisteredVariable {
  const Image* image = nullptr;
  std::string name;
  u64 size = 0;
  bool constant = false;
};

class Registry {
 public:
  Image* add_image(const void* bytes, const void* group);
  void remove_image(Image*);
  void add_function(Image*, const void* host, std::string name);
  void add_variable(Image*, const void* host, std::string name, u64 size, bool constant);
  /// Variables registered from here on that lie in [begin, end) are __managed__.
  void add_managed_section(const void* begin, const void* end);
  /// Gives the __managed__ variables that this image defines their initial values: the host may use them before its
  /// first CUDA call. A reset gives them these values again, as it does with variables of the device.
  static void initialise_managed(const Image&);

  std::optional<RegisteredFunction> function(const void* host) const;
  /// By host shadow; else, as CUDA before 5.0 had it, by name when `symbol` points at one.
  std::optional<RegisteredVariable> variable(const void* symbol) const;
  /// The images of a group, in order of registration; empty when none is left.
  std::vector<const Image*> group(const void*) const;
  /// All images, in order of registration.
  std::vector<const Image*> images() const;
  bool per_thread_default_stream() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Image>> images_;
  std::unordered_map<const void*, RegisteredFunction> functions_;
  std::unordered_map<const void*, RegisteredVariable> variables_;
  std::unordered_map<std::string, const void*> variable_names_;
  std::vector<std::pair<const void*, const void*>> managed_sections_;
  bool per_thread_stream_ = false;
};

}  // namespace ew::runtime
