#include "runtime/kernel_services.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "simt/everwarp_regions.hpp"

namespace ew::runtime {

bool is_region(std::string_view name) {
  return simt::find_region(name);
}

KernelServices::KernelServices(const LaunchConfig& config, ProgramMemory& memory)
    : config_(config),
      memory_(memory),
      print_buffer_(config.printf_buffer.count),
      heap_(memory.space(), config.heap.count) {
  limits_.stack = config.stack.count;
}

void KernelServices::reset() {
  heap_.reset();
  heap_.set_capacity(config_.heap.count);
  limits_ = Limits{.stack = config_.stack.count, .printf_buffer = config_.printf_buffer.count};
}

i32 KernelServices::print(const char* format, const u8* arguments, const simt::ReadString& read) {
  if (!format) return -1;
  std::string text;
  const i32 value = format_packed(format, arguments, read, text);
  print_buffer_.append(text);
  return value;
}

u64 KernelServices::heap_allocate(u64 bytes) {
  return heap_.allocate(bytes);
}
bool KernelServices::heap_free(u64 address) {
  return heap_.release(address);
}

const simt::TextureObject* KernelServices::texture(u64 handle) {
  const Textures& textures = memory_.textures();
  const TextureEntry* entry = textures.find(handle);
  if (!entry) {  // the address of a .texref variable, which holds the object it is bound to
    const auto bounds = memory_.space().bounds(handle);
    if (handle < bounds.begin || handle + sizeof handle > bounds.end) return nullptr;
    std::memcpy(&handle, reinterpret_cast<const void*>(handle), sizeof handle);
    entry = textures.find(handle);
  }
  return entry ? &entry->object : nullptr;
}

bool KernelServices::knows_region(std::string_view name) {
  return is_region(name);
}
bool KernelServices::region(std::string_view, LaneMask) {
  return false;
}

}  // namespace ew::runtime
