// A program of four files: two with device code that refer to each other's functions, variables, tables and classes,
// one for the host compiler alone, and this one. Exercises: relocatable device code (-rdc=true), extern device symbols,
// equal names with internal linkage.
//
// build: -rdc=true sampling.cu polynomial.cu reference.cpp
// deterministic: yes
#include "../check.h"
#include "sampling.h"

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 200, 1, 200);
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) want[i] = reference(i, n);
  DeviceArray<int> out(n);
  CUDA(sample_on_device(out, n));
  FINISH_KERNEL();
  EXPECT_SAME(want, out.download(), "sample");
  int count = 0;
  CUDA(evaluations_so_far(&count));
  EXPECT(count == n, "%d evaluations should be counted, are %d", n, count);
  return PASS("n=%d", n);
}
