// A small stack machine whose instructions are function pointers in a table in device memory; also a pointer fetched
// from a __device__ variable by the host and passed to a kernel. Exercises: indirect calls, divergent targets, tables
// of code.
//
// deterministic: yes
#include "check.h"

namespace {

struct Machine {
  unsigned stack[16];
  int depth;
};
using Operation = void (*)(Machine&, int operand);

__host__ __device__ void push(Machine& m, int operand) {
  m.stack[m.depth++] = static_cast<unsigned>(operand);
}
__host__ __device__ void add(Machine& m, int) {
  --m.depth, m.stack[m.depth - 1] += m.stack[m.depth];
}
__host__ __device__ void multiply(Machine& m, int) {
  --m.depth, m.stack[m.depth - 1] *= m.stack[m.depth];
}
__host__ __device__ void negate(Machine& m, int) {
  m.stack[m.depth - 1] = -m.stack[m.depth - 1];
}
__host__ __device__ void duplicate(Machine& m, int) {
  m.stack[m.depth] = m.stack[m.depth - 1], ++m.depth;
}

__device__ Operation device_table[] = {push, add, multiply, negate, duplicate};
const Operation host_table[] = {push, add, multiply, negate, duplicate};
enum Code { kPush, kAdd, kMultiply, kNegate, kDuplicate };

struct Instruction {
  int code, operand;
};

__host__ __device__ unsigned run(const Operation* table, const Instruction* program, int length) {
  Machine machine;
  machine.depth = 0;
  for (int i = 0; i < length; ++i) table[program[i].code](machine, program[i].operand);
  return machine.stack[0];
}

__global__ void run_all(const Instruction* programs, int length, int count, unsigned* results) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) results[i] = run(device_table, programs + i * length, length);
}

using Filter = float (*)(float);
__device__ float halve(float x) {
  return x * 0.5f;
}
__device__ float square(float x) {
  return x * x;
}
__device__ Filter halve_pointer = halve;
__device__ Filter square_pointer = square;

__global__ void apply(Filter even, Filter odd, float* cells) {
  const int i = threadIdx.x;
  Filter mine = i % 2 ? odd : even;  // different targets within a warp
  cells[i] = mine(mine(cells[i]));
}

// Every program pushes, works on at most a few values, and leaves one; padded with pairs that change nothing.
std::vector<Instruction> random_program(Random& random, int length) {
  std::vector<Instruction> program;
  int depth = 0;
  while (static_cast<int>(program.size()) + depth < length - 1) {
    const int code = static_cast<int>(random.below(5));
    if ((code == kAdd || code == kMultiply) && depth < 2) continue;
    if ((code == kNegate || code == kDuplicate) && depth < 1) continue;
    if ((code == kPush || code == kDuplicate) && depth == 8) continue;
    program.push_back({code, static_cast<int>(random.below(9)) - 4});
    depth += code == kPush || code == kDuplicate ? 1 : code == kNegate ? 0 : -1;
  }
  for (; depth > 1; --depth) program.push_back({kAdd, 0});
  while (static_cast<int>(program.size()) < length) program.push_back({kNegate, 0});
  return program;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = size_argument(argc, argv, 1, 100, 1, 1 << 20);
  constexpr int kLength = 24;
  Random random(43);
  std::vector<Instruction> programs;
  std::vector<unsigned> want(count);
  for (int i = 0; i < count; ++i) {
    const auto program = random_program(random, kLength);
    programs.insert(programs.end(), program.begin(), program.end());
    want[i] = run(host_table, program.data(), kLength);
  }
  DeviceArray<Instruction> device_programs(programs);
  DeviceArray<unsigned> results(count, 0xff);
  run_all<<<(count + 63) / 64, 64>>>(device_programs, kLength, count, results);
  FINISH_KERNEL();
  EXPECT_SAME(want, results.download(), "result");

  Filter even = nullptr, odd = nullptr;
  CUDA(cudaMemcpyFromSymbol(&even, halve_pointer, sizeof(Filter)));
  CUDA(cudaMemcpyFromSymbol(&odd, square_pointer, sizeof(Filter)));
  std::vector<float> cells(32), want_cells(32);
  for (int i = 0; i < 32; ++i) cells[i] = i, want_cells[i] = i % 2 ? float(i) * i * i * i : i * 0.25f;
  DeviceArray<float> device_cells(cells);
  apply<<<1, 32>>>(even, odd, device_cells);
  FINISH_KERNEL();
  EXPECT_SAME(want_cells, device_cells.download(), "cell");
  return PASS("programs=%d first result=%u", count, want[0]);
}
