// The kernel in the making: its functions, where its shared variables lie, and its constant pool. Owned by load(),
// one an entry; lent to the FunctionDecoder of each function that the entry can reach.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "ptx/kernel.hpp"
#include "ptx/module_index.hpp"

namespace ew::ptx {

struct KernelBuild {
  ModuleIndex& index;
  Kernel& kernel;
  std::unordered_map<u32, u32> function_of{};  // module index -> kernel index
  std::unordered_map<std::string, u32> shared_offset{};
  std::unordered_map<u32, Row> words{};
  std::unordered_map<u64, Row> doubles{};
  std::unordered_map<u32, u32> files{};
  bool calls_indirectly = false;

  /// The row that holds this constant in every lane.
  Row constant(u64 bits, u32 bytes);
};

/// The next multiple of `alignment`.
u64 align_up(u64 value, u64 alignment);

/// `bytes` as a number of 32 bits. Throws Error where they are more than `most`: "FUNCTION: its WHAT take … bytes".
u32 bytes_within(u64 most, u64 bytes, std::string_view function, std::string_view what);

}  // namespace ew::ptx
