// A machine that stands still says who waits for what, down to homes, links and devices.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "memory/networks/networks.hpp"
#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

// Of a kernel that was stuck, SMs and private caches were named alone. Here it only waits long: behind a copy, on the
// host link, on a machine that is told to be impatient.
TEST(DeadlockReport, NamesHomesAndLinks) {
  const std::string folder = testing::TempDir() + "/ew-deadlock-report";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder + "/stuck.cu") << R"(#include <cuda_runtime.h>
__global__ void read(volatile int* host, int* out) { *out = host[threadIdx.x * 32]; }
__global__ void touch(int* managed) { managed[threadIdx.x * 65536] = 1; }
int main(int argc, char**) {
  int *host, *out, *managed;
  char *from, *to;
  cudaHostAlloc((void**)&host, 4096, cudaHostAllocMapped);
  cudaHostAlloc((void**)&from, 4 << 20, cudaHostAllocDefault);
  cudaMalloc(&out, 4);
  cudaMalloc(&to, 4 << 20);
  cudaMallocManaged(&managed, 8 << 20);
  cudaStream_t copies, kernels;
  cudaStreamCreate(&copies);
  cudaStreamCreate(&kernels);
  cudaMemcpyAsync(to, from, 4 << 20, cudaMemcpyHostToDevice, copies);
  if (argc > 1)
    touch<<<1, 32, 0, kernels>>>(managed);
  else
    read<<<1, 32, 0, kernels>>>(host, out);
  return cudaDeviceSynchronize() == cudaErrorLaunchFailure ? 7 : 0;
}
)";
  const auto call = [&](const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder, .timeout_seconds = 120, .no_input = true});
  };
  const Outcome built = call({EW_PROGRAM, "build", "-O2", "stuck.cu", "-o", "stuck"});
  ASSERT_EQ(built.status, 0) << built.output;
  const auto expect_named = [&](const Words& settings, const char* how, const Words& named) {
    Words words{EW_PROGRAM, "run", "--machine", "titan-rtx", "--timing", "--set", "sm_timing.livelock_cycles=1000"};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    words.emplace_back("./stuck");
    if (*how) words.emplace_back(how);
    const Outcome outcome = call(words);
    for (const std::string& one : named)
      EXPECT_NE(outcome.output.find(one), std::string::npos) << one << " in:\n" << outcome.output;
    EXPECT_EQ(outcome.output.find("private cache of SM", outcome.output.find("below the private caches")),
              std::string::npos)
        << "each once:\n"
        << outcome.output;
  };
  expect_named({}, "",
               {"everwarp: deadlock: no warp has issued an instruction while the machine was busy for 1000 cycles",
                "stuck.cu:2", "private cache of SM 0", "accesses under way to the host",
                "copy engine: 512 lines under way", "host link: packets to the device", "host memory, device"});
  for (const memory::NetworkKind& network :
       memory::network_kinds())  // 1300: lines of the copy are in each of them then
    expect_named({"network.kind=" + std::string(network.name), "sm.count=16", "host_link.bandwidth=200",
                  "sm_timing.livelock_cycles=1300"},
                 "", {"messages in flight", " of line 0x", "home "});
  expect_named({}, "managed", {"accesses wait for managed pages", "managed memory: ", "is waited for"});
  fs::remove_all(folder);
}

// Kernels whose warps poll for ever ran for ever. Those that only take long go on: they count, look at a clock, or wait
// for another stream, the host, or lanes of their own warp.
TEST(DeadlockReport, EndsKernelsThatPollForEverAndNoOthers) {
  const std::string folder = testing::TempDir() + "/ew-poll-for-ever";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder + "/poll.cu") << R"(#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <thread>
