// What the programs of this folder share: drives and a cache from arguments, and a line about what the cache did.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <everwarp/host.cuh>
#include <everwarp/storage.cuh>
#include <memory>
#include <string>
#include <vector>

namespace setup {

__host__ __device__ inline unsigned long long mix(unsigned long long x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Options NAME=VALUE of the command line; anything else is a mistake that names what there is.
class options {
 public:
  struct option {
    const char* name;
    unsigned long long value;
    const char* meaning;
  };
  options(std::vector<option> all, int argc, char** argv, int first = 1) : all_(std::move(all)) {
    for (int i = first; i < argc; ++i) read(argv[i]);
  }
  unsigned long long operator[](const std::string& name) const {
    for (const option& each : all_)
      if (name == each.name) return each.value;
    abort();
  }

 private:
  void read(const std::string& text) {
    const size_t equals = text.find('=');
    for (option& each : all_) {
      if (equals == text.npos || text.substr(0, equals) != each.name) continue;
      char* end = nullptr;
      each.value = strtoull(text.c_str() + equals + 1, &end, 0);
      if (*end == 0 && equals + 1 < text.size()) return;
      throw std::runtime_error("expected a whole number: " + text);
    }
    std::string known;
    for (const option& each : all_)
      known += std::string("\n  ") + each.name + "=" + std::to_string(each.value) + "   " + each.meaning;
    throw std::runtime_error("no option is called \"" + text + "\"; there are" + known);
  }
  std::vector<option> all_;
};

/// The options that drives() and config() read.
inline std::vector<options::option> with_cache(std::vector<options::option> own, unsigned line, unsigned slots) {
  own.push_back({"line", line, "bytes of a line of the cache"});
  own.push_back({"slots", slots, "lines that the cache holds"});
  own.push_back({"drives", 1, "drives that are used"});
  own.push_back({"replicated", 0, "1: every line is on every drive; 0: lines are spread"});
  own.push_back({"fifo", 0, "1: replacement is fifo; 0: clock"});
  own.push_back(
      {"confirms", 0, "1: a second command confirms that data have come, for many reads; 2: one for each read"});
  own.push_back({"pairs", 2, "pairs of queues of each drive"});
  own.push_back({"entries", 64, "entries of each ring"});
  return own;
}
inline bam::cache_config config(const options& given, unsigned long long bytes) {
  bam::cache_config c;
  c.line = static_cast<unsigned>(given["line"]), c.slots = static_cast<unsigned>(given["slots"]);
  c.bytes = (bytes + c.line - 1) / c.line * c.line;
  c.pairs = static_cast<unsigned>(given["pairs"]), c.entries = static_cast<unsigned>(given["entries"]);
  c.placement = given["replicated"] ? bam::placement::replicated : bam::placement::striped;
  if (given["confirms"] > 2) throw std::runtime_error("confirms should be 0 to 2");
  c.confirms = static_cast<bam::confirms>(given["confirms"]);
  c.replacement = given["fifo"] ? bam::replacement::fifo : bam::replacement::clock;
  return c;
}

class drives {
 public:
  explicit drives(const options& given) : drives(static_cast<int>(given["drives"])) {}
  explicit drives(int many) {
    if (storage_drives() < many)
      throw std::runtime_error("it needs " + std::to_string(many) + " drives, and this machine has " +
                               std::to_string(storage_drives()) +
                               ": ew run --set storage.drives=" + std::to_string(many));
    for (int drive = 0; drive < many; ++drive) owned_.push_back(std::make_unique<bam::controller>(drive));
    for (const auto& each : owned_) all_.push_back(each.get());
  }
  const std::vector<bam::controller*>& all() const { return all_; }

 private:
  std::vector<std::unique_ptr<bam::controller>> owned_;
  std::vector<bam::controller*> all_;
};

/// Milliseconds of what `launch` launches; a range of this name, too.
template <class Launch>
float timed(const char* name, Launch launch) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  cudaEventRecord(begin);
  measure_begin(name);
  launch();
  measure_end(name);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  cudaEventDestroy(begin), cudaEventDestroy(end);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess)
    throw std::runtime_error(std::string("a kernel: ") + cudaGetErrorString(error));
  return milliseconds;
}

/// Registers of a thread of a kernel, as metrics of a study: printed.registers, and printed.registers_plain of the same
/// kernel over plain memory.
template <class Kernel, class Plain>
void print_registers(Kernel* kernel, Plain* plain) {
  cudaFuncAttributes has{};
  if (cudaFuncGetAttributes(&has, reinterpret_cast<const void*>(kernel)) != cudaSuccess) return;
  printf("figure registers %d\n", has.numRegs);
  if (cudaFuncGetAttributes(&has, reinterpret_cast<const void*>(plain)) != cudaSuccess) return;
  printf("figure registers_plain %d\n", has.numRegs);
}

/// `bytes`: of each read; 0: a line.
inline void print(const char* what, const bam::cache& cache, float milliseconds, unsigned long long bytes = 0) {
  const bam::cache_statistics s = cache.statistics();
  const unsigned long long accesses = s.thread_hits + s.thread_misses + s.reused, line = cache.config().line;
  printf(
      "%s: %.3f ms; %llu accesses, %llu hit; %llu probes, %llu hit; %llu reads (%llu bytes), %llu writes (%llu "
      "bytes)\n",
      what, milliseconds, accesses, static_cast<unsigned long long>(s.thread_hits + s.reused),
      static_cast<unsigned long long>(s.line_hits + s.line_misses), static_cast<unsigned long long>(s.line_hits),
      static_cast<unsigned long long>(s.reads), s.reads * (bytes ? bytes : line),
      static_cast<unsigned long long>(s.writes), s.writes * line);
}

/// main(): 0, 1 for a failure, 77 for a machine without drives, if it `needs_drives`.
template <class Body>
int run(const char* name, Body body, bool needs_drives = true) {
  if (needs_drives && storage_drives() == 0) {
    printf("%s: needs drives: ew run --set storage.drives=1\n", name);
    return 77;
  }
  try {
    const std::string why = body();
    if (!why.empty()) {
      printf("FAIL %s: %s\n", name, why.c_str());
      return 1;
    }
  } catch (const std::exception& mistake) {
    printf("FAIL %s: %s\n", name, mistake.what());
    return 1;
  }
  printf("PASS %s\n", name);
  return 0;
}

}  // namespace setup
