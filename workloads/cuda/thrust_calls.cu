// Thrust as its users write it: vectors, transform, sort by key, reduce by key, scans, unique, set operations, zip and
// counting iterators, min/max. Exercises: a library that launches many kernels of its own, host and device vectors.
//
// deterministic: yes
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include <map>

#include "check.h"

namespace {

struct Affine {
  int slope, offset;
  __host__ __device__ int operator()(int x) const { return slope * x + offset; }
};

struct AddPair {
  template <class Tuple>
  __host__ __device__ int operator()(const Tuple& pair) const {
    return thrust::get<0>(pair) * 2 + thrust::get<1>(pair);
  }
};

struct IsSmall {
  int limit;
  __host__ __device__ bool operator()(int x) const { return x < limit; }
};

template <class Vector>
std::vector<int> on_host(const Vector& device) {
  std::vector<int> host(device.size());
  thrust::copy(device.begin(), device.end(), host.begin());
  return host;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 700, 10, 1 << 22);
  Random random(51);
  std::vector<int> keys(n), values(n);
  for (int i = 0; i < n; ++i)
    keys[i] = static_cast<int>(random.below(n / 5)), values[i] = static_cast<int>(random.below(1000));

  thrust::device_vector<int> device_keys(keys.begin(), keys.end()), device_values(values.begin(), values.end());
  thrust::device_vector<int> results(n), places(n);
  thrust::transform(device_values.begin(), device_values.end(), results.begin(), Affine{3, -1});
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) want[i] = 3 * values[i] - 1;
  EXPECT_SAME(want, on_host(results), "transform");

  const int sum = thrust::reduce(device_values.begin(), device_values.end(), 5, thrust::plus<int>());
  int want_sum = 5;
  for (int v : values) want_sum += v;
  EXPECT(sum == want_sum, "reduce should give %d, is %d", want_sum, sum);

  const auto zipped =
      thrust::make_zip_iterator(thrust::make_tuple(thrust::counting_iterator<int>(10), device_keys.begin()));
  thrust::transform(zipped, zipped + n, results.begin(), AddPair());
  for (int i = 0; i < n; ++i) want[i] = (10 + i) * 2 + keys[i];
  EXPECT_SAME(want, on_host(results), "transform of a zip");

  thrust::exclusive_scan(device_values.begin(), device_values.end(), results.begin());
  for (int i = 0, before = 0; i < n; before += values[i++]) want[i] = before;
  EXPECT_SAME(want, on_host(results), "exclusive scan");

  const int small = static_cast<int>(thrust::count_if(device_values.begin(), device_values.end(), IsSmall{100}));
  const int want_small = static_cast<int>(std::count_if(values.begin(), values.end(), IsSmall{100}));
  EXPECT(small == want_small, "%d values should be small, are %d", want_small, small);
  const auto greatest = thrust::max_element(device_values.begin(), device_values.end()) - device_values.begin();
  const auto want_greatest = std::max_element(values.begin(), values.end()) - values.begin();
  EXPECT(greatest == want_greatest, "the first greatest value should stand at %td, is at %td", want_greatest, greatest);

  thrust::sequence(places.begin(), places.end());
  thrust::stable_sort_by_key(device_keys.begin(), device_keys.end(), places.begin());
  std::vector<int> order(n);
  for (int i = 0; i < n; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  EXPECT_SAME(order, on_host(places), "stable sort by key");

  thrust::device_vector<int> sorted_values(n), distinct(n), sums(n);
  thrust::gather(places.begin(), places.end(), device_values.begin(), sorted_values.begin());
  const auto ends = thrust::reduce_by_key(device_keys.begin(), device_keys.end(), sorted_values.begin(),
                                          distinct.begin(), sums.begin());
  std::map<int, int> groups;
  for (int i = 0; i < n; ++i) groups[keys[i]] += values[i];
  distinct.erase(ends.first, distinct.end());
  sums.resize(distinct.size());
  std::vector<int> want_keys, want_sums;
  for (const auto& [key, total] : groups) want_keys.push_back(key), want_sums.push_back(total);
  EXPECT_SAME(want_keys, on_host(distinct), "keys of reduce by key");
  EXPECT_SAME(want_sums, on_host(sums), "sums of reduce by key");

  thrust::device_vector<int> found(n);
  thrust::lower_bound(distinct.begin(), distinct.end(), device_values.begin(), device_values.end(), found.begin());
  for (int i = 0; i < n; ++i)
    want[i] = static_cast<int>(std::lower_bound(want_keys.begin(), want_keys.end(), values[i]) - want_keys.begin());
  EXPECT_SAME(want, on_host(found), "lower bound");
  device_keys.erase(thrust::unique(device_keys.begin(), device_keys.end()), device_keys.end());
  EXPECT_SAME(want_keys, on_host(device_keys), "unique");
  const long long product = thrust::inner_product(distinct.begin(), distinct.end(), sums.begin(), 0ll);
  long long want_product = 0;
  for (const auto& [key, total] : groups) want_product += static_cast<long long>(key) * total;
  EXPECT(product == want_product, "the inner product should be %lld, is %lld", want_product, product);
  device_values[3] = -17;  // a single element written and read through a device reference
  EXPECT(device_values[3] == -17, "element 3 should be -17, is %d", static_cast<int>(device_values[3]));
  return PASS("n=%d groups=%zu", n, groups.size());
}
