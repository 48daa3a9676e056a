// What a host does between its calls, in many shapes, with pauses of random length: `host_shapes SHAPE SEED`. The
// pauses follow from SEED and are no part of the program's meaning, so every seed must give the same run
// (tests/runtime/one_digest). Without arguments: each shape once, without pauses.
#include <poll.h>
#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include "expect.h"

namespace {

constexpr int words = 2048;
thread_local std::mt19937 dice;
unsigned seed = 0;

// Asleep (poll() with a time limit and no file is another way to sleep) or computing, up to 20 ms.
void pause_somewhat() {
  if (seed == 0) return;
  const auto length = std::chrono::microseconds(dice() % 20'000);
  const unsigned way = dice() % 3;
  if (way == 0) return std::this_thread::sleep_for(length);
  if (way == 1) return static_cast<void>(poll(nullptr, 0, static_cast<int>(length.count() / 1000)));
  const auto end = std::chrono::steady_clock::now() + length;
  while (std::chrono::steady_clock::now() < end) continue;
}

__global__ void mix(int* cells, int rounds) {
  for (int i = 0; i < rounds; ++i) atomicAdd(cells + (threadIdx.x * 33 + blockIdx.x * 7 + i) % words, i + 1);
}

void CUDART_CB pause_in_a_host_function(void* count) {
  pause_somewhat();
  ++*static_cast<std::atomic<int>*>(count);
}
void CUDART_CB pause_in_a_callback(cudaStream_t, cudaError_t, void* count) {
  pause_in_a_host_function(count);
}

struct Device {
  int* cells = nullptr;
  cudaStream_t a = nullptr, b = nullptr;
  Device() {
    CUDA(cudaMalloc(&cells, words * sizeof(int)));
    CUDA(cudaStreamCreate(&a));
    CUDA(cudaStreamCreate(&b));
    CUDA(cudaMemset(cells, 0, words * sizeof(int)));
  }
};

void launches(Device& d) {
  for (int i = 0; i < 3; ++i) {
    mix<<<2, 64>>>(d.cells, 20);
    pause_somewhat();
  }
}

void streams(Device& d) {
  for (int i = 0; i < 3; ++i) {
    mix<<<4, 128, 0, d.a>>>(d.cells, 30);
    pause_somewhat();
    mix<<<4, 128, 0, d.b>>>(d.cells, 30);
    pause_somewhat();
  }
}

void one_stream_at_a_time(Device& d) {
  mix<<<4, 128, 0, d.a>>>(d.cells, 10);
  mix<<<4, 128, 0, d.b>>>(d.cells, 90);
  CUDA(cudaStreamSynchronize(d.a));
  pause_somewhat();
  mix<<<2, 64, 0, d.a>>>(d.cells, 10);
  CUDA(cudaStreamSynchronize(d.a));
  pause_somewhat();
  mix<<<2, 64, 0, d.a>>>(d.cells, 10);
}

void events(Device& d) {
  cudaEvent_t begin, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  CUDA(cudaEventRecord(begin, d.a));
  mix<<<4, 128, 0, d.a>>>(d.cells, 30);
  pause_somewhat();
  CUDA(cudaEventRecord(end, d.a));
  CUDA(cudaStreamWaitEvent(d.b, begin, 0));
  pause_somewhat();
  mix<<<4, 128, 0, d.b>>>(d.cells, 30);
  CUDA(cudaEventSynchronize(end));
  pause_somewhat();
  mix<<<1, 32, 0, d.a>>>(d.cells, 5);
}

void queries(Device& d) {
  mix<<<8, 256, 0, d.a>>>(d.cells, 400);
  int count = 0;
  for (; cudaStreamQuery(d.a) == cudaErrorNotReady; ++count) {
    if (count < 4) pause_somewhat();
    if (count == 2) mix<<<2, 64, 0, d.b>>>(d.cells, 30);
  }
  EXPECT(count > 2, "the kernel should be seen under way, was at %d queries", count);
}

void host_functions(Device& d) {
  std::atomic<int> count{0};
  for (int i = 0; i < 2; ++i) {
    mix<<<2, 64, 0, d.a>>>(d.cells, 20);
    CUDA(cudaLaunchHostFunc(d.a, pause_in_a_host_function, &count));
    mix<<<2, 64, 0, d.a>>>(d.cells, 20);
    mix<<<2, 64, 0, d.b>>>(d.cells, 60);
    pause_somewhat();
  }
  CUDA(cudaDeviceSynchronize());
  SAME(2, count.load());
}

void CUDART_CB give(void* semaphore) {
  sem_post(static_cast<sem_t*>(semaphore));
}

// A host function wakes a thread that uses CUDA, with work behind the function and nobody that waits for it.
void host_functions_wake(Device& d) {
  sem_t woken;
  sem_init(&woken, 0, 0);
  std::thread submits([&] {
    dice.seed(seed + 1000);
    while (sem_wait(&woken) != 0) continue;
    pause_somewhat();
    mix<<<2, 64, 0, d.b>>>(d.cells, 60);
  });
  mix<<<2, 64, 0, d.a>>>(d.cells, 20);
  CUDA(cudaLaunchHostFunc(d.a, give, &woken));
  for (int i = 0; i < 4; ++i) mix<<<2, 64, 0, d.a>>>(d.cells, 400);
  CUDA(cudaStreamSynchronize(d.a));
  submits.join();
}

void callbacks(Device& d) {
  std::atomic<int> count{0};
  for (int i = 0; i < 2; ++i) {
    mix<<<2, 64, 0, d.a>>>(d.cells, 20);
    CUDA(cudaStreamAddCallback(d.a, pause_in_a_callback, &count, 0));
    mix<<<2, 64, 0, d.b>>>(d.cells, 60);
    pause_somewhat();
  }
  CUDA(cudaDeviceSynchronize());
  SAME(2, count.load());
}

void managed_after_synchronising(Device&) {
  int* cells = nullptr;
  CUDA(cudaMallocManaged(&cells, words * sizeof(int)));
  memset(cells, 0, words * sizeof(int));
  for (int i = 0; i < 2; ++i) {
    mix<<<2, 64>>>(cells, 20);
    pause_somewhat();
    CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < words; ++k) cells[k] += k;
    pause_somewhat();
  }
  CUDA(cudaFree(cells));
}

// The host fills the next piece and reads an older one while work is queued.
void pinned_pieces(Device& d) {
  int* host = nullptr;
  CUDA(cudaMallocHost(&host, words * sizeof(int)));
  memset(host, 0, words * sizeof(int));
  cudaStream_t both[] = {d.a, d.b};
  constexpr int piece = words / 4;
  long sum = 0;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < piece; ++k) host[i * piece + k] = i + k;
    pause_somewhat();
    CUDA(cudaMemcpyAsync(d.cells + i * piece, host + i * piece, piece * sizeof(int), cudaMemcpyHostToDevice,
                         both[i % 2]));
    mix<<<2, 64, 0, both[i % 2]>>>(d.cells, 20);
    for (int k = 0; i > 0 && k < piece; ++k) sum += host[(i - 1) * piece + k];
  }
  CUDA(cudaStreamSynchronize(d.a));
  for (int k = 0; k < piece; ++k) sum += host[k];
  pause_somewhat();
  CUDA(cudaDeviceSynchronize());
  EXPECT(sum > 0, "the host should read what it wrote, sum %ld", sum);
  CUDA(cudaFreeHost(host));
}

