// Many threads persist a range of memory ("GPM", ASPLOS'22, figure 3). Under GPM each thread of a kernel persists 8
// bytes at a time. Neighbouring threads persist neighbouring bytes. Under CAP-mm the bytes are in device memory.
// cudaMemcpy copies them into the mapped file, and threads of the host flush equal parts of it.
//
//   persist_scaling [--mib N] [--threads N] [--system GPM|CAP-mm] [--pool FILE]
// deterministic: yes
#include "system.h"

namespace {

struct Shape {
  uint32_t mib, threads;
};
constexpr bench::Presets<Shape> kPresets = {{1, 64}, {1024, 64}, {1, 64}};

__global__ void persist_words(uint64_t* to, size_t words) {
  const size_t threads = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += threads) {
    to[i] = bench::mix(i);
    gpm_persist();
  }
}
__global__ void produce(uint64_t* to, size_t words) {
  const size_t threads = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += threads) to[i] = bench::mix(i);
}

void check_words(const uint64_t* words, size_t count) {
  for (size_t i = 0; i < count; ++i)
    EXPECT(words[i] == bench::mix(i), "word %zu should be %#llx, is %#llx", i,
           static_cast<unsigned long long>(bench::mix(i)), static_cast<unsigned long long>(words[i]));
}

}  // namespace

int main(int argc, char** argv) {
  const auto options =
      bench::parse<Shape>(argc, argv, "scaling.pool", kPresets,
                          {{"--mib", &Shape::mib, 1, 1 << 14}, {"--threads", &Shape::threads, 1, 65536}});
  const size_t bytes = size_t(options.shape.mib) << 20, words = bytes / 8;
  const char* path = options.pool.c_str();
  if (options.system == bench::System::gpm) {
    auto* pool = static_cast<uint64_t*>(gpm_map(path, bytes, true));
    EXPECT(pool != nullptr, "%s should be mapped", path);
    gpm_persist_begin();
    const unsigned block = std::min(options.shape.threads, 256u);
    {
      const bench::Phase phase("persist");
      persist_words<<<bench::blocks_for(options.shape.threads, block), block>>>(pool, words);
    }
    FINISH_KERNEL();
    gpm_persist_end();
    check_words(pool, words);
    EXPECT(gpm_unmap(path, pool, bytes) == 0, "%s should be unmapped", path);
  } else {
    EXPECT(options.system == bench::System::cap_mm, "--system should be GPM or CAP-mm");
    auto* mapped = static_cast<uint64_t*>(host_map(path, bytes, true));
    EXPECT(mapped != nullptr, "%s should be mapped", path);
    uint64_t* results = nullptr;
    CUDA(cudaMalloc(&results, bytes));
    produce<<<144, 256>>>(results, words);
    FINISH_KERNEL();
    {
      const bench::Phase phase("persist");
      CUDA(cudaMemcpy(mapped, results, bytes, cudaMemcpyDeviceToHost));
      EXPECT(host_persist(mapped, bytes, options.shape.threads) == 0, "the host should have flushed %zu bytes", bytes);
    }
    FINISH_KERNEL();
    check_words(mapped, words);
    EXPECT(host_unmap(path, mapped, bytes) == 0, "%s should be unmapped", path);
  }
  bench::print_phases({"persist"});
  PASS("%u MiB by %u threads", options.shape.mib, options.shape.threads);
}
