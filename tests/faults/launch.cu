// Launches and modules that are refused, and host code that goes wrong around them.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string>

#include "outcome.h"

__device__ int sink;

namespace {

__global__ void plain(int* cell) {
  *cell = 1;  // @plain
}
__global__ void nothing() {}  // @nothing
__global__ void __launch_bounds__(64) bounded() {
  sink = 1;
}
__global__ void much_shared() {
  __shared__ int cells[8192];
  cells[threadIdx.x] = 1;
  __syncthreads();
  sink = cells[0];
}
struct Large {
  char bytes[4000];
};
__global__ void large_parameter(Large large, int i) {
  sink = large.bytes[i];
}

void zero_blocks() {
  nothing<<<0, 32>>>();
}
void zero_threads() {
  nothing<<<1, 0>>>();
}
void zero_depth() {
  nothing<<<dim3(1, 1, 0), 32>>>();
}
void many_threads() {
  nothing<<<1, 1025>>>();
}
void tall_block() {
  nothing<<<1, dim3(1, 1, 65)>>>();
}
void overflowing_block() {
  nothing<<<1, dim3(1u << 22, 1u << 21, 1u << 21)>>>();
}
void tall_grid() {
  nothing<<<dim3(1, 65536), 1>>>();
}
void wide_grid() {
  nothing<<<0x80000000u, 1>>>();
}
void launch_bound() {
  bounded<<<1, 65>>>();
}
void dynamic_shared() {
  nothing<<<1, 32, 1 << 20>>>();
}
void both_shared() {
  much_shared<<<1, 32, 20000>>>();
}
void huge_shared() {
  nothing<<<1, 32, (size_t{1} << 32) + 16>>>();
}
void cooperative() {
  const cudaError_t error =
      cudaLaunchCooperativeKernel(reinterpret_cast<void*>(nothing), dim3(1 << 20), dim3(64), nullptr, 0, nullptr);
  printf("cooperative launch %s\n", cudaGetErrorName(error));
}
void null_kernel() {
  printf("launch of null %s\n", cudaGetErrorName(cudaLaunchKernel(nullptr, dim3(1), dim3(1), nullptr, 0, nullptr)));
}
void host_function() {
  printf("launch of a host function %s\n", cudaGetErrorName(cudaLaunchKernel(reinterpret_cast<void*>(zero_blocks),
                                                                             dim3(1), dim3(1), nullptr, 0, nullptr)));
}
void null_arguments() {
  const auto kernel = reinterpret_cast<void*>(plain);
  printf("no arguments %s\n", cudaGetErrorName(cudaLaunchKernel(kernel, dim3(1), dim3(1), nullptr, 0, nullptr)));
  void* arguments[1] = {nullptr};
  printf("null argument %s\n", cudaGetErrorName(cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, nullptr)));
}
void bad_stream() {
  const auto stream = reinterpret_cast<cudaStream_t>(0x1234567);
  nothing<<<1, 1, 0, stream>>>();
}
void destroyed_stream() {
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamDestroy(stream);
  nothing<<<1, 1, 0, stream>>>();
}

// The largest grid there is starts; the instruction limit ends it.
void largest_grid() {
  nothing<<<dim3(2147483647, 65535, 65535), 1>>>();
  printf("largest grid %s, running: %s\n", cudaGetErrorName(cudaGetLastError()),
         cudaGetErrorName(cudaStreamQuery(nullptr)));
}

void load(const char* what, const char* text) {
  cudaFree(nullptr);
  CUmodule module = nullptr;
  const CUresult result = cuModuleLoadData(&module, text);
  const char* name = "?";
  cuGetErrorName(result, &name);
  printf("%s: %s\n", what, name);
}
#define HEAD ".version 7.8\n.target sm_70\n.address_size 64\n"
void modules() {
  load("no PTX", "this is no PTX");
  load("empty", "");
  load("half a kernel", HEAD ".visible .entry k(.param .u64 p) {\n  .reg .b32 %r<3>;\n  mov.u32 %r1, ");
  load("unknown register", HEAD ".visible .entry k() {\n  mov.u32 %r1, 5;\n  ret;\n}\n");
  load("unknown instruction",
       HEAD ".visible .entry k() {\n  .reg .b32 %r<3>;\n  frobnicate.u32 %r1, %r2;\n  ret;\n}\n");
  load("unsupported form", HEAD ".visible .entry k() {\n  .reg .b32 %r<3>;\n  add.rn.u32 %r1, %r2, %r2;\n  ret;\n}\n");
  load("unknown function", HEAD
       ".extern .func who(.param .b32 x);\n.visible .entry k() {\n  .param .b32 a;\n  call who, (a);\n  ret;\n}\n");
  load("unknown everwarp operation", HEAD
       ".visible .entry k() {\n  .pragma \"everwarp.nonsense\";\n  membar.gl;\n  .pragma \"everwarp.end\";\n  "
       "ret;\n}\n");
}

