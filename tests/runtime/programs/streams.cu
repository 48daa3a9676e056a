// Streams and events: what is ordered, what runs side by side, what simulated time says, and who waits for whom.
#include <atomic>
#include <thread>

#include "expect.h"

namespace {

__global__ void add(int* cell, int n) {
  for (int i = 0; i < n; ++i) *static_cast<volatile int*>(cell) = *cell + 1;
}
__global__ void store(int* cell, int value) {
  *cell = value;
}
__global__ void copy_cell(int* to, const int* from) {
  *to = *from;
}
__global__ void wait_for(const volatile int* flag, int value, int* seen) {
  while (*flag != value) __nanosleep(100);
  *seen = *flag;
}
__global__ void produce(volatile int* ring, volatile int* head, const volatile int* tail, int n) {
  for (int i = 0; i < n; ++i) {
    while (i - *tail >= 4) continue;
    ring[i % 4] = i * i;
    __threadfence();
    *head = i + 1;
  }
}
__global__ void consume(const volatile int* ring, const volatile int* head, volatile int* tail, int n, int* sum) {
  for (int i = 0; i < n; ++i) {
    while (*head <= i) continue;
    __threadfence();
    *sum += ring[i % 4];
    __threadfence();
    *tail = i + 1;
  }
}

int value_of(const int* cell) {
  int value = -1;
  CUDA(cudaMemcpy(&value, cell, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

struct Stream {
  cudaStream_t handle = nullptr;
  explicit Stream(unsigned flags = cudaStreamDefault) { CUDA(cudaStreamCreateWithFlags(&handle, flags)); }
  ~Stream() { cudaStreamDestroy(handle); }
  operator cudaStream_t() const { return handle; }
};

// The consumer is launched first and the producer's ring is small: neither can end without the other.
void producer_and_consumer_side_by_side() {
  Stream first, second;
  DeviceArray<int> ring(4, 0), ends(2, 0), sum(1, 0);
  consume<<<1, 1, 0, first>>>(ring, ends, ends + 1, 100, sum);
  produce<<<1, 1, 0, second>>>(ring, ends, ends + 1, 100);
  FINISH_KERNEL();
  SAME(328350, value_of(sum));
}

void a_stream_is_in_order() {
  Stream stream;
  DeviceArray<int> cell(1, 0);
  int values[3] = {};
  int* pinned = nullptr;
  CUDA(cudaMallocHost(&pinned, 3 * sizeof(int)));
  for (int i = 0; i < 3; ++i) {
    store<<<1, 1, 0, stream>>>(cell, 10 * i);
    add<<<1, 1, 0, stream>>>(cell, 3);
    CUDA(cudaMemcpyAsync(pinned + i, cell, sizeof(int), cudaMemcpyDeviceToHost, stream));
  }
  CUDA(cudaStreamSynchronize(stream));
  for (int i = 0; i < 3; ++i) SAME(10 * i + 3, pinned[i]);
  // A pageable source is taken at the call.
  values[0] = 77;
  CUDA(cudaMemcpyAsync(cell, values, sizeof(int), cudaMemcpyHostToDevice, stream));
  values[0] = 0;
  CUDA(cudaStreamSynchronize(stream));
  SAME(77, value_of(cell));
  CUDA(cudaFreeHost(pinned));
}

// The legacy stream waits for blocking streams and they for it; a non-blocking stream does neither.
void the_default_stream() {
  Stream blocking, free_running(cudaStreamNonBlocking);
  DeviceArray<int> cells(3, 0);
  int* flag = nullptr;
  CUDA(cudaMallocHost(&flag, sizeof(int)));
  *flag = 0;
  wait_for<<<1, 1, 0, blocking>>>(flag, 1, cells);
  copy_cell<<<1, 1>>>(cells + 1, cells);  // behind the blocking stream's kernel
  store<<<1, 1, 0, free_running>>>(cells + 2, 5);
  CUDA(cudaStreamSynchronize(free_running));
  RETURNS(cudaErrorNotReady, cudaStreamQuery(nullptr));
  RETURNS(cudaErrorNotReady, cudaStreamQuery(blocking));
  RETURNS(cudaSuccess, cudaStreamQuery(free_running));
  *flag = 1;
  CUDA(cudaStreamSynchronize(nullptr));
  SAME(1, value_of(cells + 1));
  SAME(5, value_of(cells + 2));
  // And the other way round: a blocking stream's work waits for the legacy stream's.
  *flag = 0;
  wait_for<<<1, 1>>>(flag, 2, cells);
  copy_cell<<<1, 1, 0, blocking>>>(cells + 1, cells);
  RETURNS(cudaErrorNotReady, cudaStreamQuery(blocking));
  *flag = 2;
  CUDA(cudaStreamSynchronize(blocking));
  SAME(2, value_of(cells + 1));
  CUDA(cudaFreeHost(flag));
}

void events_order_streams() {
  Stream first, second;
  cudaEvent_t done;
  CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  DeviceArray<int> cells(2, 0);
  int* flag = nullptr;
  CUDA(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
  *flag = 0;
  RETURNS(cudaSuccess, cudaEventQuery(done));  // never recorded: nothing to wait for
  CUDA(cudaStreamWaitEvent(second, done, 0));
  wait_for<<<1, 1, 0, first>>>(flag, 9, cells);
  CUDA(cudaEventRecord(done, first));
  CUDA(cudaStreamWaitEvent(second, done, 0));
  copy_cell<<<1, 1, 0, second>>>(cells + 1, cells);
  RETURNS(cudaErrorNotReady, cudaEventQuery(done));
  RETURNS(cudaErrorNotReady, cudaStreamQuery(second));
  CUDA(cudaEventDestroy(done));  // what waits for it goes on waiting
  *flag = 9;
  CUDA(cudaStreamSynchronize(second));
  SAME(9, value_of(cells + 1));
  CUDA(cudaFreeHost(flag));
}

void simulated_times() {
  cudaEvent_t begin, middle, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&middle));
  CUDA(cudaEventCreate(&end));
  DeviceArray<int> cell(1, 0);
  float milliseconds[2][2];
  for (auto& run : milliseconds) {
    CUDA(cudaEventRecord(begin));
    add<<<1, 1>>>(cell, 10000);
    CUDA(cudaEventRecord(middle));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the host's pace is no simulated time
    add<<<1, 1>>>(cell, 100000);
    CUDA(cudaEventRecord(end));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&run[0], begin, middle));
    CUDA(cudaEventElapsedTime(&run[1], middle, end));
    EXPECT(run[0] > 0 && run[1] > 5 * run[0] && run[1] < 20 * run[0],
           "ten times the work should take about ten times as long: %g and %g ms", run[0], run[1]);
  }
  const auto same = [](float a, float b) { return std::fabs(a - b) < 3e-6f; };  // cycles become whole nanoseconds
  EXPECT(same(milliseconds[0][0], milliseconds[1][0]) && same(milliseconds[0][1], milliseconds[1][1]),
         "the same work should take the same time, took %.9g, %.9g and %.9g, %.9g ms", milliseconds[0][0],
         milliseconds[0][1], milliseconds[1][0], milliseconds[1][1]);
  // A copy costs its bytes at the link's rate.
  std::vector<char> bytes(64 << 20);
  DeviceArray<char> big(bytes.size());
  float small_time = 0, big_time = 0;
  for (size_t count : {bytes.size() / 4, bytes.size()}) {
    CUDA(cudaEventRecord(begin));
    CUDA(cudaMemcpy(big, bytes.data(), count, cudaMemcpyHostToDevice));
    CUDA(cudaEventRecord(end));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(count == bytes.size() ? &big_time : &small_time, begin, end));
  }
  EXPECT(big_time > 3 * small_time && big_time < 4.5 * small_time, "copies should cost by the byte: %g and %g ms",
         small_time, big_time);
  // Two kernels in two streams overlap, in one they do not.
  Stream first, second;
  float beside = 0, behind = 0;
  for (bool both : {true, false}) {
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaEventRecord(begin));
    add<<<1, 1, 0, first>>>(cell, 20000);
    add<<<1, 1, 0, both ? second : first>>>(cell, 20000);
    CUDA(cudaEventRecord(end));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(both ? &beside : &behind, begin, end));
  }
  EXPECT(behind > 1.7 * beside, "side by side should be faster than one after the other: %g and %g ms", beside, behind);
  CUDA(cudaEventDestroy(begin));
  CUDA(cudaEventDestroy(middle));
  CUDA(cudaEventDestroy(end));
}

