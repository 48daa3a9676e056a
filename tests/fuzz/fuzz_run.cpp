// Small valid kernels, made from the fuzzer's bytes, run in functional mode with an instruction limit: they end, or end
// in a fault, and both of two runs leave the same memory, counters and fault.
#include <cstdlib>
#include <cstring>

#include "kernel_text.hpp"
#include "memory/address_space.hpp"
#include "ptx/program.hpp"
#include "simt/functional_gpu.hpp"

namespace {

using namespace ew;

constexpr u64 buffer_bytes = 4096;
constexpr u64 instruction_limit = 3'000;

class Services final : public simt::DeviceServices {
 public:
  explicit Services(memory::AddressSpace& space) : space_(space) {}
  i32 print(const char*, const u8*, const simt::ReadString&) override { return 0; }
  u64 heap_allocate(u64 bytes) override {
    if (bytes > 4096 || blocks_.size() > 64) return 0;
    const u64 address = space_.allocate(memory::Region::internal, bytes, 16, "device heap");
    if (address) blocks_.push_back(address);
    return address;
  }
  bool heap_free(u64 address) override { return std::erase(blocks_, address) > 0 && space_.release(address); }
  const simt::TextureObject* texture(u64) override { return nullptr; }
  bool knows_region(std::string_view) override { return false; }
  bool region(std::string_view, LaneMask) override { return false; }
  ~Services() override {
    for (u64 address : blocks_) space_.release(address);
  }

 private:
  memory::AddressSpace& space_;
  std::vector<u64> blocks_;
};

struct Result {
  std::vector<u8> memory;
  u64 instructions = 0;
  simt::FaultKind fault = simt::FaultKind::none;
  bool operator==(const Result&) const = default;
};

Result run(const ptx::Kernel& kernel, memory::AddressSpace& space, u64 buffer, const fuzz::KernelText& text) {
  auto* bytes = reinterpret_cast<u8*>(buffer);
  for (u64 i = 0; i < buffer_bytes; ++i) bytes[i] = static_cast<u8>(i * 7 + (i >> 8));
  Services services(space);
  simt::GpuLimits limits;
  limits.sms = 2;
  simt::FunctionalGpu gpu(limits, space, services);
  gpu.set_instruction_limit(instruction_limit);
  simt::Launch launch;
  launch.kernel = &kernel;
  launch.grid = {text.blocks, 1, 1};
  launch.block = {text.threads, 1, 1};
  launch.parameters.resize(kernel.parameter_bytes);
  std::memcpy(launch.parameters.data(), &buffer, sizeof buffer);
  Result result;
  if (!gpu.refuse(launch).empty()) return result;
  gpu.start(std::move(launch));
  for (u32 rounds = 0; gpu.run(10'000);) {
    if (++rounds > 1000) std::abort();  // the instruction limit does not hold
  }
  for (const auto& completion : gpu.take_completions()) {
    result.instructions += completion.counters.warp_instructions;
    if (completion.fault) result.fault = completion.fault->kind;
  }
  result.memory.assign(bytes, bytes + buffer_bytes);
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  const auto text = fuzz::kernel_text(bytes, size);
  static memory::AddressSpace space(u64{64} << 20);
  static const u64 buffer = space.allocate(memory::Region::device, buffer_bytes, 256, "cudaMalloc");
  std::vector<ptx::ast::Module> modules;
  modules.push_back(ptx::parse(text.ptx, "fuzz"));  // valid by construction: an exception here is a finding
  const auto linked = ptx::link(std::move(modules));
  const auto program = ptx::load(linked, [&](std::string_view) { return buffer + buffer_bytes / 2; });
  const ptx::Kernel& kernel = *program.kernels.front();
  const Result first = run(kernel, space, buffer, text);
  if (!(first == run(kernel, space, buffer, text))) std::abort();  // two runs differ
  return 0;
}
