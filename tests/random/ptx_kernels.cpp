// ptx_kernels FIRST COUNT [BUDGET [print]]: draws COUNT kernels from seed FIRST on, interprets each thread of each
// naively, loads their PTX by the driver API, launches them and compares every byte. `ew run … ptx_kernels` does so on
// any machine. A mismatch names seed, kernel, block, thread, lane and both values, then the smallest budget that still
// shows it.
#include <cuda.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "program.hpp"

using namespace ew::random_ptx;

namespace {

constexpr u64 most_steps = 150'000;
constexpr u32 usual_budget = 12;

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  throw std::string(what) + ": " + (name ? name : "?");
}
#define DRIVER(call) check(call, #call)

/// Memory after the kernel has run on the simulated GPU.
void run(const Program& program, Memory& memory) {
  CUmodule module;
  CUfunction kernel;
  DRIVER(cuModuleLoadData(&module, program.text().c_str()));
  DRIVER(cuModuleGetFunction(&kernel, module, "kernel"));
  CUdeviceptr input, cells_at, own;
  size_t size;
  DRIVER(cuModuleGetGlobal(&input, &size, module, "input"));
  DRIVER(cuModuleGetGlobal(&cells_at, &size, module, "cells"));
  DRIVER(cuMemAlloc(&own, memory.own.size()));
  DRIVER(cuMemcpyHtoD(input, memory.input.data(), memory.input.size() * 4));
  DRIVER(cuMemcpyHtoD(cells_at, memory.cells.data(), memory.cells.size() * 4));
  DRIVER(cuMemcpyHtoD(own, memory.own.data(), memory.own.size()));
  void* arguments[] = {&own};
  DRIVER(cuLaunchKernel(kernel, program.blocks, 1, 1, program.threads, 1, 1, 0, nullptr, arguments, nullptr));
  DRIVER(cuCtxSynchronize());
  DRIVER(cuMemcpyDtoH(memory.cells.data(), cells_at, memory.cells.size() * 4));
  DRIVER(cuMemcpyDtoH(memory.own.data(), own, memory.own.size()));
  DRIVER(cuMemFree(own));
  DRIVER(cuModuleUnload(module));
}

/// "" when both agree; else the first difference.
std::string compare(const Program& program, const Memory& expected) {
  Memory found(program);
  run(program, found);
  u32 differ = 0;
  std::string first;
  for (std::size_t at = 0; at < expected.own.size(); at += 4) {
    u32 want, is;
    std::memcpy(&want, &expected.own[at], 4);
    std::memcpy(&is, &found.own[at], 4);
    if (want == is || differ++) continue;
    const auto thread = static_cast<u32>(at / own_bytes % program.threads);
    first = fmt::format("block {}, thread {} (lane {}), word {}: expected {:08x}, found {:08x}",
                        at / own_bytes / program.threads, thread, thread % 32, at % own_bytes / 4, want, is);
  }
  for (u32 cell = 0; cell < cells; ++cell) {
    if (expected.cells[cell] == found.cells[cell] || differ++) continue;
    first = fmt::format("cell {}: expected {:08x}, found {:08x}", cell, expected.cells[cell], found.cells[cell]);
  }
  return differ ? fmt::format("{} ({} words differ)", first, differ) : "";
}

/// The kernel of this seed that is short enough to interpret: the first budget, from the wanted one down.
u32 drawn(u64 seed, u32 budget, Program& program, Memory& expected) {
  for (u64 again = 0;; ++again)
    for (u32 b = budget; b > 0; --b) {
      program = generate(seed + (again << 40), b);
      expected = Memory(program);
      if (interpret(program, expected, most_steps)) return b;
    }
}

std::string verdict(u64 seed, u32 budget, u32& used) {
  Program program;
  Memory expected(program);
  used = drawn(seed, budget, program, expected);
  return compare(program, expected);
}

void print(u64 seed, u32 budget) {
  Program program;
  Memory expected(program);
  drawn(seed, budget, program, expected);
  fmt::print("{}// {} blocks of {} threads\n", program.text(), program.blocks, program.threads);
}

/// A fault loses the process's context: another process goes on with the next seed.
[[noreturn]] void go_on(const char* self, u64 seed, u64 left, u32 budget, u32 failed) {
  const std::string words[] = {fmt::format("{}", seed), fmt::format("{}", left), fmt::format("{}", budget),
                               fmt::format("{}", failed)};
  execl("/proc/self/exe", self, words[0].c_str(), words[1].c_str(), words[2].c_str(), words[3].c_str(), nullptr);
  std::abort();
}

u32 run_all(u64 first, u64 count, u32 budget, u32 failed, const char* self) {
  for (u64 seed = first; seed < first + count; ++seed) {
    u32 used = 0;
    try {
      const std::string wrong = verdict(seed, budget, used);
      if (wrong.empty()) continue;
      fmt::print("MISMATCH seed {} kernel: {}\n  again: {} {} 1 {}\n", seed, wrong, self, seed, used);
      std::fflush(stdout);
      u32 smaller = 0;
      for (u32 b = 1; b < used; ++b)
        if (!verdict(seed, b, smaller).empty()) {
          fmt::print("  smallest: {} {} 1 {} print\n", self, seed, smaller);
          break;
        }
      ++failed;
    } catch (const std::string& error) {
      fmt::print("MISMATCH seed {} kernel: {}\n  again: {} {} 1 {}\n", seed, error, self, seed, budget);
      std::fflush(stdout);
      go_on(self, seed + 1, first + count - seed - 1, budget, failed + 1);
    }
  }
  return failed;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    fmt::print(stderr, "usage: {} FIRST COUNT [BUDGET [print]]\n", words[0]);
    return 2;
  }
  const u64 first = std::strtoull(words[1], nullptr, 10), kernels = std::strtoull(words[2], nullptr, 10);
  const u32 budget = count > 3 ? static_cast<u32>(std::atoi(words[3])) : usual_budget;
  try {
    const u32 failed_before = count > 4 ? static_cast<u32>(std::atoi(words[4])) : 0;  // of go_on
    if (count > 4 && std::string(words[4]) == "print") {
      print(first, budget);
      return 0;
    }
    DRIVER(cuInit(0));
    CUdevice device;
    CUcontext context;
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuCtxCreate(&context, 0, device));
    DRIVER(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 65536));
    const u32 failed = run_all(first, kernels, budget, failed_before, words[0]);
    fmt::print("PTX kernels to seed {}: {} mismatches\n", first + kernels - 1, failed);
    return failed != 0;
  } catch (const std::string& error) {
    fmt::print("FAIL {}\n", error);
    return 1;
  }
}
