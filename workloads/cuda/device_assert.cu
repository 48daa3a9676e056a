// Assertions in device code: those that hold cost nothing visible; one that fails ends the kernel with cudaErrorAssert
// and a message on stderr, and the error is sticky until the device is reset. Exercises: assert, sticky errors,
// cudaDeviceReset.
//
// deterministic: yes
#include <unistd.h>

#include <cassert>
#include <string>

#include "check.h"

namespace {

__global__ void sorted(const int* cells, int n, int* done) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) assert(cells[i] <= cells[i + 1]);
  assert(n > 0 && "there is something to look at");
  if (i < n) atomicAdd(done, 1);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 200, 3, 1 << 20);
  const int blocks = (n + 63) / 64;
  std::vector<int> cells(n);
  for (int i = 0; i < n; ++i) cells[i] = i / 2;
  {
    DeviceArray<int> device_cells(cells), done(1, 0);
    sorted<<<blocks, 64>>>(device_cells, n, done);
    FINISH_KERNEL();
    EXPECT(done.download()[0] == n, "%d threads should finish, %d did", n, done.download()[0]);
  }
  std::swap(cells[n / 2], cells[0]);
  int* device_cells = nullptr;
  CUDA(cudaMalloc(&device_cells, (n + 1) * sizeof(int)));
  CUDA(cudaMemcpy(device_cells, cells.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CUDA(cudaMemset(device_cells + n, 0, sizeof(int)));

  fflush(stderr);
  const int saved = dup(2);
  FILE* caught = tmpfile();
  EXPECT(saved >= 0 && caught != nullptr, "the standard error stream should be divertible");
  dup2(fileno(caught), 2);
  sorted<<<blocks, 64>>>(device_cells, n, device_cells + n);
  const cudaError_t launched = cudaGetLastError(), finished = cudaDeviceSynchronize();
  fflush(stderr);
  dup2(saved, 2);
  close(saved);
  EXPECT(launched == cudaSuccess, "the launch itself should succeed, is %s", cudaGetErrorName(launched));
  EXPECT(finished == cudaErrorAssert, "the kernel should end with cudaErrorAssert, is %s", cudaGetErrorName(finished));
  std::string message(65536, '\0');
  rewind(caught);
  message.resize(fread(&message[0], 1, message.size(), caught));
  fclose(caught);
  EXPECT(message.find("cells[i] <= cells[i + 1]") != std::string::npos, "stderr should name the assertion, says: %s",
         message.c_str());
  EXPECT(message.find("device_assert.cu") != std::string::npos, "stderr should name the file, says: %s",
         message.c_str());

  void* more = nullptr;
  const cudaError_t after = cudaMalloc(&more, 16);
  EXPECT(after == cudaErrorAssert, "the error should be sticky, cudaMalloc gave %s", cudaGetErrorName(after));
  cudaDeviceReset();
  cudaGetLastError();
  std::sort(cells.begin(), cells.end());
  DeviceArray<int> again(cells), done(1, 0);
  sorted<<<blocks, 64>>>(again, n, done);
  FINISH_KERNEL();
  EXPECT(done.download()[0] == n, "after the reset %d threads should finish, %d did", n, done.download()[0]);
  return PASS("n=%d", n);
}
