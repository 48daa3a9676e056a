#include "subject.hpp"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "runtime/gpu_limits.hpp"

namespace ew::speed {
namespace {

constexpr u32 threads = 256;

simt::GpuLimits one_gpu() {
  simt::GpuLimits limits;
  limits.sms = 4;
  return limits;
}

float input(u32 i) {
  return static_cast<float>(i % 13) - 6;
}

}  // namespace

std::string kernels_ptx() {
  std::ifstream file(EW_SPEED_PTX);
  if (!file) throw std::runtime_error("cannot read " EW_SPEED_PTX);
  return {std::istreambuf_iterator<char>(file), {}};
}

float* Subject::make(u64 floats) {
  const u64 address = space_.allocate(memory::Region::device, floats * sizeof(float), 256, "cudaMalloc");
  if (!address) throw std::runtime_error("no memory");
  return reinterpret_cast<float*>(address);
}

void Subject::add_parameter(const void* value, u32 bytes) {
  const auto& parameters = launch_.kernel->parameters;
  for (const auto& parameter : parameters) {
    if (parameter.offset < launch_.parameters.size()) continue;
    launch_.parameters.resize(parameter.offset + bytes);
    std::memcpy(launch_.parameters.data() + parameter.offset, value, bytes);
    return;
  }
  throw std::runtime_error("too many parameters");
}

Subject::Subject(std::string_view ptx, std::string_view kernel, u32 scale, const runtime::MachineConfig* timing)
    : name_(kernel) {
  if (timing) {
    timing_ = std::make_unique<runtime::TimingMachine>(*timing, runtime::gpu_limits(*timing), 0, space_, services_,
                                                       results_, runtime::TimingMachine::Observation{});
  } else {
    functional_ = std::make_unique<simt::FunctionalGpu>(one_gpu(), space_, services_);
  }
  std::vector<ptx::ast::Module> modules;
  modules.push_back(ptx::parse(ptx, "kernels.cu"));
  program_ = ptx::load(ptx::link(std::move(modules)), [](std::string_view) -> u64 { return 0; });
  launch_.kernel = program_.find(kernel);
  if (!launch_.kernel) throw std::runtime_error(fmt::format("no kernel named {}", kernel));
  launch_.block = {threads, 1, 1};
  u64 inputs = 0, outputs = 0;
  if (kernel == "fma_loop" || kernel == "directed_loop") {
    n_ = (timing ? 60 : 1000) * scale;  // rounds
    launch_.grid = {timing ? 120u : 4u, 1, 1};
    outputs = u64{launch_.grid.x} * threads;
  } else if (kernel == "wait_for_flag") {
    n_ = 5000 * scale;  // rounds
    launch_.grid = {30, 1, 1};
    outputs = 1;
  } else if (kernel == "matrix_product") {
    n_ = 64 * scale;
    launch_.block = {16, 16, 1};
    launch_.grid = {n_ / 16, n_ / 16, 1};
    inputs = outputs = u64{n_} * n_;
  } else {
    n_ = 500'000 * scale / (timing ? 8 : 1);
    launch_.grid = {(n_ + threads - 1) / threads, 1, 1};
    inputs = n_;
    outputs = kernel == "block_reduction" ? launch_.grid.x : n_;
  }
  if (inputs) {
    a_ = make(inputs);
    for (u32 i = 0; i < inputs; ++i) a_[i] = input(i);
    add_parameter(&a_, sizeof a_);
  }
  if (inputs && kernel != "block_reduction" && kernel != "gather") {
    b_ = make(inputs);
    for (u32 i = 0; i < inputs; ++i) b_[i] = input(3 * i + 1);
    add_parameter(&b_, sizeof b_);
  }
  out_ = make(outputs);
  add_parameter(&out_, sizeof out_);
  add_parameter(&n_, sizeof n_);
}

simt::Counters Subject::run() {
  simt::Gpu& gpu = timing_ ? timing_->gpu() : *functional_;
  if (const std::string refused = gpu.refuse(launch_); !refused.empty()) throw std::runtime_error(refused);
  if (timing_)
    timing_->start(launch_);
  else
    gpu.start(launch_);
  while (gpu.run(~u64{0})) {
  }
  auto completions = timing_ ? timing_->take_completions() : gpu.take_completions();
  if (completions.size() != 1) throw std::runtime_error("the launch did not complete");
  if (completions[0].fault) throw std::runtime_error(completions[0].fault->report);
  const u64 out = reinterpret_cast<u64>(out_);
  if (timing_) timing_->host_touched(out, space_.bounds(out).end - out, false);  // owners keep what they wrote
  return completions[0].counters;
}

std::string Subject::mistake() const {
  const auto differs = [&](u64 i, float wanted) {
    return out_[i] == wanted ? std::string() : fmt::format("{}[{}] should be {}, is {}", name_, i, wanted, out_[i]);
  };
  std::string wrong;
  if (name_ == "fma_loop" || name_ == "directed_loop") {  // x -> x / 2 + 1 goes to 2
    for (u32 i = 0; i < 4 * threads && wrong.empty(); ++i) wrong = differs(i, 8);
  } else if (name_ == "wait_for_flag") {
    wrong = differs(0, 2);
  } else if (name_ == "vector_add") {
    for (u32 i = 0; i < n_ && wrong.empty(); ++i) wrong = differs(i, a_[i] + b_[i]);
  } else if (name_ == "gather") {
    for (u32 i = 0; i < n_ && wrong.empty(); ++i) wrong = differs(i, a_[i * 2654435761u % n_]);
  } else if (name_ == "block_reduction") {  // small whole numbers: exact in any order
    for (u32 block = 0; block < launch_.grid.x && wrong.empty(); ++block) {
      float sum = 0;
      for (u32 i = block * threads; i < n_ && i < (block + 1) * threads; ++i) sum += a_[i];
      wrong = differs(block, sum);
    }
  } else {
    for (u32 i = 0; i < n_ * n_ && wrong.empty(); i += 97) {
      float sum = 0;
      for (u32 k = 0; k < n_; ++k) sum += a_[i / n_ * n_ + k] * b_[k * n_ + i % n_];
      wrong = differs(i, sum);
    }
  }
  return wrong;
}

}  // namespace ew::speed