__global__ void flag(volatile int* f) { while (!*f) {} }
__global__ void oversubscribed(int* arrived) {
  if (threadIdx.x == 0)
    for (atomicAdd(arrived, 1); atomicAdd(arrived, 0) < (int)gridDim.x;) {}
  __syncthreads();
}
__global__ void two_locks(int* locks) {
  if (threadIdx.x % 32) return;
  int* const first = locks + threadIdx.x / 32 * 32, *const second = locks + 32 - threadIdx.x / 32 * 32;
  while (atomicCAS(first, 0, 1)) {}
  __nanosleep(100000);
  while (atomicCAS(second, 0, 1)) __nanosleep(500);
}
__global__ void counted(volatile int* f) { for (int i = 0; i < 8000 && !*f; ++i) {} }
__global__ void timed(volatile int* f) { for (long long t = clock64(); !*f && clock64() < t + 1500000;) {} }
__global__ void lock_a_lane(int* lock, int* sum) {
  for (bool done = false; !done;)
    if (atomicCAS(lock, 0, 1) == 0) {
      *(volatile int*)sum += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
}
__global__ void set(int* f) { *f = 1; }
__global__ void counted_for_ever(volatile int* f, unsigned long long* rounds) {
  unsigned long long n = 0;
  while (!*f) ++n;
  *rounds = n;
}
__global__ void frees_for_ever(int* lock, volatile int* f) {
  for (bool set = false; !set;) {
    while (atomicCAS(lock, 0, 1)) {}
    set = *f;
    atomicExch(lock, 0);
  }
}
int main(int, char** arguments) {
  int *f, *pinned;
  cudaMalloc(&f, 1024), cudaMemset(f, 0, 1024);
  cudaMallocHost(&pinned, 4), *pinned = 0;
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  std::thread host;
  switch (std::atoi(arguments[1])) {
    case 0: flag<<<2, 64>>>(f); break;
    case 1: oversubscribed<<<100, 64>>>(f); break;
    case 2: two_locks<<<1, 64>>>(f); break;
    case 3: counted<<<1, 64>>>(f); break;
    case 4: timed<<<1, 64>>>(f); break;
    case 5: lock_a_lane<<<4, 32>>>(f, f + 32); break;
    case 6: flag<<<1, 64, 0, a>>>(f), timed<<<1, 64, 0, b>>>(f + 64), set<<<1, 1, 0, b>>>(f); break;
    case 7:
      flag<<<1, 64>>>(pinned);
      host = std::thread([=] { std::this_thread::sleep_for(std::chrono::milliseconds(500)); *(volatile int*)pinned = 1; });
      break;
    case 8: counted_for_ever<<<2, 64>>>(f, (unsigned long long*)f + 16); break;
    case 9: frees_for_ever<<<4, 1>>>(f, f + 32); break;
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (host.joinable()) host.join();
  std::puts(cudaGetErrorString(error));
  return error != cudaSuccess;
}
)";
  const auto call = [&](const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder, .timeout_seconds = 120, .no_input = true});
  };
  const Outcome built = call({EW_PROGRAM, "build", "-O2", "poll.cu", "-o", "poll"});
  ASSERT_EQ(built.status, 0) << built.output;
  for (const char* protocol : {"gpu", "mesi"})
    for (int kernel = 0; kernel < 8; ++kernel) {
      const Outcome outcome = call({EW_PROGRAM, "run", "--machine", "sbrp-pm-far", "--set", "sm.count=2", "--set",
                                    "sm_timing.livelock_cycles=700000", "--set",
                                    std::string("coherence.protocol=") + protocol, "./poll", std::to_string(kernel)});
      EXPECT_EQ(outcome.status, kernel < 3) << protocol << " " << kernel << ":\n" << outcome.output;
      const bool told = outcome.output.find("everwarp: deadlock: for 700000 cycles all warps have polled values") !=
                            std::string::npos &&
                        outcome.output.find(" to change, which is ") != std::string::npos;
      EXPECT_EQ(told, kernel < 3) << protocol << " " << kernel << ":\n" << outcome.output;
    }
  // Kernels whose warps go round with other registers each time, or write, but find the same again and again: their
  // loops may end by themselves, so they have eight times as long.
  for (const char* protocol : {"gpu", "none-l1", "mesi"})
    for (const bool frees : {false, true}) {
      const Outcome outcome = call({EW_PROGRAM, "run", "--machine", "sbrp-pm-far", "--set", "sm.count=2", "--set",
                                    "sm_timing.livelock_cycles=50000", "--set",
                                    std::string("coherence.protocol=") + protocol, "./poll", frees ? "9" : "8"});
      EXPECT_EQ(outcome.status, 1) << protocol << ":\n" << outcome.output;
      const bool later = outcome.output.find(
                             "everwarp: deadlock: for 400000 cycles no warp has left the loop in which "
                             "it polls") != std::string::npos;
      const bool sooner = outcome.output.find("everwarp: deadlock: for 50000 cycles all warps") != std::string::npos;
      EXPECT_TRUE(later || (frees && sooner)) << protocol << ":\n" << outcome.output;
    }
  fs::remove_all(folder);
}

// A scope that is too narrow made a warp poll its SM's old copy for ever, and the report named a deadlock, not the
// scope.
TEST(DeadlockReport, NamesAScopeThatIsTooNarrow) {
  const std::string folder = testing::TempDir() + "/ew-narrow-scope";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder + "/narrow.cu") << R"(#include <cuda_runtime.h>
