// The error of every device math function as kernels compute it, beside CUDA's bound. Arguments: points a function
// (default 2000), then `page FILE` to print docs/math-accuracy.md (FILE: figures that the libclc variant printed), or
// `only NAME`. Exit status 1 if a function misses its bound. Variants: --use_fast_math measures what that option
// changes; -DEW_LIBCLC measures LLVM's libclc instead. tests/math/page builds all three and writes the page.
#include <cuda_runtime.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "approximate.hpp"
#include "narrow.hpp"
#include "rows.hpp"

template <class Call, class T>
__global__ void apply(const T* x, const T* y, const T* z, const T* w, T* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = Call{}(x[i], y[i], z[i], w[i]);
}

template <class Call, class T>
__global__ void apply_to_every_pattern(T* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = Call{}(__builtin_bit_cast(T, static_cast<unsigned short>(i)));
}

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(2);
}

struct OnDevice {
  mutable bool fault = false;  // the last function did not end well

  // libclc may fault: its figure says so, and the next function starts on a fresh device.
  bool stopped() const {
    const cudaError_t error = cudaDeviceSynchronize();
    fault = error != cudaSuccess;
#if defined(EW_LIBCLC)
    if (fault) check(cudaDeviceReset());
#else
    check(error);
#endif
    return fault;
  }

  template <class Call, class T>
  void operator()(Call, const std::vector<T> (&a)[4], std::vector<T>& results) const {
    const std::size_t n = results.size(), bytes = n * sizeof(T);
    T* buffer;
    check(cudaMalloc(reinterpret_cast<void**>(&buffer), 5 * bytes));
    for (int i = 0; i < 4; ++i) check(cudaMemcpy(buffer + i * n, a[i].data(), bytes, cudaMemcpyHostToDevice));
    apply<Call, T><<<static_cast<unsigned>((n + 255) / 256), 256>>>(buffer, buffer + n, buffer + 2 * n, buffer + 3 * n,
                                                                    buffer + 4 * n, static_cast<unsigned>(n));
    check(cudaGetLastError());
    if (stopped()) return;
    check(cudaMemcpy(results.data(), buffer + 4 * n, bytes, cudaMemcpyDeviceToHost));
    check(cudaFree(buffer));
  }

  template <class Call, class T>
  void operator()(Call, std::vector<T>& results) const {
    T* out;
    check(cudaMalloc(reinterpret_cast<void**>(&out), 65536 * sizeof(T)));
    apply_to_every_pattern<Call, T><<<256, 256>>>(out);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(results.data(), out, 65536 * sizeof(T), cudaMemcpyDeviceToHost));
    check(cudaFree(out));
  }
};

// Which functions --use_fast_math exchanges; their bounds are in approximate.inc.
bool exchanged(const std::string& name) {
  for (const char* fast_name :
       {"sinf", "cosf", "tanf", "expf", "exp2f", "exp10f", "logf", "log2f", "log10f", "powf", "sqrtf"})
    if (name == fast_name) return true;
  return false;
}

struct Program {
  std::size_t points = 2000;
  std::string only;
  bool page = false;
  std::map<std::string, std::string> libclc;  // "sinf" -> its difference in ulp
  int rows_measured = 0, misses = 0;

  bool wanted(const std::string& name) const { return only.empty() || name == only || name == only + "f"; }

  void standard_functions();
  void approximations();
  void narrow_functions();

 private:
  void print_row(const accuracy::Row& single, const accuracy::Row& twice) const;
  void report(const accuracy::Row& row);
};

std::string figure(double value) {
  std::ostringstream text;
  text.precision(3);
  text << value;
  return text.str();
}

void Program::report(const accuracy::Row& row) {
  ++rows_measured;
  if (row.passes()) return;
  ++misses;
  std::fprintf(stderr, "FAIL %s: %g ulp, %g absolute, bound %g, at %a %a: got %a, wanted %a\n", row.name.c_str(),
               row.result.difference, row.result.absolute, row.bound, row.result.at[0], row.result.at[1],
               row.result.got, row.result.wanted);
}

void Program::print_row(const accuracy::Row& single, const accuracy::Row& twice) const {
  std::printf("| `%s` |", twice.name.c_str());
  for (const accuracy::Row* row : {&single, &twice}) {
    if (row->absolute) {
      std::printf(" %.2g | %.2g |", row->result.absolute, row->bound);
      continue;
    }
    const auto other = libclc.find(row->name);
    std::printf(" %s | %g | %g | %s |", figure(row->result.worst).c_str(), row->result.difference, row->bound,
                other == libclc.end() ? "-" : other->second.c_str());
  }
  std::printf("\n");
}

