// Random reads and writes of a drive's blocks, each by a thread of its own ("BaM", section 4, figure 4): every block of
// a stretch is written, blocks chosen at random are read and compared, others are written again, and all are compared
// at the end. Needs a machine with drives: ew run --set storage.drives=1 ./random_blocks
//
// machine: --set storage.drives=2
//
//   random_blocks [THREADS [PER_THREAD [BYTES [PAIRS [ENTRIES [DRIVES]]]]]]
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <everwarp/storage.cuh>
#include <memory>
#include <vector>

namespace {

constexpr int most_drives = 16, most_pairs = 128;

struct setup {
  const bam::queue_view* queues;  // drive by drive
  int drives, pairs;
  unsigned bytes, block_bytes;  // of one access; of a block
  unsigned long long places;    // accesses that the stretch holds, over all drives
  char* buffers;                // one access each thread
};

__host__ __device__ unsigned long long mix(unsigned long long x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
__host__ __device__ unsigned word_of(unsigned long long place, unsigned version, unsigned i) {
  return static_cast<unsigned>(mix(place * 8 + version) >> 8) + i * 2654435761u;
}

__device__ bam::result access(const setup& s, unsigned long long place, char* buffer, bool writes) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const bam::queue_view& queue = s.queues[place % s.drives * s.pairs + thread / 32 % s.pairs];
  const unsigned blocks = s.bytes / s.block_bytes;
  const unsigned long long first = place / s.drives * blocks;
  return queue.execute(writes ? bam::write(first, blocks, buffer) : bam::read(first, blocks, buffer));
}

__device__ void fill(const setup& s, char* buffer, unsigned long long place, unsigned version) {
  for (unsigned i = 0; i < s.bytes / 4; ++i) reinterpret_cast<unsigned*>(buffer)[i] = word_of(place, version, i);
}

/// Places [0, places), each once, in an order of its own: version 1; those that `again` picks: version 2.
__global__ void write_all(setup s, bool again, unsigned* failed) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  char* const buffer = s.buffers + static_cast<unsigned long long>(thread) * s.bytes;
  for (unsigned long long i = thread; i < s.places; i += threads) {
    const unsigned long long place = (i * 7919 + 13) % s.places;
    if (again && mix(place) % 3 != 0) continue;
    fill(s, buffer, place, again ? 2 : 1);
    if (access(s, place, buffer, true).status != bam::ok) atomicAdd(failed, 1u);
  }
}

__global__ void read_random(setup s, int per_thread, bool again, unsigned* failed, unsigned* wrong) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  char* const buffer = s.buffers + static_cast<unsigned long long>(thread) * s.bytes;
  for (int i = 0; i < per_thread; ++i) {
    const unsigned long long place = mix(thread * 1000003ull + i + again * 77) % s.places;
    if (access(s, place, buffer, false).status != bam::ok) {
      atomicAdd(failed, 1u);
      continue;
    }
    const unsigned version = again && mix(place) % 3 == 0 ? 2 : 1;
    bool same = true;
    for (unsigned w = 0; w < s.bytes / 4; ++w)
      same &= reinterpret_cast<unsigned*>(buffer)[w] == word_of(place, version, w);
    if (!same) atomicAdd(wrong, 1u);
  }
}

int fail(const char* what, unsigned long long expected, unsigned long long found) {
  printf("FAIL random_blocks: %s: expected %llu, found %llu\n", what, expected, found);
  return 1;
}