void copies(Device& d) {
  std::vector<int> host(words, 1);
  for (int i = 0; i < 3; ++i) {
    CUDA(cudaMemcpyAsync(d.cells, host.data(), words * sizeof(int), cudaMemcpyHostToDevice, d.a));
    pause_somewhat();
    mix<<<2, 64, 0, d.a>>>(d.cells, 20);
    mix<<<2, 64, 0, d.b>>>(d.cells, 20);
    pause_somewhat();
    CUDA(cudaMemcpy(host.data(), d.cells, words * sizeof(int), cudaMemcpyDeviceToHost));
  }
}

void graphs(Device& d) {
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  CUDA(cudaStreamBeginCapture(d.a, cudaStreamCaptureModeGlobal));
  mix<<<2, 64, 0, d.a>>>(d.cells, 20);
  pause_somewhat();
  mix<<<2, 64, 0, d.a>>>(d.cells, 20);
  CUDA(cudaStreamEndCapture(d.a, &graph));
  CUDA(cudaGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
  for (int i = 0; i < 3; ++i) {
    CUDA(cudaGraphLaunch(instance, d.a));
    pause_somewhat();
    mix<<<2, 64, 0, d.b>>>(d.cells, 20);
    pause_somewhat();
  }
}

// Each thread has its own stream, and what it does with the others it does through CUDA.
void threads(Device& d) {
  std::vector<std::thread> crew;
  cudaEvent_t half;
  CUDA(cudaEventCreate(&half));
  mix<<<1, 64, 0, d.a>>>(d.cells, 5);
  CUDA(cudaEventRecord(half, d.a));
  CUDA(cudaDeviceSynchronize());
  cudaStream_t own[] = {d.a, d.b, nullptr};
  CUDA(cudaStreamCreateWithFlags(&own[2], cudaStreamNonBlocking));
  for (unsigned id = 0; id < 3; ++id)
    crew.emplace_back([&, id] {
      dice.seed(seed * 10 + id);
      for (int i = 0; i < 2; ++i) {
        pause_somewhat();
        mix<<<2, 64, 0, own[id]>>>(d.cells, 20 + 10 * id);
        CUDA(cudaStreamWaitEvent(own[id], half, 0));
        mix<<<2, 64, 0, own[id]>>>(d.cells, 10);
        pause_somewhat();
        CUDA(cudaStreamSynchronize(own[id]));
      }
    });
  for (auto& thread : crew) thread.join();
}

void prefetches(Device& d) {
  int* cells = nullptr;
  CUDA(cudaMallocManaged(&cells, words * sizeof(int)));
  memset(cells, 0, words * sizeof(int));
  for (int i = 0; i < 2; ++i) {
    CUDA(cudaMemPrefetchAsync(cells, words * sizeof(int), 0, d.a));
    pause_somewhat();
    mix<<<2, 64, 0, d.a>>>(cells, 20);
    mix<<<2, 64, 0, d.b>>>(d.cells, 20);
    pause_somewhat();
    CUDA(cudaMemPrefetchAsync(cells, words * sizeof(int), cudaCpuDeviceId, d.a));
  }
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaFree(cells));
}