struct Call {
  std::atomic<int>* order;
  int at = -1;
  cudaError_t inside = cudaSuccess;
  std::thread::id thread;
};

void CUDART_CB host_function(void* data) {
  auto* call = static_cast<Call*>(data);
  call->inside = cudaDeviceSynchronize();  // CUDA calls are forbidden here
  call->thread = std::this_thread::get_id();
  call->at = (*call->order)++;
}
void CUDART_CB callback(cudaStream_t, cudaError_t status, void* data) {
  auto* call = static_cast<Call*>(data);
  call->inside = status;
  call->at = (*call->order)++;
}

void host_functions_stand_in_order() {
  Stream stream;
  std::atomic<int> order{0};
  Call first{&order}, second{&order}, third{&order};
  DeviceArray<int> cell(1, 0);
  int* seen = nullptr;
  CUDA(cudaMallocHost(&seen, 2 * sizeof(int)));
  store<<<1, 1, 0, stream>>>(cell, 4);
  CUDA(cudaMemcpyAsync(seen, cell, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA(cudaLaunchHostFunc(stream, host_function, &first));
  store<<<1, 1, 0, stream>>>(cell, 5);
  CUDA(cudaStreamAddCallback(stream, callback, &second, 0));
  CUDA(cudaLaunchHostFunc(stream, host_function, &third));
  CUDA(cudaMemcpyAsync(seen + 1, cell, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  SAME(0, first.at);
  SAME(1, second.at);
  SAME(2, third.at);
  SAME(cudaErrorNotPermitted, first.inside);
  SAME(cudaSuccess, second.inside);
  EXPECT(first.thread != std::this_thread::get_id(), "a host function should run on a thread of the runtime");
  SAME(4, seen[0]);
  SAME(5, seen[1]);
  RETURNS(cudaErrorInvalidValue, cudaLaunchHostFunc(stream, nullptr, nullptr));
  RETURNS(cudaErrorInvalidValue, cudaStreamAddCallback(stream, nullptr, nullptr, 0));
  RETURNS(cudaErrorInvalidValue, cudaStreamAddCallback(stream, callback, nullptr, 1));
  CUDA(cudaFreeHost(seen));
}

void stream_properties() {
  int least = 1, greatest = 1, priority = 1;
  CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(least == 0 && greatest < 0, "priorities should go from 0 down, go from %d to %d", least, greatest);
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 10));
  CUDA(cudaStreamGetPriority(stream, &priority));
  SAME(greatest, priority);
  unsigned flags = 0;
  CUDA(cudaStreamGetFlags(stream, &flags));
  SAME(cudaStreamNonBlocking, flags);
  CUDA(cudaStreamDestroy(stream));
  RETURNS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(stream));
  RETURNS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(nullptr));
  RETURNS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
  RETURNS(cudaErrorInvalidValue, cudaStreamCreate(nullptr));
  RETURNS(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 0x80));
}

