// Finds all occurrences of several patterns in a text with shared-memory staging and the Boyer-Moore-Horspool shift,
// one segment a thread. Exercises: byte arrays in shared and constant memory, data-dependent strides, early loop exits.
//
// deterministic: yes
#include <string>

#include "check.h"

namespace {

constexpr int kSegment = 32;  // text positions a thread
constexpr int kThreads = 64;
constexpr int kLongest = 16;

__constant__ unsigned char pattern[kLongest];
__constant__ unsigned char shift[256];

__global__ void search(const unsigned char* text, int length, int pattern_length, int* matches,
                       unsigned* position_sum) {
  __shared__ unsigned char stage[kThreads * kSegment + kLongest];
  const int base = blockIdx.x * kThreads * kSegment;
  const int here = min(static_cast<int>(sizeof(stage)), length - base);
  for (int i = threadIdx.x; i < here; i += kThreads) stage[i] = text[base + i];
  __syncthreads();
  int at = threadIdx.x * kSegment;
  const int end = min(at + kSegment, here - pattern_length + 1);
  while (at < end) {
    int k = pattern_length - 1;
    while (k >= 0 && stage[at + k] == pattern[k]) --k;
    if (k < 0) {
      atomicAdd(matches, 1);
      atomicAdd(position_sum, static_cast<unsigned>(base + at));
    }
    at += shift[stage[at + pattern_length - 1]];
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int length = size_argument(argc, argv, 1, 9000, 64, 1 << 26);
  Random random(41);
  std::string text;
  for (int i = 0; i < length; ++i) text += "abc"[random.below(3) & random.below(3)];
  DeviceArray<unsigned char> device_text(std::vector<unsigned char>(text.begin(), text.end()));
  int all = 0;
  for (const std::string& needle : {std::string("a"), std::string("aba"), std::string("caac"), text.substr(50, 11)}) {
    int want = 0;
    unsigned want_sum = 0;
    for (size_t at = text.find(needle); at != std::string::npos; at = text.find(needle, at + 1))
      ++want, want_sum += static_cast<unsigned>(at);
    const int n = static_cast<int>(needle.size());
    std::vector<unsigned char> shifts(256, static_cast<unsigned char>(n));
    for (int i = 0; i + 1 < n; ++i)
      shifts[static_cast<unsigned char>(needle[i])] = static_cast<unsigned char>(n - 1 - i);
    CUDA(cudaMemcpyToSymbol(pattern, needle.data(), n));
    CUDA(cudaMemcpyToSymbol(shift, shifts.data(), 256));
    DeviceArray<int> matches(1, 0);
    DeviceArray<unsigned> sum(1, 0);
    const int blocks = (length + kThreads * kSegment - 1) / (kThreads * kSegment);
    search<<<blocks, kThreads>>>(device_text, length, n, matches, sum);
    FINISH_KERNEL();
    EXPECT(matches.download()[0] == want, "'%s' should occur %d times, found %d", needle.c_str(), want,
           matches.download()[0]);
    EXPECT(sum.download()[0] == want_sum, "the positions of '%s' should sum to %u, are %u", needle.c_str(), want_sum,
           sum.download()[0]);
    all += want;
  }
  return PASS("length=%d matches=%d", length, all);
}