void stream_ordered_memory(Device& d) {
  for (int i = 0; i < 3; ++i) {
    int* cells = nullptr;
    CUDA(cudaMallocAsync(&cells, words * sizeof(int), d.a));
    pause_somewhat();
    CUDA(cudaMemsetAsync(cells, 0, words * sizeof(int), d.a));
    mix<<<2, 64, 0, d.a>>>(cells, 20);
    pause_somewhat();
    CUDA(cudaFreeAsync(cells, d.a));
    mix<<<2, 64, 0, d.b>>>(d.cells, 20);
  }
}

void default_stream(Device& d) {
  for (int i = 0; i < 2; ++i) {
    mix<<<2, 64, 0, d.a>>>(d.cells, 20);
    pause_somewhat();
    mix<<<2, 64>>>(d.cells, 20);
    pause_somewhat();
    mix<<<2, 64, 0, d.b>>>(d.cells, 20);
    mix<<<2, 64, 0, cudaStreamPerThread>>>(d.cells, 20);
  }
}

// More commands than a device takes in: the host has to wait for room.
void many(Device& d) {
  for (int i = 0; i < 700; ++i) {
    mix<<<1, 32, 0, i % 2 ? d.a : d.b>>>(d.cells, 2);
    if (i % 100 == 0) pause_somewhat();
  }
}

// The program ends with work in its queue.
void early_exit(Device& d) {
  mix<<<2, 64, 0, d.a>>>(d.cells, 20);
  pause_somewhat();
  mix<<<2, 64, 0, d.b>>>(d.cells, 20);
  pause_somewhat();
  exit(0);
}

const struct {
  const char* name;
  void (*run)(Device&);
} shapes[] = {{"launches", launches},
              {"streams", streams},
              {"one_stream_at_a_time", one_stream_at_a_time},
              {"events", events},
              {"queries", queries},
              {"host_functions", host_functions},
              {"host_functions_wake", host_functions_wake},
              {"callbacks", callbacks},
              {"managed_after_synchronising", managed_after_synchronising},
              {"pinned_pieces", pinned_pieces},
              {"copies", copies},
              {"graphs", graphs},
              {"threads", threads},
              {"prefetches", prefetches},
              {"stream_ordered_memory", stream_ordered_memory},
              {"default_stream", default_stream},
              {"many", many},
              {"early_exit", early_exit}};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) seed = static_cast<unsigned>(atoi(argv[2]));
  dice.seed(seed);
  Device device;
  int ran = 0;
  for (const auto& shape : shapes) {
    if (argc > 1 ? shape.name != std::string(argv[1]) : shape.run == early_exit) continue;
    shape.run(device);
    CUDA(cudaDeviceSynchronize());
    ++ran;
  }
  EXPECT(ran > 0, "there is no shape %s", argv[1]);
  return PASS("shapes=%d", ran);
}