#include <everwarp/persist.cuh>
#include <cstdlib>
__device__ int load(const int* p, bool narrow) {
  int v;
  if (narrow)
    asm volatile("ld.acquire.cta.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  else
    asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__global__ void acquires(int* data, int* flag, int* out, bool narrow) {
  if (blockIdx.x == 0) {
    __nanosleep(20000);
    *data = 42;
    asm volatile("st.release.gpu.b32 [%0], 1;" ::"l"(flag) : "memory");
    while (load(flag + 32, narrow) == 0) {}
  } else {
    while (load(flag, narrow) == 0) {}  // narrow poll
    *out = *data;
    asm volatile("st.release.gpu.b32 [%0], 1;" ::"l"(flag + 32) : "memory");
  }
}
__global__ void persists(int* data, int* flag, bool narrow) {
  if (blockIdx.x == 0) {
    __nanosleep(20000);
    *data = 42;
    pRel_dev(flag, 1);
  } else {
    while ((narrow ? pAcq_block(flag) : pAcq_dev(flag)) == 0) {}
    data[32] = 1;
  }
}
__global__ void own_word(volatile int* flag) {
  *flag = 0;  // memory still has 1 where the private cache keeps what it writes
  while (*flag == 0) {}
}
int main(int, char** words) {
  int* m;
  cudaMalloc(&m, 4096), cudaMemset(m, *words[1] == 'o', 4096);
  const bool narrow = *words[2] == '1';
  if (*words[1] == 'o')
    own_word<<<1, 1>>>(m);
  else if (*words[1] == 'a')
    acquires<<<2, 1>>>(m, m + 64, m + 512, narrow);
  else
    persists<<<2, 1>>>(m, m + 64, narrow);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";
  const auto call = [&](const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder, .timeout_seconds = 120, .no_input = true});
  };
  const Outcome built = call({EW_PROGRAM, "build", "-O2", "narrow.cu", "-o", "narrow"});
  ASSERT_EQ(built.status, 0) << built.output;
  for (const char* kernel : {"acquires", "persists"})
    for (const bool narrow : {false, true}) {
      const Outcome outcome = call({EW_PROGRAM, "run", "--machine", "sbrp-pm-near", "--set",
                                    "sm_timing.livelock_cycles=100000", "./narrow", kernel, narrow ? "1" : "0"});
      EXPECT_EQ(outcome.status, narrow) << kernel << ":\n" << outcome.output;
      const bool told =
          outcome.output.find(
              "to change, which is 0 at each poll;\n    scope bug: the word is 1 in memory, and SM 1 "
              "polls an older copy in its private cache. The scope of these polls is too narrow") != std::string::npos;
      EXPECT_EQ(told, narrow) << kernel << ":\n" << outcome.output;
    }
  for (const char* protocol : {"gpu", "none-l1", "mesi"}) {
    const Outcome outcome =
        call({EW_PROGRAM, "run", "--machine", "titan-rtx", "--set", "sm_timing.livelock_cycles=100000", "--set",
              std::string("coherence.protocol=") + protocol, "./narrow", "own_word", "0"});
    EXPECT_EQ(outcome.status, 1) << protocol << ":\n" << outcome.output;
    EXPECT_EQ(outcome.output.find("scope bug"), std::string::npos) << protocol << ":\n" << outcome.output;
  }
  fs::remove_all(folder);
}

// A checkpoint of 1 GiB waits 118 million cycles for its fences.
TEST(DeadlockReport, PersistsOnTheirWayToASlowMediumAreNone) {
  const std::string folder = testing::TempDir() + "/ew-slow-persists";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder + "/slow.cu") << R"(#include <everwarp/gpm.cuh>
__global__ void put(int* pool) {
  for (int i = 0; i < 64; ++i) pool[i * 16384 + blockIdx.x * 512 + threadIdx.x] = i + 1;
  gpm_persist();
}
int main() {
  int* pool = static_cast<int*>(gpm_map("slow.pool", 4 << 20, true));
  gpm_persist_begin();
  put<<<32, 512>>>(pool);
  gpm_persist_end();
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";
  const auto call = [&](const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder, .timeout_seconds = 120, .no_input = true});
  };
  ASSERT_EQ(call({EW_PROGRAM, "build", "-O2", "slow.cu", "-o", "slow"}).status, 0);
  const Outcome outcome = call({EW_PROGRAM, "run", "-m", "titan-rtx-optane", "--set", "sm_timing.livelock_cycles=20000",
                                "--set", "nvm.write_bandwidth=1", "./slow"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  fs::remove_all(folder);
}

// A warp whose polls are held back did nothing between two looks, and the time began anew: on any machine with slow
// polls it spun for ever. Two kernels in two streams; the second waits for a host that waits for the first.
TEST(DeadlockReport, AWarpThatPollsSeldomIsFound) {
  const std::string folder = testing::TempDir() + "/ew-seldom-polls";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder + "/seldom.cu") << R"(#include <everwarp/gpm.cuh>
__global__ void consumer(volatile unsigned* flag) {
  while (*flag == 0) {}
}
__global__ void producer(volatile unsigned* flag) { *flag = 1; }
int main() {
  unsigned* flag;
  cudaMalloc(&flag, 4);
  cudaMemset(flag, 0, 4);
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  consumer<<<1, 1, 0, a>>>(flag);
  gpm_persist_begin();
  producer<<<1, 1, 0, b>>>(flag);
  gpm_persist_end();
  return cudaStreamSynchronize(a) == cudaErrorLaunchFailure ? 7 : 0;
}
)";
  const auto call = [&](const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder, .timeout_seconds = 120, .no_input = true});
  };
  ASSERT_EQ(call({EW_PROGRAM, "build", "-O2", "seldom.cu", "-o", "seldom"}).status, 0);
  const Outcome outcome = call({EW_PROGRAM, "run", "-m", "titan-rtx-optane", "--set", "sm.count=4", "./seldom"});
  EXPECT_FALSE(outcome.timed_out);
  for (const char* part :
       {"deadlock: for 50000000 cycles all warps have polled values that nobody changes", "seldom.cu:3"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << " in\n" << outcome.output;
  fs::remove_all(folder);
}

}  // namespace
}  // namespace ew::cli