void throwing_callback(void*) {
  throw std::runtime_error("thrown in a host function");
}
void callback_throws() {
  const pid_t child = fork();
  if (child == 0) {
    std::set_terminate([] {
      fputs("terminated\n", stdout);
      fflush(stdout);
      _exit(3);
    });
    cudaLaunchHostFunc(nullptr, throwing_callback, nullptr);
    cudaDeviceSynchronize();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("exit status %d\n", WEXITSTATUS(status));
}

// A child that inherits a running machine has no thread of it: it gets an error, not a wait without end.
void forked_child() {
  cudaFree(nullptr);
  nothing<<<1, 1>>>();
  cudaDeviceSynchronize();
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    void* memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, 100);
    nothing<<<1, 1>>>();
    printf("child: %s, %s, %s\n", cudaGetErrorName(error), cudaGetErrorName(cudaGetLastError()),
           cudaGetErrorName(cudaDeviceSynchronize()));
    fflush(stdout);
    exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("%s %d\n", WIFSIGNALED(status) ? "signal" : "exit status",
         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

// A segmentation fault of the host's own code stays one.
void host_segfault() {
  const pid_t child = fork();
  if (child == 0) {
    cudaFree(nullptr);
    nothing<<<1, 1>>>();
    cudaDeviceSynchronize();
    *reinterpret_cast<volatile int*>(16) = 1;
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("%s\n", WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "no signal");
}

void host_reads_device_memory() {
  const pid_t child = fork();
  if (child == 0) {
    volatile int* shared_window = reinterpret_cast<int*>(0x3f0000000000);
    cudaFree(nullptr);
    *shared_window = 1;
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("%s\n", WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "no signal");
}

int handled = 0;
void handler(int) {
  ++handled;
}
void signals() {
  signal(SIGUSR1, handler);
  signal(SIGALRM, handler);
  int* cell = device(1);
  raise(SIGUSR1);
  ualarm(1000, 1000);
  for (int i = 0; i < 200; ++i) plain<<<1, 32>>>(cell);
  cudaDeviceSynchronize();
  ualarm(0, 0);
  printf("handlers ran: %s\n", handled > 0 ? "yes" : "no");
}

void fault_in_one_of_two_streams() {
  cudaStream_t one = nullptr, two = nullptr;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  plain<<<1, 1, 0, one>>>(nullptr);
  for (int i = 0; i < 5; ++i) plain<<<1, 1, 0, two>>>(nullptr);
  printf("stream two %s\n", cudaGetErrorName(cudaStreamSynchronize(two)));
  printf("free %s\n", cudaGetErrorName(cudaFree(nullptr)));
  printf("last %s, again %s\n", cudaGetErrorName(cudaGetLastError()), cudaGetErrorName(cudaGetLastError()));
}

}  // namespace

#define CASE(name) \
  Fault {          \
#name, name    \
  }
FAULTS(CASE(zero_blocks), CASE(zero_threads), CASE(zero_depth), CASE(many_threads), CASE(tall_block),
       CASE(overflowing_block), CASE(tall_grid), CASE(wide_grid), CASE(launch_bound), CASE(dynamic_shared),
       CASE(both_shared), CASE(huge_shared), CASE(cooperative), CASE(null_kernel), CASE(host_function),
       CASE(null_arguments), CASE(bad_stream), CASE(destroyed_stream), CASE(largest_grid), CASE(modules),
       CASE(callback_throws), CASE(forked_child), CASE(host_segfault), CASE(host_reads_device_memory), CASE(signals),
       CASE(fault_in_one_of_two_streams))
