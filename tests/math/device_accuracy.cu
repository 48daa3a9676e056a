// The error of every device math function as a kernel computes it, beside CUDA's bound: prints docs/math-accuracy.md.
//   ew build -O2 device_accuracy.cu -lquadmath -o device_accuracy && ew run ./device_accuracy 1000000 >
//   math-accuracy.md
// Arguments: points a function (default 20000), and a name to measure that function alone. Exit status 1 if one misses.
#include <cuda_runtime.h>

#include <algorithm>
#include <map>

#include "rows.hpp"

template <class Call, class T>
__global__ void apply(const T* x, const T* y, const T* z, const T* w, T* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = Call{}(x[i], y[i], z[i], w[i]);
}

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(2);
}

struct OnDevice {
  template <class Call, class T>
  void operator()(Call, const std::vector<T> (&a)[4], std::vector<T>& results) const {
    const std::size_t n = results.size(), bytes = n * sizeof(T);
    T* buffer;
    check(cudaMalloc(reinterpret_cast<void**>(&buffer), 5 * bytes));
    for (int i = 0; i < 4; ++i) check(cudaMemcpy(buffer + i * n, a[i].data(), bytes, cudaMemcpyHostToDevice));
    apply<Call, T><<<static_cast<unsigned>((n + 255) / 256), 256>>>(buffer, buffer + n, buffer + 2 * n, buffer + 3 * n,
                                                                    buffer + 4 * n, static_cast<unsigned>(n));
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(results.data(), buffer + 4 * n, bytes, cudaMemcpyDeviceToHost));
    check(cudaFree(buffer));
  }
};

void print_cell(const accuracy::Row& row) {
  if (row.absolute) {
    std::printf(" %.2g | %.2g |", row.result.absolute, row.bound);
  } else {
    std::printf(" %.3g | %g | %g |", row.result.worst, row.result.difference, row.bound);
  }
}

void print_table(const std::vector<accuracy::Row>& rows, bool absolute) {
  for (std::size_t i = 0; i + 1 < rows.size(); i += 2) {
    if (rows[i].absolute != absolute) continue;
    std::printf("| `%s` |", rows[i + 1].name.c_str());
    print_cell(rows[i]);
    print_cell(rows[i + 1]);
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t points = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20000;
  std::vector<accuracy::Row> rows;
  OnDevice evaluate;
  int failures = 0;
  accuracy::measure_all(points, argc > 2 ? argv[2] : "", evaluate, [&](const accuracy::Row& row) {
    rows.push_back(row);
    if (row.passes()) return;
    ++failures;
    std::fprintf(stderr, "FAIL %s: %g ulp, %g absolute, bound %g, at %a %a: got %a, wanted %a\n", row.name.c_str(),
                 row.result.difference, row.result.absolute, row.bound, row.result.at[0], row.result.at[1],
                 row.result.got, row.result.wanted);
  });
  std::printf(
      "# Accuracy of the device math functions\n\n"
      "Measured by `tests/math/device_accuracy.cu`, which prints this page: %zu points a function and precision, half\n"
      "of them dense where the function varies, half random patterns over every exponent, and the special values\n"
      "in every combination; references of 113 bits. *error* is the largest distance from the exact value in ulp;\n"
      "*off* is the largest difference in ulp from the correctly rounded result, which is what CUDA's bound (the\n"
      "programming guide's tables of standard functions) limits. A number where the reference has none, or the\n"
      "reverse, would count as infinite.\n\n",
      points);
  std::printf(
      "| function | float: error | off | CUDA's bound | double: error | off | CUDA's bound |\n"
      "|---|---|---|---|---|---|---|\n");
  print_table(rows, false);
  std::printf(
      "\nBessel functions beyond 8 are bounded in absolute error (`j128` is `jn(128, x)`, `y7` is `yn(7, x)`):\n\n"
      "| function | float: error | CUDA's bound | double: error | CUDA's bound |\n|---|---|---|---|---|\n");
  print_table(rows, true);
  if (failures) std::fprintf(stderr, "FAIL %d of %zu\n", failures, rows.size());
  return failures != 0;
}
