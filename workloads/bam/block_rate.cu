// How many random accesses of blocks a second threads get from drives ("BaM", section 4.1, figure 4): each thread
// reads, or writes, blocks chosen at random, one after the other. Queues alone, without the cache.
//
// Read blocks must be zero: a drive that was filled before it is measured has storage.written=true. Written blocks are
// read again in a second kernel, and compared.
//
// machine: --set storage.drives=2 --set storage.written=true
//
//   block_rate [--threads N] [--accesses N] [--bytes N] [--drives N] [--pairs N] [--entries N] [--write]
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <everwarp/host.cuh>
#include <everwarp/storage.cuh>
#include <memory>
#include <string>
#include <vector>

namespace {

struct Shape {
  unsigned threads = 512, accesses = 1024, bytes = 512, drives = 2, pairs = 16, entries = 64;
  bool write = false;
};

struct Setup {
  const bam::queue_view* queues;  // drive by drive
  unsigned drives, pairs, blocks, each;
  unsigned long long places;  // of each drive
  char* buffers;              // one access each thread
  unsigned bytes;
};

__host__ __device__ unsigned long long mix(unsigned long long x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Access `i` of the thread: at a place that it may share with others. `word`: the first of what is written there.
struct Access {
  unsigned drive;
  unsigned long long place;
  unsigned word;
};
__device__ Access access_of(const Setup& s, unsigned thread, unsigned i) {
  const unsigned long long random = mix(thread * 4096ull + i);
  const unsigned drive = static_cast<unsigned>(random % s.drives);
  const unsigned long long place = random / s.drives % s.places;
  return {drive, place, static_cast<unsigned>(mix(place * 64 + drive)) | 1};
}

__device__ bool execute(const Setup& s, unsigned thread, const Access& a, char* buffer, bool write) {
  const bam::queue_view& queue = s.queues[a.drive * s.pairs + thread / 32 % s.pairs];
  const unsigned long long first = a.place * s.blocks;
  return queue.execute(write ? bam::write(first, s.blocks, buffer) : bam::read(first, s.blocks, buffer)).status ==
         bam::ok;
}

__global__ void accesses(Setup s, bool write, unsigned* failed, unsigned* wrong) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  char* const buffer = s.buffers + static_cast<unsigned long long>(thread) * s.bytes;
  for (unsigned i = 0; i < s.each; ++i) {
    const Access a = access_of(s, thread, i);
    unsigned* const first = reinterpret_cast<unsigned*>(buffer);
    *first = write ? a.word : 1;
    if (!execute(s, thread, a, buffer, write)) atomicAdd(failed, 1u);
    if (!write && *const_cast<volatile unsigned*>(first) != 0) atomicAdd(wrong, 1u);
  }
}
__global__ void compare(Setup s, unsigned* failed, unsigned* wrong) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  char* const buffer = s.buffers + static_cast<unsigned long long>(thread) * s.bytes;
  const Access a = access_of(s, thread, s.each - 1);
  *reinterpret_cast<unsigned*>(buffer) = 0;
  if (!execute(s, thread, a, buffer, false)) atomicAdd(failed, 1u);
  if (*reinterpret_cast<volatile unsigned*>(buffer) != a.word) atomicAdd(wrong, 1u);
}

[[noreturn]] void refuse(const std::string& what) {
  printf("block_rate: %s\n", what.c_str());
  exit(2);
}

Shape shape_of(int argc, char** argv) {
  Shape shape;
  const std::pair<const char*, unsigned*> numbers[] = {{"--threads", &shape.threads}, {"--accesses", &shape.accesses},
                                                       {"--bytes", &shape.bytes},     {"--drives", &shape.drives},
                                                       {"--pairs", &shape.pairs},     {"--entries", &shape.entries}};
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--write")) {
      shape.write = true;
      continue;
    }
    unsigned* number = nullptr;
    for (const auto& [name, value] : numbers)
      if (!strcmp(argv[i], name)) number = value;
    if (!number || i + 1 == argc)
      refuse(std::string("expected --threads, --accesses, --bytes, --drives, --pairs or --entries with a number, or "
                         "--write; found ") +
             argv[i]);
    char* end = nullptr;
    const unsigned long value = strtoul(argv[++i], &end, 10);
    if (*end || value == 0 || value > 1u << 24)
      refuse(std::string(argv[i - 1]) + " should be a number from 1 to 2^24, is " + argv[i]);
    *number = static_cast<unsigned>(value);
  }
  return shape;
}

