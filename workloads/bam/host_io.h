// Threads of the host that read and write drives, each one call after the other: GPUDirect Storage when the memory is
// the GPU's, direct I/O when it is the host's. Byte `b` of what lies on the drives is in piece b / call, and pieces go
// round the drives.
#pragma once

#include <everwarp/storage.cuh>
#include <memory>
#include <vector>

#include "setup.h"

namespace setup {

class host_io {
 public:
  /// `call`: bytes of each call. Thread t makes the calls of pieces t, t + threads ...
  host_io(const std::vector<bam::controller*>& drives, unsigned long long call, unsigned threads)
      : call_(call), threads_(threads), block_(drives.at(0)->what().block_bytes) {
    if (call % block_ != 0 || call == 0 || threads == 0)
      throw std::runtime_error("a call of the host should have whole blocks of " + std::to_string(block_) +
                               " bytes, has " + std::to_string(call));
    for (bam::controller* const drive : drives) queues_.push_back(std::make_unique<bam::host_queue>(*drive));
    for (cudaStream_t& thread : threads_) check(cudaStreamCreateWithFlags(&thread, cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  }
  ~host_io() {
    cudaDeviceSynchronize();
    for (const cudaStream_t thread : threads_) cudaStreamDestroy(thread);
    cudaEventDestroy(event_);
  }
  host_io(const host_io&) = delete;
  host_io& operator=(const host_io&) = delete;

  /// Bytes [from, from + bytes): of whole calls.
  void read(unsigned long long from, unsigned long long bytes, void* to) {
    move(false, from, bytes, static_cast<char*>(to));
  }
  void write(unsigned long long to, unsigned long long bytes, const void* from) {
    move(true, to, bytes, static_cast<char*>(const_cast<void*>(from)));
  }
  /// What comes next in the stream waits for all calls until now; and the reverse.
  void before(cudaStream_t stream) {
    for (const cudaStream_t thread : threads_) order(thread, stream);
  }
  void after(cudaStream_t stream) {
    for (const cudaStream_t thread : threads_) order(stream, thread);
  }
  /// Waits for all calls. Throws when a command has failed.
  void must() {
    for (const auto& queue : queues_) queue->must();
  }
  /// `bytes` and what is needed to make whole calls of it.
  unsigned long long whole(unsigned long long bytes) const { return (bytes + call_ - 1) / call_ * call_; }

 private:
  static void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
  }
  void order(cudaStream_t first, cudaStream_t second) {
    check(cudaEventRecord(event_, first));
    check(cudaStreamWaitEvent(second, event_, 0));
  }
  void move(bool writes, unsigned long long at, unsigned long long bytes, char* memory) {
    if (at % call_ != 0 || bytes % call_ != 0) throw std::runtime_error("a part of a call");
    for (unsigned long long done = 0; done < bytes; done += call_) {
      const unsigned long long piece = (at + done) / call_, drives = queues_.size();
      bam::host_queue& queue = *queues_[piece % drives];
      const unsigned long long block = piece / drives * (call_ / block_);
      const cudaStream_t thread = threads_[piece % threads_.size()];
      if (writes)
        queue.write(block, call_, memory + done, thread);
      else
        queue.read(block, call_, memory + done, thread);
    }
  }

  const unsigned long long call_;
  std::vector<cudaStream_t> threads_;
  const unsigned block_;
  std::vector<std::unique_ptr<bam::host_queue>> queues_;
  cudaEvent_t event_ = nullptr;
};

/// Memory that its owner frees, by the system that it belongs to.
template <class T>
class memory_of {
 public:
  enum class at { device, host, managed };
  memory_of(at where, unsigned long long count) : where_(where) {
    void* memory = nullptr;
    const size_t bytes = count * sizeof(T);
    const cudaError_t error = where == at::device ? cudaMalloc(&memory, bytes)
                              : where == at::host ? cudaMallocHost(&memory, bytes)
                                                  : cudaMallocManaged(&memory, bytes);
    if (error != cudaSuccess)
      throw std::runtime_error("no memory for " + std::to_string(bytes) + " bytes: " + cudaGetErrorString(error));
    memory_ = static_cast<T*>(memory);
  }
  ~memory_of() {
    if (where_ == at::host)
      cudaFreeHost(memory_);
    else
      cudaFree(memory_);
  }
  memory_of(const memory_of&) = delete;
  memory_of& operator=(const memory_of&) = delete;
  T* get() const { return memory_; }

 private:
  at where_;
  T* memory_ = nullptr;
};

}  // namespace setup
