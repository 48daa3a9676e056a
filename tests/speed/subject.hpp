// One kernel of kernels.cu on a GPU of its own: inputs, launch, check. Owned by the speed programs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "memory/address_space.hpp"
#include "ptx/program.hpp"
#include "runtime/run_results.hpp"
#include "runtime/timing_machine.hpp"
#include "simt/functional_gpu.hpp"

namespace ew::speed {

/// Names of the kernels, in the order of budgets.txt.
inline constexpr std::string_view kernel_names[] = {"fma_loop", "vector_add", "block_reduction", "gather",
                                                    "matrix_product"};

/// Device code of a speed kernel asks nothing of the runtime.
class NoServices final : public simt::DeviceServices {
 public:
  i32 print(const char*, const u8*, const simt::ReadString&) override { return 0; }
  u64 heap_allocate(u64) override { return 0; }
  bool heap_free(u64) override { return false; }
  const simt::TextureObject* texture(u64) override { return nullptr; }
  bool knows_region(std::string_view) override { return false; }
  bool region(std::string_view, LaneMask) override { return false; }
};

class Subject {
 public:
  /// `scale`: how much work a launch is; 1 is some hundred thousand warp instructions.
  /// `timing`: on this machine in timing mode, with an eighth of the work; nullptr: in functional mode on 4 SMs.
  Subject(std::string_view ptx, std::string_view kernel, u32 scale, const runtime::MachineConfig* timing = nullptr);

  /// Launches once and waits. The launch's counters.
  simt::Counters run();
  /// Empty when the last run wrote what it should; else what is wrong.
  std::string mistake() const;

 private:
  float* make(u64 floats);  // in device memory
  void add_parameter(const void* value, u32 bytes);

  memory::AddressSpace space_{u64{1} << 30};
  NoServices services_;
  std::unique_ptr<simt::Gpu> functional_;
  runtime::RunResults results_;
  std::unique_ptr<runtime::TimingMachine> timing_;
  ptx::Program program_;
  simt::Launch launch_;
  std::string name_;
  float *a_ = nullptr, *b_ = nullptr, *out_ = nullptr;
  u32 n_ = 0;
};

/// The text of the file that the build made of kernels.cu.
std::string kernels_ptx();

}  // namespace ew::speed
