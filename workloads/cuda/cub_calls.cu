// CUB from kernels and from the host: block scan, reduce and radix sort, warp reduce, device-wide sort, scan, reduce,
// select, run-length encoding and histogram. Exercises: a large template library as its users call it.
//
// deterministic: yes
#include <cub/cub.cuh>
#include <numeric>

#include "check.h"

namespace {

constexpr int kThreads = 64;
constexpr int kItems = 3;

__global__ void per_block(const int* in, int* sorted, int* scanned, int* sums) {
  using Sort = cub::BlockRadixSort<int, kThreads, kItems>;
  using Scan = cub::BlockScan<int, kThreads>;
  using Reduce = cub::BlockReduce<int, kThreads>;
  __shared__ union {
    typename Sort::TempStorage sort;
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
  } room;
  const int base = blockIdx.x * kThreads * kItems;
  int items[kItems], prefix[kItems];
  cub::LoadDirectBlocked(threadIdx.x, in + base, items);
  Sort(room.sort).Sort(items);
  __syncthreads();
  cub::StoreDirectBlocked(threadIdx.x, sorted + base, items);
  Scan(room.scan).InclusiveSum(items, prefix);
  __syncthreads();
  cub::StoreDirectBlocked(threadIdx.x, scanned + base, prefix);
  const int sum = Reduce(room.reduce).Sum(items);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

// Calls a device-wide algorithm twice, as CUB asks: once for the size of its workspace, once for the work.
template <class Call>
void with_workspace(Call call) {
  size_t bytes = 0;
  CUDA(call(nullptr, bytes));
  DeviceArray<char> workspace(bytes);
  CUDA(call(workspace.get(), bytes));
  CUDA(cudaDeviceSynchronize());
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = size_argument(argc, argv, 1, 4, 1, 10000);
  const int n = blocks * kThreads * kItems;
  Random random(50);
  std::vector<int> in(n);
  for (auto& x : in) x = static_cast<int>(random.below(1000)) - 300;
  DeviceArray<int> device_in(in), a(n), b(n), sums(blocks), count(1), bins(10);

  per_block<<<blocks, kThreads>>>(device_in, a, b, sums);
  FINISH_KERNEL();
  std::vector<int> sorted = in, scanned(n), want_sums(blocks);
  for (int block = 0; block < blocks; ++block) {
    const auto begin = sorted.begin() + block * kThreads * kItems, end = begin + kThreads * kItems;
    std::sort(begin, end);
    std::partial_sum(begin, end, scanned.begin() + (begin - sorted.begin()));
    want_sums[block] = std::accumulate(begin, end, 0);
  }
  EXPECT_SAME(sorted, a.download(), "BlockRadixSort");
  EXPECT_SAME(scanned, b.download(), "BlockScan");
  EXPECT_SAME(want_sums, sums.download(), "BlockReduce");

  with_workspace([&](void* room, size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(room, bytes, device_in.get(), a.get(), n);
  });
  sorted = in;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_SAME(sorted, a.download(), "DeviceRadixSort");

  with_workspace([&](void* room, size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(room, bytes, device_in.get(), b.get(), n);
  });
  std::partial_sum(in.begin(), in.end() - 1, scanned.begin() + 1);
  scanned[0] = 0;
  EXPECT_SAME(scanned, b.download(), "DeviceScan");

  with_workspace(
      [&](void* room, size_t& bytes) { return cub::DeviceReduce::Max(room, bytes, device_in.get(), count.get(), n); });
  EXPECT(count.download()[0] == sorted.back(), "DeviceReduce::Max should be %d, is %d", sorted.back(),
         count.download()[0]);

  with_workspace([&](void* room, size_t& bytes) {
    return cub::DeviceSelect::If(room, bytes, device_in.get(), b.get(), count.get(), n, IsOdd());
  });
  std::vector<int> odd;
  std::copy_if(in.begin(), in.end(), std::back_inserter(odd), IsOdd());
  std::vector<int> got = b.download();
  got.resize(count.download()[0]);
  EXPECT_SAME(odd, got, "DeviceSelect");

  DeviceArray<int> lengths(n);
  with_workspace([&](void* room, size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(room, bytes, a.get(), b.get(), lengths.get(), count.get(), n);
  });
  std::vector<int> values, repeats;
  for (int x : sorted) {
    if (values.empty() || values.back() != x) values.push_back(x), repeats.push_back(0);
    ++repeats.back();
  }
  got = lengths.download();
  got.resize(count.download()[0]);
  EXPECT_SAME(repeats, got, "DeviceRunLengthEncode");

  with_workspace([&](void* room, size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(room, bytes, device_in.get(), bins.get(), 11, -300, 700, n);
  });
  std::vector<int> want_bins(10);
  for (int x : in) ++want_bins[(x + 300) / 100];
  EXPECT_SAME(want_bins, bins.download(), "DeviceHistogram");
  return PASS("n=%d distinct=%zu odd=%zu", n, values.size(), odd.size());
}