int run(const Shape& shape) {
  std::vector<std::unique_ptr<bam::controller>> controllers;
  std::vector<std::unique_ptr<bam::queue_pair>> queues;
  std::vector<bam::queue_view> views;
  for (unsigned drive = 0; drive < shape.drives; ++drive) {
    controllers.push_back(std::make_unique<bam::controller>(static_cast<int>(drive)));
    for (unsigned i = 0; i < shape.pairs; ++i) {
      queues.push_back(std::make_unique<bam::queue_pair>(*controllers.back(), shape.entries));
      views.push_back(queues.back()->view());
    }
  }
  const bam::geometry& what = controllers[0]->what();
  if (shape.bytes % what.block_bytes != 0 || shape.bytes > 4096)
    refuse("--bytes should be a multiple of " + std::to_string(what.block_bytes) + " of at most 4096");
  Setup s{};
  s.drives = shape.drives, s.pairs = shape.pairs, s.each = shape.accesses / shape.threads, s.bytes = shape.bytes;
  s.blocks = shape.bytes / what.block_bytes;
  s.places = what.blocks / s.blocks;

  bam::queue_view* on_device = nullptr;
  void* buffers = nullptr;
  unsigned* counts = nullptr;
  const auto cuda = [](cudaError_t error) {
    if (error != cudaSuccess) refuse(cudaGetErrorString(error));
  };
  cuda(cudaMalloc(&on_device, views.size() * sizeof(bam::queue_view)));
  cuda(cudaMemcpy(on_device, views.data(), views.size() * sizeof(bam::queue_view), cudaMemcpyHostToDevice));
  cuda(cudaMalloc(&buffers, static_cast<size_t>(shape.threads) * shape.bytes + 4096));
  cuda(cudaMalloc(&counts, 2 * sizeof(unsigned)));
  cuda(cudaMemset(counts, 0, 2 * sizeof(unsigned)));
  s.queues = on_device, s.buffers = bam::controller::aligned(buffers);

  if (shape.accesses % shape.threads != 0) refuse("--accesses should be a multiple of --threads");
  const unsigned block = shape.threads < 128 ? shape.threads : 128;
  if (shape.threads % block != 0) refuse("--threads above 128 should be a multiple of 128");
  measure_begin("accesses");
  accesses<<<shape.threads / block, block>>>(s, shape.write, counts, counts + 1);
  measure_end("accesses");
  if (shape.write) compare<<<shape.threads / block, block>>>(s, counts, counts + 1);
  unsigned found[2];
  cuda(cudaMemcpy(found, counts, sizeof found, cudaMemcpyDeviceToHost));
  for (const auto& queue : queues)
    if (const std::string why = queue->diagnose(); !why.empty()) printf("%s\n", why.c_str());
  if (found[0] != 0 || found[1] != 0) {
    printf("FAIL block_rate: %u commands failed, %u words are wrong\n", found[0], found[1]);
    return 1;
  }
  printf("PASS block_rate: %u %s of %u bytes by %u threads, %u drives\n", shape.accesses,
         shape.write ? "writes" : "reads", shape.bytes, shape.threads, shape.drives);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Shape shape = shape_of(argc, argv);
  if (storage_drives() < static_cast<int>(shape.drives))
    refuse("needs " + std::to_string(shape.drives) + " drives, and this machine has " +
           std::to_string(storage_drives()) + ": ew run --set storage.drives=" + std::to_string(shape.drives));
  try {
    return run(shape);
  } catch (const std::exception& mistake) {
    printf("FAIL block_rate: %s\n", mistake.what());
    return 1;
  }
}
