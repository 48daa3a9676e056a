// One program under the seven systems of the GPM paper's comparison ("GPM", ASPLOS'22): 4,096 counters, a round adds to
// each. docs/seven-systems.md explains it. A file has a word (the rounds that are complete) and two copies of the
// counters; round r is copy r % 2, so a crash in it leaves copy r - 1 whole.
//
//   seven_systems run SYSTEM [ROUNDS]      seven_systems recover SYSTEM
// deterministic: yes
#include <cstdio>
#include <cstdlib>
#include <everwarp/gpm.cuh>
#include <everwarp/gpufs.cuh>
#include <everwarp/host.cuh>
#include <string>

constexpr unsigned kCount = 4096, kBlock = 128, kHeader = 64, kHostThreads = 4;
constexpr size_t kCopy = kCount * sizeof(unsigned), kFile = kHeader * sizeof(unsigned) + 2 * kCopy;
constexpr const char* kPath = "counters.pool";

// file[0]: the word; file + kHeader: the copies.
__host__ __device__ size_t copy_at(unsigned round) {
  return kHeader + round % 2 * kCount;
}

__global__ void step(unsigned* file, unsigned round, bool fence) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  file[copy_at(round) + i] = file[copy_at(round - 1) + i] + i;
  if (fence) gpm_persist();
}
__global__ void finish(unsigned* file, unsigned round, bool fence) {
  file[0] = round;
  if (fence) gpm_persist();
}
__global__ void write_file(gpufs fs, int number, const unsigned* file, size_t at, size_t count) {
  const size_t share = count / gridDim.x, first = at + blockIdx.x * share;  // in words
  gwrite(fs, number, static_cast<int>(4 * first), static_cast<int>(4 * share), file + first);
  gfsync(fs, number);
}

struct Program {
  std::string system = "GPM";
  unsigned* kernels = nullptr;  // where kernels find the file: the pool, or a copy in device memory
  unsigned* mapped = nullptr;   // where the host finds it
  host_file_t file = nullptr;   // CAP-fs, GPUfs
  gpufs fs = {};
  int number = -1;

  bool is(const char* name) const { return system == name; }
  bool gpm() const { return is("GPM") || is("GPM-eADR"); }
  bool kernels_store() const { return gpm() || is("GPM-NDP"); }

  bool open(bool create) {
    if (kernels_store()) {
      kernels = mapped = static_cast<unsigned*>(gpm_map(kPath, create ? kFile : 0, create));
      return mapped;
    }
    if (cudaMalloc(&kernels, kFile) != cudaSuccess || cudaMemset(kernels, 0, kFile) != cudaSuccess) return false;
    if (is("CAP-mm") || is("CAP-eADR")) return mapped = static_cast<unsigned*>(host_map(kPath, kFile, create));
    if (!(file = host_file_open(kPath, kFile, create)) || cudaMallocHost(&mapped, kFile) != cudaSuccess) return false;
    if (host_file_read(file, 0, mapped, kFile) != 0 || cudaDeviceSynchronize() != cudaSuccess) return false;
    if (is("CAP-fs")) return true;
    return gpufs_start(&fs, 16, 4096, 1) == 0 && (number = gpufs_offer(&fs, file, "counters")) >= 0;
  }

  /// `count` words from word `at` on, which kernels have stored, are durable when this and a wait are over.
  void persist(size_t at, size_t count) {
    const size_t bytes = count * sizeof(unsigned);
    if (gpm()) return;  // the kernel's fences, and its end
    if (is("GPM-NDP")) host_persist(mapped + at, bytes, kHostThreads);
    if (is("GPUfs")) write_file<<<at == 0 ? 1 : 16, kBlock>>>(fs, number, kernels, at, count);
    if (kernels_store() || is("GPUfs")) return;
    cudaMemcpyAsync(mapped + at, kernels + at, bytes, cudaMemcpyDeviceToHost);
    if (is("CAP-mm")) host_persist(mapped + at, bytes, kHostThreads);
    if (is("CAP-fs")) host_file_write(file, at * sizeof(unsigned), mapped + at, bytes), host_file_sync(file);
  }

  bool run(unsigned first, unsigned last) {
    if (is("GPM")) gpm_persist_begin();
    for (unsigned round = first; round <= last; ++round) {
      measure_begin("round");
      step<<<kCount / kBlock, kBlock>>>(kernels, round, gpm());
      persist(copy_at(round), kCount);
      finish<<<1, 1>>>(kernels, round, gpm());  // behind the counters, in the order of the stream
      persist(0, 1);
      measure_end("round");
      if (cudaDeviceSynchronize() != cudaSuccess) return false;
      gpm_acknowledge(round);
    }
    if (is("GPM")) gpm_persist_end();
    return true;
  }

  /// The rounds that are complete; -1: the counters of a complete round are wrong.
  int check() {
    if (!kernels_store() && cudaMemcpy(mapped, kernels, kFile, cudaMemcpyDeviceToHost) != cudaSuccess) return -1;
    const unsigned round = mapped[0], *copy = mapped + copy_at(round);
    for (unsigned i = 0; i < kCount; ++i)
      if (copy[i] != round * i)
        return printf("FAIL seven_systems: counter %u is %u after round %u\n", i, copy[i], round), -1;
    return static_cast<int>(round);
  }
};

int main(int argc, char** argv) {
  const bool recover = argc > 1 && std::string(argv[1]) == "recover";
  Program program;
  if (argc > 2) program.system = argv[2];
  const unsigned rounds = argc > 3 ? static_cast<unsigned>(atoi(argv[3])) : 4;
  if ((program.is("GPM-eADR") || program.is("CAP-eADR")) && !host_cache_durable())
    return puts("eADR: say --set nvm.eadr=true"), 2;
  if (recover && gpm_size(kPath) == 0) return gpm_acknowledged() ? 1 : (puts("no file yet"), 0);
  if (!program.open(!recover)) return 2;
  int found = 0;
  if (recover) {
    if (!program.kernels_store() &&
        cudaMemcpy(program.kernels, program.mapped, kFile, cudaMemcpyHostToDevice) != cudaSuccess)
      return 2;
    found = program.check();
    if (found < static_cast<int>(gpm_acknowledged()))
      return printf("FAIL seven_systems: round %d, acknowledged %llu\n", found, gpm_acknowledged()), 1;
  }
  if (!program.run(static_cast<unsigned>(found) + 1, static_cast<unsigned>(found) + rounds)) return 1;
  if (program.check() != found + static_cast<int>(rounds)) return 1;
  if (program.number >= 0) gpufs_stop(&program.fs);
  printf("PASS seven_systems %s: %.1f us a round\n", program.system.c_str(),
         static_cast<double>(measured("round")) / 1e3 / rounds);
}