void event_errors() {
  cudaEvent_t timed, untimed, dead;
  float time = 0;
  CUDA(cudaEventCreate(&timed));
  CUDA(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming | cudaEventBlockingSync));
  CUDA(cudaEventCreate(&dead));
  CUDA(cudaEventDestroy(dead));
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&time, timed, timed));  // not recorded
  CUDA(cudaEventRecord(timed));
  CUDA(cudaEventRecord(untimed));
  CUDA(cudaDeviceSynchronize());
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&time, timed, untimed));
  RETURNS(cudaErrorInvalidValue, cudaEventElapsedTime(nullptr, timed, timed));
  RETURNS(cudaSuccess, cudaEventElapsedTime(&time, timed, timed));
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventRecord(dead));
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventDestroy(dead));
  RETURNS(cudaErrorInvalidResourceHandle, cudaEventQuery(nullptr));
  RETURNS(cudaErrorInvalidValue, cudaEventCreateWithFlags(&dead, 0x100));
  RETURNS(cudaErrorInvalidValue, cudaEventCreateWithFlags(&dead, cudaEventInterprocess));
  CUDA(cudaEventDestroy(timed));
  CUDA(cudaEventDestroy(untimed));
}

// Each thread has a default stream of its own beside the shared one.
void host_threads_and_their_streams() {
  constexpr int kThreads = 4, kRounds = 25;
  DeviceArray<int> cells(kThreads, 0);
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        add<<<1, 1, 0, t % 2 ? cudaStreamPerThread : cudaStreamLegacy>>>(cells + t, 2);
        if (cudaGetLastError() != cudaSuccess || cudaStreamSynchronize(cudaStreamPerThread) != cudaSuccess) ++failures;
      }
      if (cudaSetDevice(99) != cudaErrorInvalidDevice || cudaGetLastError() != cudaErrorInvalidDevice) ++failures;
    });
  for (auto& thread : threads) thread.join();
  CUDA(cudaDeviceSynchronize());
  SAME(0, failures.load());
  RETURNS(cudaSuccess, cudaGetLastError());  // another thread's error is not this one's
  for (int t = 0; t < kThreads; ++t) SAME(2 * kRounds, value_of(cells + t));
}

