// printf from kernels: all conversions, strings, from several threads; the output is caught in a file and compared with
// what the host's printf writes. Exercises: device printf, its buffer and its flush at synchronisation.
//
// deterministic: yes
#include <unistd.h>

#include <string>

#include "check.h"

namespace {

__device__ const char* const kColours[] = {"red", "green", "blue"};

__global__ void speak() {
  const int t = threadIdx.x;
  printf("thread %d of %u: %s\n", t, blockDim.x, kColours[t % 3]);
  if (t != 1) return;
  const long long big = -123456789012345ll;
  printf("%5d|%-5d|%05d|%+d|% d|%x|%X|%#x|%o\n", 42, 42, 42, 42, 42, 48879, 48879, 48879, 8);
  printf("%u %lld %llu %lx %c %%\n", 4000000000u, big, 18446744073709551615ull, 255ul, 'z');
  printf("%f %.3f %10.2f %-10.2f| %e %g %G\n", 3.25, 2.0 / 3, 1234.5, 1234.5, 12345.678, 1e-7, 0.5);
  printf("%s %10s %-10s|%.2s|\n", "plain", "right", "left", "cut");
  printf("%*d|%.*f\n", 7, 99, 2, 3.14159);
  printf("nothing to convert\n");
  printf("%hd %d %f\n", static_cast<short>(-3), static_cast<char>(65), 1.5f);
  const int written = printf("%d %d %d\n", 1, 2, 3);
  printf("arguments: %d\n", written);  // on the device printf returns the number of arguments
}

}  // namespace

int main() {
  fflush(stdout);
  const int saved = dup(1);
  FILE* caught = tmpfile();
  EXPECT(saved >= 0 && caught != nullptr, "the standard output should be divertible");
  dup2(fileno(caught), 1);
  speak<<<1, 4>>>();
  const cudaError_t launched = cudaGetLastError(), finished = cudaDeviceSynchronize();
  fflush(stdout);
  dup2(saved, 1);
  close(saved);
  CUDA(launched);
  CUDA(finished);

  std::string got(16384, '\0');
  rewind(caught);
  got.resize(fread(&got[0], 1, got.size(), caught));
  fclose(caught);
  std::string want;
  char line[256];
  const auto expect_line = [&](const char* format, auto... values) {
    snprintf(line, sizeof line, format, values...);
    want += line;
  };
  const char* colours[] = {"red", "green", "blue"};
  for (int t = 0; t < 4; ++t) expect_line("thread %d of %u: %s\n", t, 4u, colours[t % 3]);
  expect_line("%5d|%-5d|%05d|%+d|% d|%x|%X|%#x|%o\n", 42, 42, 42, 42, 42, 48879, 48879, 48879, 8);
  expect_line("%u %lld %llu %lx %c %%\n", 4000000000u, -123456789012345ll, 18446744073709551615ull, 255ul, 'z');
  expect_line("%f %.3f %10.2f %-10.2f| %e %g %G\n", 3.25, 2.0 / 3, 1234.5, 1234.5, 12345.678, 1e-7, 0.5);
  expect_line("%s %10s %-10s|%.2s|\n", "plain", "right", "left", "cut");
  expect_line("%*d|%.*f\n", 7, 99, 2, 3.14159);
  want += "nothing to convert\n";
  expect_line("%hd %d %f\n", static_cast<short>(-3), static_cast<char>(65), 1.5f);
  want += "1 2 3\narguments: 3\n";
  EXPECT(got == want, "the device should print\n%s(end), printed\n%s(end)", want.c_str(), got.c_str());
  return PASS("bytes=%zu", got.size());
}
