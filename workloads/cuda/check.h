// What every program of this suite shares: command-line sizes, a fixed-seed generator, a device array that frees
// itself, comparisons against a CPU reference, and the one last line `PASS name ...` or `FAIL name: what was expected,
// what came`. The program's name is the stem of the file that uses the macros (CUDA, FINISH_KERNEL: of the file that
// is compiled). Plain CUDA: nothing here is special to a simulator.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace check {

// "folder/scan.cu" -> prints "scan".
inline void print_verdict(const char* verdict, const char* file, const char* separator, const char* format,
                          va_list list) {
  const char* slash = strrchr(file, '/');
  const char* stem = slash ? slash + 1 : file;
  const char* dot = strrchr(stem, '.');
  printf("%s %.*s%s", verdict, static_cast<int>(dot ? dot - stem : strlen(stem)), stem, separator);
  vprintf(format, list);
  printf("\n");
  fflush(stdout);
}

inline int passed(const char* file, const char* format, ...) {
  va_list list;
  va_start(list, format);
  print_verdict("PASS", file, " ", format, list);
  va_end(list);
  return 0;
}

[[noreturn]] inline void failed(const char* file, const char* format, ...) {
  va_list list;
  va_start(list, format);
  print_verdict("FAIL", file, ": ", format, list);
  va_end(list);
  exit(1);
}

inline void require_success(cudaError_t error, const char* call, const char* program, const char* file, int line) {
  if (error == cudaSuccess) return;
  const char* slash = strrchr(file, '/');
  failed(program, "%s:%d: %s should succeed, but returned %s (%s)", slash ? slash + 1 : file, line, call,
         cudaGetErrorName(error), cudaGetErrorString(error));
}

// The integer given as argument number `index` of main, or `fallback`; outside [lowest, highest] the program fails.
inline int size_argument(int argc, char** argv, int index, int fallback, int lowest, int highest) {
  if (argc <= index) return fallback;
  const long value = strtol(argv[index], nullptr, 10);
  if (value >= lowest && value <= highest) return static_cast<int>(value);
  failed(argv[0], "argument %d should be between %d and %d, but is %s", index, lowest, highest, argv[index]);
}

// A small fixed-seed generator (splitmix64), so that no result depends on the C++ library's distributions.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>((next() >> 32) * bound >> 32); }
  float uniform() { return static_cast<float>(next() >> 40) * 0x1p-24f; }  // [0, 1)
  float between(float low, float high) { return low + (high - low) * uniform(); }

 private:
  uint64_t state_;
};

inline bool close_to(double want, double got, double relative, double absolute) {
  return std::fabs(want - got) <= absolute + relative * std::fabs(want);  // false for NaN
}

template <class T>
void require_same(const std::vector<T>& want, const std::vector<T>& got, const char* what, const char* file) {
  if (want.size() != got.size()) failed(file, "%s should have %zu elements, has %zu", what, want.size(), got.size());
  for (size_t i = 0; i < want.size(); ++i) {
    if (want[i] == got[i]) continue;
    failed(file, "%s[%zu] should be %.17g, is %.17g", what, i, static_cast<double>(want[i]),
           static_cast<double>(got[i]));
  }
}

template <class T>
void require_near(const std::vector<T>& want, const std::vector<T>& got, double relative, double absolute,
                  const char* what, const char* file) {
  if (want.size() != got.size()) failed(file, "%s should have %zu elements, has %zu", what, want.size(), got.size());
  for (size_t i = 0; i < want.size(); ++i) {
    if (close_to(want[i], got[i], relative, absolute)) continue;
    failed(file, "%s[%zu] should be %.9g, is %.9g", what, i, static_cast<double>(want[i]), static_cast<double>(got[i]));
  }
}

}  // namespace check

#define CUDA(call) check::require_success((call), #call, __BASE_FILE__, __FILE__, __LINE__)
#define EXPECT(condition, ...)                              \
  do {                                                      \
    if (!(condition)) check::failed(__FILE__, __VA_ARGS__); \
  } while (0)
#define EXPECT_SAME(want, got, what) check::require_same(want, got, what, __FILE__)
#define EXPECT_NEAR(want, got, relative, absolute, what) \
  check::require_near(want, got, relative, absolute, what, __FILE__)
#define PASS(...) check::passed(__FILE__, __VA_ARGS__)
#define FINISH_KERNEL()            \
  do {                             \
    CUDA(cudaGetLastError());      \
    CUDA(cudaDeviceSynchronize()); \
  } while (0)

namespace check {

// An array in device memory, owned by the host object.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) { CUDA(cudaMalloc(&data_, (count ? count : 1) * sizeof(T))); }
  DeviceArray(size_t count, int byte) : DeviceArray(count) { CUDA(cudaMemset(data_, byte, count * sizeof(T))); }
  explicit DeviceArray(const std::vector<T>& from) : DeviceArray(from.size()) { upload(from); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* get() const { return data_; }
  operator T*() const { return data_; }
  size_t size() const { return count_; }
  void upload(const std::vector<T>& from) {
    CUDA(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> download() const {
    std::vector<T> to(count_);
    CUDA(cudaMemcpy(to.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }

 private:
  T* data_ = nullptr;
  size_t count_ = 0;
};

}  // namespace check

using check::DeviceArray;
using check::Random;
using check::size_argument;