void graphs_of_captured_streams() {
  Stream first, second;
  cudaEvent_t fork, join;
  CUDA(cudaEventCreate(&fork));
  CUDA(cudaEventCreate(&join));
  DeviceArray<int> cells(2, 0);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, first>>>(cells, 1);
  CUDA(cudaEventRecord(fork, first));
  CUDA(cudaStreamWaitEvent(second, fork, 0));
  add<<<1, 1, 0, second>>>(cells + 1, 2);
  CUDA(cudaEventRecord(join, second));
  add<<<1, 1, 0, first>>>(cells, 1);
  CUDA(cudaStreamWaitEvent(first, join, 0));
  RETURNS(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(second, &graph));
  CUDA(cudaStreamEndCapture(first, &graph));
  CUDA(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  SAME(0, value_of(cells));  // nothing has run yet
  for (int i = 0; i < 5; ++i) CUDA(cudaGraphLaunch(exec, first));
  CUDA(cudaStreamSynchronize(first));
  SAME(10, value_of(cells));
  SAME(10, value_of(cells + 1));
  size_t nodes = 0;
  CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  SAME(3, nodes);
  CUDA(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  RETURNS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(first));
  RETURNS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(first, &graph));
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaEventDestroy(fork));
  CUDA(cudaEventDestroy(join));
}

/// The legacy stream waits for blocking streams, so it must stay idle beside their captures, in every mode.
void the_legacy_stream_beside_captures() {
  Stream blocking;
  cudaStream_t other;
  cudaStreamCaptureStatus status;
  cudaGraph_t graph;
  DeviceArray<int> cells(1, 0);
  CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  for (const auto mode :
       {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    CUDA(cudaStreamBeginCapture(blocking, mode));
    RETURNS(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(nullptr, &status));
    CUDA(cudaStreamIsCapturing(blocking, &status));
    SAME(cudaStreamCaptureStatusActive, status);
    add<<<1, 1>>>(cells, 1);
    SAME(cudaErrorStreamCaptureImplicit, cudaGetLastError());
    RETURNS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(blocking, &graph));
    CUDA(cudaStreamBeginCapture(blocking, mode));
    RETURNS(cudaErrorStreamCaptureImplicit, cudaStreamSynchronize(nullptr));
    RETURNS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(blocking, &graph));
    CUDA(cudaStreamBeginCapture(other, mode));  // the legacy stream does not wait for this one
    CUDA(cudaStreamIsCapturing(nullptr, &status));
    SAME(cudaStreamCaptureStatusNone, status);
    add<<<1, 1>>>(cells, 1);
    CUDA(cudaGetLastError());
    CUDA(cudaStreamSynchronize(nullptr));
    CUDA(cudaStreamEndCapture(other, &graph));
    CUDA(cudaGraphDestroy(graph));
  }
  SAME(3, value_of(cells));
  CUDA(cudaStreamDestroy(other));
}

