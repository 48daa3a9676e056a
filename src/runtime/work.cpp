#include "runtime/work.hpp"

#include <cstring>

namespace ew::runtime {

namespace {

u8* at(const Place3D& place, u64 y, u64 z) {
  return reinterpret_cast<u8*>(place.address + y * place.pitch + z * place.slice);
}

void fill(u8* to, u64 elements, u32 value, u32 element) {
  if (element == 1) {
    std::memset(to, static_cast<int>(value), elements);
  } else {
    for (u64 i = 0; i < elements; ++i) std::memcpy(to + i * element, &value, element);  // little-endian: the low bytes
  }
}

}  // namespace

void** KernelWork::parameter_pointers() {
  pointers.clear();
  for (const auto& parameter : function->kernel->parameters) pointers.push_back(parameters.data() + parameter.offset);
  return pointers.data();
}

void perform(const CopyWork& copy) {
  if (!copy.staged.empty()) {  // packed line after line
    const u8* from = copy.staged.data();
    for (u64 z = 0; z < copy.depth; ++z)
      for (u64 y = 0; y < copy.height; ++y, from += copy.width) std::memcpy(at(copy.to, y, z), from, copy.width);
    return;
  }
  for (u64 z = 0; z < copy.depth; ++z)
    for (u64 y = 0; y < copy.height; ++y) std::memmove(at(copy.to, y, z), at(copy.from, y, z), copy.width);
}

void perform(const SetWork& set) {
  for (u64 z = 0; z < set.depth; ++z)
    for (u64 y = 0; y < set.height; ++y) fill(at(set.to, y, z), set.width, set.value, set.element);
}

}  // namespace ew::runtime
