// NN: the distance of every record to one place, a thread a record; the host picks the nearest. After the description
// of Rodinia's nn; one of the programs without synchronisation inside a kernel of Table 2.4 (Sinclair's thesis, 2017).
//
// deterministic: yes
#include "../cuda/check.h"

namespace {

constexpr int kThreads = 256;

struct Record {
  float latitude, longitude;
};

__host__ __device__ float distance_of(Record record, Record place) {
  const float dy = place.latitude - record.latitude, dx = place.longitude - record.longitude;
  return sqrtf(fmaf(dy, dy, dx * dx));
}

__global__ void measure(const Record* records, int count, Record place, float* distances) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) distances[i] = distance_of(records[i], place);
}

}  // namespace

int main(int argc, char** argv) {
  const int count = size_argument(argc, argv, 1, 2000, 1, 1 << 26);
  const int nearest = size_argument(argc, argv, 2, std::min(count, 10), 1, count);
  const Record place = {30, 90};
  Random random(52);
  std::vector<Record> records(count);
  for (Record& record : records) record = {random.between(7, 70), random.between(0, 358)};
  const DeviceArray<Record> device_records(records);
  const DeviceArray<float> distances(count);
  measure<<<(count + kThreads - 1) / kThreads, kThreads>>>(device_records, count, place, distances);
  FINISH_KERNEL();
  std::vector<float> want(count), got = distances.download();
  for (int i = 0; i < count; ++i) want[i] = distance_of(records[i], place);
  EXPECT_SAME(want, got, "distance");
  std::partial_sort(got.begin(), got.begin() + nearest, got.end());
  return PASS("records=%d, %d within %.3f", count, nearest, got[nearest - 1]);
}
