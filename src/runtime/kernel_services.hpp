// What kernels ask of the runtime while they run: printf, malloc and free, texture handles, the operations of
// include/everwarp. And the limits that the program sets to them (cudaDeviceSetLimit). Owned by Machine.
//
// Threads: the functions of DeviceServices run on the machine's thread, which never takes the Machine's mutex. So they
// touch only what has a lock of its own (print buffer), what needs none (textures), and the heap, which is theirs: the
// host looks at it while the machine is idle.
#pragma once

#include "runtime/device_heap.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/print_buffer.hpp"
#include "runtime/program_memory.hpp"
#include "simt/gpu.hpp"

namespace ew::runtime {

/// What cudaDeviceSetLimit sets.
struct Limits {
  u64 stack = 1024;
  u64 printf_buffer = 1 << 20;
  u64 device_sync_depth = 2, device_pending_launches = 2048, l2_fetch_granularity = 64, persisting_l2 = 0;
};

/// The inline PTX of include/everwarp names such an operation.
bool is_region(std::string_view name);

class KernelServices final : public simt::DeviceServices {
 public:
  KernelServices(const LaunchConfig&, ProgramMemory&);

  PrintBuffer& print_buffer() { return print_buffer_; }
  DeviceHeap& heap() { return heap_; }
  Limits& limits() { return limits_; }
  const Limits& limits() const { return limits_; }
  /// cudaDeviceReset: the heap is given back, and limits are those of the machine file.
  void reset();

  i32 print(const char* format, const u8* arguments, const simt::ReadString& read) override;
  u64 heap_allocate(u64 bytes) override;
  bool heap_free(u64 address) override;
  const simt::TextureObject* texture(u64 handle) override;
  bool knows_region(std::string_view name) override;
  bool region(std::string_view name, LaneMask lanes) override;

 private:
  const LaunchConfig& config_;
  ProgramMemory& memory_;
  PrintBuffer print_buffer_;
  DeviceHeap heap_;
  Limits limits_;
};

}  // namespace ew::runtime
