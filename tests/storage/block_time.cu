// The simulated time of reads, or writes, of 4 KiB by 256 threads, on all drives of the machine: tests/storage/links
// compares it under machines whose links and memories differ.
//
//   block_time device|host read|write ACCESSES     of each thread; the pages are in the GPU's memory, or the host's
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <everwarp/storage.cuh>
#include <memory>
#include <vector>

constexpr unsigned threads = 256;

__global__ void accesses(const bam::queue_view* queues, unsigned drives, char* pages, bool write, unsigned each,
                         unsigned* failed) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  char* const page = pages + thread * 4096ull;
  for (unsigned i = 0; i < each; ++i) {
    const unsigned long long first = (thread * each + i) * 8ull;
    const bam::status end =
        queues[thread % drives].execute(write ? bam::write(first, 8, page) : bam::read(first, 8, page)).status;
    if (end != bam::ok) atomicAdd(failed, 1u);
  }
}

int main(int argc, char** argv) {
  if (argc != 4) return printf("expected: block_time device|host read|write ACCESSES\n"), 2;
  const bool in_host = !strcmp(argv[1], "host"), write = !strcmp(argv[2], "write");
  const unsigned each = static_cast<unsigned>(atoi(argv[3])), drives = static_cast<unsigned>(storage_drives());
  std::vector<std::unique_ptr<bam::controller>> controllers;
  std::vector<std::unique_ptr<bam::queue_pair>> pairs;
  std::vector<bam::queue_view> views;
  for (unsigned drive = 0; drive < drives; ++drive) {
    controllers.push_back(std::make_unique<bam::controller>(static_cast<int>(drive)));
    pairs.push_back(std::make_unique<bam::queue_pair>(*controllers.back(), 512));
    views.push_back(pairs.back()->view());
  }
  bam::queue_view* queues = nullptr;
  char* pages = nullptr;
  unsigned* failed = nullptr;
  cudaMalloc(&queues, views.size() * sizeof(bam::queue_view));
  cudaMemcpy(queues, views.data(), views.size() * sizeof(bam::queue_view), cudaMemcpyHostToDevice);
  cudaMallocManaged(&failed, 4);
  *failed = 0;
  if (in_host)
    cudaMallocHost(&pages, (threads + 1) * 4096);
  else
    cudaMalloc(&pages, (threads + 1) * 4096);
  pages = bam::controller::aligned(pages);
  cudaMemset(pages, 0xff, threads * 4096);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  cudaEventRecord(begin);
  accesses<<<2, threads / 2>>>(queues, drives, pages, write, each, failed);
  cudaEventRecord(end);
  if (cudaEventSynchronize(end) != cudaSuccess || *failed) return printf("FAIL block_time: %u failed\n", *failed), 1;
  std::vector<unsigned char> got(threads * 4096);
  cudaMemcpy(got.data(), pages, got.size(), cudaMemcpyDefault);
  for (const unsigned char byte : got)
    if (byte != (write ? 0xff : 0)) return printf("FAIL block_time: a byte is %u\n", byte), 1;
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  printf("%.0f us\n", milliseconds * 1000);
}