void cuda(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  printf("FAIL random_blocks: %s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}

int run(int threads, int per_thread, unsigned bytes, int pairs, unsigned entries, int drives) {
  std::vector<std::unique_ptr<bam::controller>> controllers;
  std::vector<std::unique_ptr<bam::queue_pair>> queues;
  std::vector<bam::queue_view> views;
  for (int drive = 0; drive < drives; ++drive) {
    controllers.push_back(std::make_unique<bam::controller>(drive));
    for (int i = 0; i < pairs; ++i) {
      queues.push_back(std::make_unique<bam::queue_pair>(*controllers.back(), entries));
      views.push_back(queues.back()->view());
    }
  }
  const bam::geometry& what = controllers[0]->what();
  if (bytes % what.block_bytes != 0 || bytes > 4096 || bytes == 0)
    return fail("bytes of an access: a multiple of the block, 4096 at most", what.block_bytes, bytes);
  setup s{};
  s.drives = drives, s.pairs = pairs, s.bytes = bytes, s.block_bytes = what.block_bytes;
  s.places = static_cast<unsigned long long>(threads) * per_thread;
  const unsigned long long most = what.blocks * what.block_bytes / bytes * drives;
  if (s.places > most) s.places = most;

  bam::queue_view* on_device = nullptr;
  void* buffers = nullptr;
  unsigned* counts = nullptr;
  cuda(cudaMalloc(&on_device, views.size() * sizeof(bam::queue_view)), "queues");
  cuda(cudaMemcpy(on_device, views.data(), views.size() * sizeof(bam::queue_view), cudaMemcpyHostToDevice), "queues");
  cuda(cudaMalloc(&buffers, static_cast<unsigned long long>(threads) * bytes + 4096), "buffers");
  cuda(cudaMallocManaged(&counts, 8), "counts");
  counts[0] = counts[1] = 0;
  s.queues = on_device;
  s.buffers = bam::controller::aligned(buffers);

  const int block = threads < 128 ? threads : 128, grid = (threads + block - 1) / block;
  cudaEvent_t begin, end;
  cuda(cudaEventCreate(&begin), "event");
  cuda(cudaEventCreate(&end), "event");
  float milliseconds[4] = {};
  const auto timed = [&](int phase, auto&& launch) {
    cuda(cudaEventRecord(begin), "event");
    launch();
    cuda(cudaEventRecord(end), "event");
    cuda(cudaEventSynchronize(end), "kernel");
    cuda(cudaEventElapsedTime(&milliseconds[phase], begin, end), "event");
  };
  timed(0, [&] { write_all<<<grid, block>>>(s, false, counts); });
  timed(1, [&] { read_random<<<grid, block>>>(s, per_thread, false, counts, counts + 1); });
  timed(2, [&] { write_all<<<grid, block>>>(s, true, counts); });
  timed(3, [&] { read_random<<<grid, block>>>(s, per_thread, true, counts, counts + 1); });

  for (const auto& queue : queues)
    if (const std::string why = queue->diagnose(); !why.empty()) printf("%s\n", why.c_str());
  if (counts[0]) return fail("commands that failed", 0, counts[0]);
  if (counts[1]) return fail("reads of other bytes", 0, counts[1]);
  unsigned long long completed = 0, doorbells = 0;
  for (const auto& queue : queues) {
    const bam::queue_state state = queue->state();
    completed += state.completions, doorbells += state.doorbells;
  }
  unsigned long long expected = s.places + 2ull * grid * block * per_thread;
  for (unsigned long long place = 0; place < s.places; ++place) expected += mix(place) % 3 == 0;
  if (completed != expected) return fail("completions", expected, completed);
  const double reads = static_cast<double>(grid) * block * per_thread;
  printf("%llu commands, %.2f doorbells a command; reads %.3f M/s, writes %.3f M/s\n", completed,
         static_cast<double>(doorbells) / static_cast<double>(completed), reads / milliseconds[1] / 1e3,
         static_cast<double>(s.places) / milliseconds[0] / 1e3);
  printf("PASS random_blocks threads=%d per_thread=%d bytes=%u pairs=%d entries=%u drives=%d\n", threads, per_thread,
         bytes, pairs, entries, drives);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, int otherwise) { return argc > i ? atoi(argv[i]) : otherwise; };
  const int threads = argument(1, 256), per_thread = argument(2, 4), bytes = argument(3, 512), pairs = argument(4, 2),
            entries = argument(5, 64), drives = argument(6, 1);
  if (threads < 1 || per_thread < 1 || bytes < 4 || pairs < 1 || pairs > most_pairs || drives < 1 ||
      drives > most_drives) {
    printf("FAIL random_blocks: arguments: THREADS PER_THREAD BYTES PAIRS ENTRIES DRIVES, each 1 at least\n");
    return 2;
  }
  if (storage_drives() < drives) {
    printf("random_blocks: needs %d drives, and this machine has %d: ew run --set storage.drives=%d\n", drives,
           storage_drives(), drives);
    return 77;
  }
  try {
    return run(threads, per_thread, static_cast<unsigned>(bytes), pairs, static_cast<unsigned>(entries), drives);
  } catch (const std::exception& mistake) {
    printf("FAIL random_blocks: %s\n", mistake.what());
    return 1;
  }
}
