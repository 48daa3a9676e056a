// An array on drives without a cache: each access of each thread is an NVMe command for the element's blocks ("BaM",
// ASPLOS'23, figure 8: no cache). Part of <everwarp/storage.cuh>. Nobody should want it but to see what a cache is good for.
//
//   bam::direct<double> d(cache, first_byte, count, threads);   // host: takes the queues and the placement of a cache, not its lines
//   kernel<<<…>>>(d.view());                                    // at most so many threads
//
//   const double x = d[i];                                      // or read(i, value), which returns a status
//
// It reads what is on the drives: flush() the cache before, if it has dirty lines.
#pragma once

#include <everwarp/storage_array.cuh>

namespace bam {

/// What a kernel needs of it: passed by value.
template <class T>
struct direct_view {
  cache_view cache;
  uint64_t first_byte, count;
  char* blocks;  // a block for each thread
  uint32_t block_bytes, threads;

  __host__ __device__ uint64_t size() const { return count; }
  __device__ T operator[](uint64_t i) const {
    T value = T();
    read(i, value);
    return value;
  }
  __device__ status read(uint64_t i, T& value) const {
    const uint64_t byte = first_byte + i * sizeof(T), line = byte >> cache.line_shift;
    const uint32_t thread = (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) * blockDim.x * blockDim.y * blockDim.z +
                            threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    if (i >= count || thread >= threads) return cache.fail(line, out_of_range);
    char* const mine = blocks + uint64_t{thread} * block_bytes;
    const uint32_t in_line = static_cast<uint32_t>(byte & (cache.line_bytes - 1));
    const queue_view& queue = cache.queue_of(cache.reader_of(line, 0), line);
    const status end = queue.execute(bam::read(cache.block_of(line) + in_line / block_bytes, 1, mine)).status;
    detail::count(&cache.counts().reads);
    if (end != ok) return cache.fail(line, end);
    array_view<T>::copy(reinterpret_cast<char*>(&value), mine + in_line % block_bytes, sizeof(T));
    return ok;
  }
};

/// Its owner on the host. The cache must outlive it.
template <class T>
class direct {
 public:
  direct(bam::cache& cache, uint64_t first_byte, uint64_t count, uint32_t threads) {
    const array<T> checked(cache, first_byte, count);
    const controller& drive = *cache.drives()[0];
    const uint32_t block = drive.what().block_bytes;
    if (block % sizeof(T) || first_byte % sizeof(T))
      drive.fail("an element of " + std::to_string(sizeof(T)) + " bytes may lie in two blocks: without a cache only whole ones are read");
    if (threads == 0) drive.fail("an array without a cache has a block for each thread, and there should be one thread at least");
    memory_ = std::make_unique<detail::pages>(drive, uint64_t{threads} * block, "blocks of threads");
    view_ = {cache.view(), first_byte, count, memory_->template as<char>(), block, threads};
  }
  const direct_view<T>& view() const { return view_; }

 private:
  std::unique_ptr<detail::pages> memory_;
  direct_view<T> view_{};
};

}  // namespace bam