/// A stream that has joined a capture may be destroyed before its end. What it has captured must be joined.
void a_captured_stream_is_destroyed() {
  for (const bool joined : {true, false}) {
    Stream first;
    cudaStream_t second;
    cudaEvent_t fork, join;
    CUDA(cudaStreamCreate(&second));
    CUDA(cudaEventCreate(&fork));
    CUDA(cudaEventCreate(&join));
    DeviceArray<int> cells(2, 0);
    cudaGraph_t graph;
    CUDA(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, first>>>(cells, 1);
    CUDA(cudaEventRecord(fork, first));
    CUDA(cudaStreamWaitEvent(second, fork, 0));
    add<<<1, 1, 0, second>>>(cells + 1, 2);
    CUDA(cudaEventRecord(join, second));
    if (joined) CUDA(cudaStreamWaitEvent(first, join, 0));
    CUDA(cudaStreamDestroy(second));
    if (!joined) {
      RETURNS(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(first, &graph));
    } else {
      cudaGraphExec_t exec;
      CUDA(cudaStreamEndCapture(first, &graph));
      CUDA(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
      CUDA(cudaGraphLaunch(exec, first));
      CUDA(cudaStreamSynchronize(first));
      SAME(2, value_of(cells + 1));
      CUDA(cudaGraphExecDestroy(exec));
    }
    CUDA(cudaEventDestroy(fork));
    CUDA(cudaEventDestroy(join));
  }
}

/// Memory of a graph that the program frees: the next launch allocates it again; it goes with the last of the graphs.
void memory_of_graphs() {
  Stream stream;
  const auto in_use = [] {
    unsigned long long bytes = 0;
    CUDA(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &bytes));
    return bytes;
  };
  const unsigned long long before = in_use();
  for (int round = 0; round < 3; ++round) {
    int* cell = nullptr;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaMallocAsync(reinterpret_cast<void**>(&cell), sizeof(int), stream));
    CUDA(cudaMemsetAsync(cell, 0, sizeof(int), stream));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    for (int launch = 0; launch < 2; ++launch) {
      CUDA(cudaGraphLaunch(exec, stream));
      add<<<1, 1, 0, stream>>>(cell, 5);
      CUDA(cudaFreeAsync(cell, stream));
      RETURNS(cudaErrorInvalidValue, cudaFreeAsync(cell, stream));
    }
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaGraphDestroy(graph));
    EXPECT(in_use() > before, "the instance still allocates it");
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaDeviceSynchronize());
    SAME(before, in_use());
  }
}

/// A launch allocates once: what it has allocated must be freed before the next one, by whichever call.
void memory_of_graphs_is_freed_between_launches() {
  Stream stream;
  int *cell = nullptr, value = 0;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CUDA(cudaMallocAsync(reinterpret_cast<void**>(&cell), sizeof(int), stream));
  CUDA(cudaMemsetAsync(cell, 0, sizeof(int), stream));
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  RETURNS(cudaErrorInvalidValue, cudaFree(cell));
  for (int launch = 0; launch < 3; ++launch) {
    CUDA(cudaGraphLaunch(exec, stream));
    add<<<1, 1, 0, stream>>>(cell, 5);
    RETURNS(cudaErrorInvalidValue, cudaGraphLaunch(exec, stream));
    CUDA(cudaMemcpyAsync(&value, cell, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    SAME(5, value);
    CUDA(cudaFree(cell));
    RETURNS(cudaErrorInvalidValue, cudaFree(cell));
  }
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  for (int launch = 0; launch < 3; ++launch) CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaFreeAsync(cell, stream));
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
}

}  // namespace

int main() {
  producer_and_consumer_side_by_side();
  a_stream_is_in_order();
  the_default_stream();
  events_order_streams();
  simulated_times();
  host_functions_stand_in_order();
  stream_properties();
  event_errors();
  host_threads_and_their_streams();
  graphs_of_captured_streams();
  the_legacy_stream_beside_captures();
  a_captured_stream_is_destroyed();
  memory_of_graphs();
  memory_of_graphs_is_freed_between_launches();
  return PASS("streams and events");
}