void Program::standard_functions() {
  std::vector<accuracy::Row> rows;
  OnDevice evaluate;
  accuracy::measure_all(points, only, evaluate, [&](const accuracy::Row& row) {
#if defined(EW_LIBCLC)
    const std::string name = row.is_float ? row.name.substr(0, row.name.size() - 1) : row.name;
    if (libclc_has(name) && !row.absolute)
      std::printf("%s %s\n", row.name.c_str(), evaluate.fault ? "faults" : figure(row.result.difference).c_str());
#else
    if (accuracy::fast && (!row.is_float || exchanged(row.name))) return;
    report(row);
    rows.push_back(row);
#endif
  });
  if (!page || accuracy::fast) return;
  std::printf(
      "| function | float: error | off | CUDA | libclc | double: error | off | CUDA | libclc |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  for (std::size_t i = 0; i + 1 < rows.size(); i += 2)
    if (!rows[i].absolute) print_row(rows[i], rows[i + 1]);
  std::printf(
      "\nBessel functions beyond 8 are bounded in absolute error (`j128` is `jn(128, x)`, `y7` is `yn(7, x)`):\n\n"
      "| function | float: error | CUDA | double: error | CUDA |\n|---|---|---|---|---|\n");
  for (std::size_t i = 0; i + 1 < rows.size(); i += 2)
    if (rows[i].absolute) print_row(rows[i], rows[i + 1]);
}

// A condition or bound as it stands in a table cell.
std::string cell(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

void Program::approximations() {
  static const char* const units[] = {"ulp", "absolute", "relative"};
  if (page) std::printf("| function | where | error | bound | used |\n|---|---|---|---|---|\n");
  OnDevice evaluate;
  accuracy::measure_approximations(points, evaluate, [&](const accuracy::ApproximateRow& row) {
    if (!wanted(row.name)) return;
    ++rows_measured;
    if (page)
      std::printf("| `%s` | `%s` | %s %s | `%s` | %.0f %% |\n", row.name.c_str(), cell(row.where).c_str(),
                  figure(row.worst).c_str(), units[static_cast<int>(row.unit)], row.bound.c_str(), 100 * row.share);
    if (row.share <= 1 && row.points > 0) return;
    ++misses;
    std::fprintf(stderr, "FAIL %s: %g %s at %a %a: got %a, wanted %a; bound %s\n", row.name.c_str(), row.worst,
                 units[static_cast<int>(row.unit)], row.x, row.y, row.got, row.wanted, row.bound.c_str());
  });
}

void Program::narrow_functions() {
  if (page) std::printf("| function | half: off | bfloat16: off | CUDA |\n|---|---|---|---|\n");
  OnDevice evaluate;
  accuracy::measure_narrow_functions(evaluate, [&](const accuracy::NarrowRow& row) {
    if (!wanted(row.name)) return;
    ++rows_measured;
    if (page) std::printf("| `%s` | %g | %g | 0 |\n", row.name, row.half, row.bfloat16);
    if (row.misses == 0) return;
    ++misses;
    std::fprintf(stderr, "FAIL %s: %u results are not the nearest value, first at 0x%04x\n", row.name, row.misses,
                 row.first);
  });
}

void read_figures(const char* path, std::map<std::string, std::string>& figures) {
  std::ifstream file(path);
  for (std::string name, value; file >> name >> value;) figures[name] = value;
}

}  // namespace

int main(int argc, char** argv) {
  Program program;
  if (argc > 1) program.points = std::strtoull(argv[1], nullptr, 10);
  if (argc > 3 && std::string(argv[2]) == "only") program.only = argv[3];
  if (argc > 3 && std::string(argv[2]) == "page") program.page = true, read_figures(argv[3], program.libclc);
  program.standard_functions();
#if !defined(EW_LIBCLC)
  if (program.page && !accuracy::fast) std::printf("\n## Fast intrinsics\n\n");
  program.approximations();
  if (program.page && !accuracy::fast) std::printf("\n## Half precision and bfloat16\n\n");
  if (!accuracy::fast) program.narrow_functions();
  if (!program.page) std::printf("%d bounds, %d missed\n", program.rows_measured, program.misses);
#endif
  return program.misses != 0 || (program.rows_measured == 0 && program.page);
}
