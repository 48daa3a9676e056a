// CUDA graphs: one captured from streams that fork and join, one built node by node with kernels, copies, memset and a
// host function, parameters changed between launches. Exercises: cudaStreamBeginCapture, cudaGraphAdd*Node,
// cudaGraphLaunch.
//
// deterministic: yes
#include "check.h"

namespace {

__global__ void scale(int* cells, int n, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cells[i] *= factor;
}
__global__ void add_index(int* cells, int n, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cells[i] += i + offset;
}
__global__ void join(const int* a, const int* b, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += a[i] * 1000 + b[i];
}
void CUDART_CB count_up(void* counter) {
  ++*static_cast<int*>(counter);
}

cudaGraphExec_t instantiate(cudaGraph_t graph) {
  cudaGraphExec_t executable = nullptr;
  CUDA(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  return executable;
}

std::vector<int> captured(const std::vector<int>& in, int launches) {
  const int n = static_cast<int>(in.size()), blocks = (n + 63) / 64;
  DeviceArray<int> a(n), b(n), out(n, 0), source(in);
  cudaStream_t first, second;
  cudaEvent_t fork, joined;
  CUDA(cudaStreamCreate(&first));
  CUDA(cudaStreamCreate(&second));
  CUDA(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  CUDA(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  CUDA(cudaEventRecord(fork, first));
  CUDA(cudaStreamWaitEvent(second, fork, 0));
  CUDA(cudaMemcpyAsync(a, source, n * sizeof(int), cudaMemcpyDeviceToDevice, first));
  scale<<<blocks, 64, 0, first>>>(a, n, 3);
  CUDA(cudaMemsetAsync(b, 0, n * sizeof(int), second));
  add_index<<<blocks, 64, 0, second>>>(b, n, 5);
  CUDA(cudaEventRecord(joined, second));
  CUDA(cudaStreamWaitEvent(first, joined, 0));
  join<<<blocks, 64, 0, first>>>(a, b, out, n);
  cudaStreamCaptureStatus status;
  CUDA(cudaStreamIsCapturing(first, &status));
  EXPECT(status == cudaStreamCaptureStatusActive, "the stream should be capturing, status is %d", status);
  cudaGraph_t graph = nullptr;
  CUDA(cudaStreamEndCapture(first, &graph));
  for (int x : out.download()) EXPECT(x == 0, "nothing should run during the capture, a cell is %d", x);
  size_t nodes = 0;
  CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 5, "the graph should have 5 nodes, has %zu", nodes);
  cudaGraphExec_t executable = instantiate(graph);
  for (int i = 0; i < launches; ++i) CUDA(cudaGraphLaunch(executable, first));
  CUDA(cudaStreamSynchronize(first));
  CUDA(cudaGraphExecDestroy(executable));
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaEventDestroy(fork));
  CUDA(cudaEventDestroy(joined));
  CUDA(cudaStreamDestroy(first));
  CUDA(cudaStreamDestroy(second));
  return out.download();
}

std::vector<int> built_by_hand(const std::vector<int>& in, int* counter) {
  int n = static_cast<int>(in.size());
  DeviceArray<int> cells(n);
  std::vector<int> out(n);
  cudaGraph_t graph = nullptr;
  CUDA(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t upload, work, download, note;
  CUDA(cudaGraphAddMemcpyNode1D(&upload, graph, nullptr, 0, cells, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  int* pointer = cells;
  int factor = 7;
  void* arguments[] = {&pointer, &n, &factor};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(scale);
  kernel.gridDim = dim3((n + 63) / 64);
  kernel.blockDim = dim3(64);
  kernel.kernelParams = arguments;
  CUDA(cudaGraphAddKernelNode(&work, graph, &upload, 1, &kernel));
  CUDA(
      cudaGraphAddMemcpyNode1D(&download, graph, &work, 1, out.data(), cells, n * sizeof(int), cudaMemcpyDeviceToHost));
  cudaHostNodeParams host = {};
  host.fn = count_up;
  host.userData = counter;
  CUDA(cudaGraphAddHostNode(&note, graph, &download, 1, &host));
  cudaGraphExec_t executable = instantiate(graph);
  factor = -1;  // the graph took a copy of the arguments: this changes nothing
  CUDA(cudaGraphLaunch(executable, nullptr));
  CUDA(cudaStreamSynchronize(nullptr));
  for (int i = 0; i < n; ++i) EXPECT(out[i] == 7 * in[i], "cell %d should be %d, is %d", i, 7 * in[i], out[i]);
  factor = 11;
  CUDA(cudaGraphExecKernelNodeSetParams(executable, work, &kernel));
  CUDA(cudaGraphLaunch(executable, nullptr));
  CUDA(cudaStreamSynchronize(nullptr));
  CUDA(cudaGraphExecDestroy(executable));
  CUDA(cudaGraphDestroy(graph));
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 300, 1, 1 << 20);
  const int launches = size_argument(argc, argv, 2, 3, 1, 100);
  Random random(53);
  std::vector<int> in(n), want(n);
  for (auto& x : in) x = static_cast<int>(random.below(100));
  for (int i = 0; i < n; ++i) want[i] = launches * (in[i] * 3000 + i + 5);
  EXPECT_SAME(want, captured(in, launches), "captured");
  int counter = 0;
  for (int i = 0; i < n; ++i) want[i] = 11 * in[i];
  EXPECT_SAME(want, built_by_hand(in, &counter), "built");
  EXPECT(counter == 2, "the host function should run twice, ran %d times", counter);
  return PASS("n=%d launches=%d", n, launches);
}
