// Part of a measured program: linked beside it with --wrap; the program itself stays as it is. Puts an event before
// and behind each launch, and prints at the end how long all were: "kernel_time_ns NANOSECONDS launches COUNT".
// The same source measures a real GPU (nvcc) and a simulated one (ew build).
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

namespace {

struct Launch {
  cudaEvent_t begin, end;
};

std::vector<Launch> launches;

/// Events are recorded while nothing is captured into a graph: a launch there has no time of its own.
template <class Work>
cudaError_t timed(cudaStream_t stream, Work&& work) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  Launch launch{};
  if (cudaStreamIsCapturing(stream, &capture) != cudaSuccess || capture != cudaStreamCaptureStatusNone ||
      cudaEventCreate(&launch.begin) != cudaSuccess || cudaEventCreate(&launch.end) != cudaSuccess)
    return work();
  cudaEventRecord(launch.begin, stream);
  const cudaError_t error = work();
  cudaEventRecord(launch.end, stream);
  if (error == cudaSuccess) launches.push_back(launch);
  return error;
}

}  // namespace

extern "C" {

int __real_main(int, char**);
cudaError_t __real_cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t __real_cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
/// What kernel<<<>>> calls since CUDA 13; before, there is none.
__attribute__((weak)) cudaError_t __real___cudaLaunchKernel(void*, dim3, dim3, void**, size_t, cudaStream_t);

cudaError_t __wrap_cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                    cudaStream_t stream) {
  return timed(stream, [&] { return __real_cudaLaunchKernel(kernel, grid, block, arguments, shared, stream); });
}

cudaError_t __wrap___cudaLaunchKernel(void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                      cudaStream_t stream) {
  return timed(stream, [&] { return __real___cudaLaunchKernel(kernel, grid, block, arguments, shared, stream); });
}

cudaError_t __wrap_cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                               size_t shared, cudaStream_t stream) {
  return timed(stream,
               [&] { return __real_cudaLaunchCooperativeKernel(kernel, grid, block, arguments, shared, stream); });
}

int __wrap_main(int count, char** words) {
  const int status = __real_main(count, words);
  double nanoseconds = 0;
  for (const Launch& launch : launches) {
    float milliseconds = 0;
    cudaEventSynchronize(launch.end);
    if (cudaEventElapsedTime(&milliseconds, launch.begin, launch.end) != cudaSuccess) {
      std::fprintf(stderr, "FAIL a launch has no time\n");
      return 1;
    }
    nanoseconds += milliseconds * 1e6;
  }
  std::fprintf(stderr, "kernel_time_ns %.1f launches %zu\n", nanoseconds, launches.size());
  return status;
}
}
