// An interpreter for a small byte code, one program a thread: a dense switch of twenty cases in a loop, with jumps and
// a stack. Exercises: jump tables (brx.idx), irregular divergence inside a loop, byte-wise code fetch, local arrays.
//
// deterministic: yes
#include "check.h"

namespace {

enum Code : unsigned char {
  kHalt,
  kPush,
  kPop,
  kDup,
  kSwap,
  kOver,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kRem,
  kAnd,
  kOr,
  kXor,
  kNot,
  kShl,
  kShr,
  kJump,
  kJumpIfZero,
  kLoopIfLess,
  kCodes
};
constexpr int kStack = 16;
constexpr int kFuel = 200;

__host__ __device__ unsigned execute(const unsigned char* code, int length, unsigned input) {
  unsigned stack[kStack] = {input, input ^ 0x55};
  int top = 2, at = 0;
  for (int fuel = 0; fuel < kFuel && at < length; ++fuel) {
    const unsigned char operation = code[at++];
    const unsigned a = stack[(top - 1) & (kStack - 1)], b = stack[(top - 2) & (kStack - 1)];
    unsigned result = 0;
    int pops = 2, pushes = 1;
    switch (operation) {
      case kHalt:
        at = length, pops = pushes = 0;
        break;
      case kPush:
        result = code[at++ % length], pops = 0;
        break;
      case kPop:
        pops = 1, pushes = 0;
        break;
      case kDup:
        result = a, pops = 0;
        break;
      case kSwap:
        stack[(top - 1) & (kStack - 1)] = b, result = 0, stack[(top - 2) & (kStack - 1)] = a, pops = pushes = 0;
        break;
      case kOver:
        result = b, pops = 0;
        break;
      case kAdd:
        result = a + b;
        break;
      case kSub:
        result = b - a;
        break;
      case kMul:
        result = a * b;
        break;
      case kDiv:
        result = a ? b / a : ~0u;
        break;
      case kRem:
        result = a ? b % a : 0;
        break;
      case kAnd:
        result = a & b;
        break;
      case kOr:
        result = a | b;
        break;
      case kXor:
        result = a ^ b;
        break;
      case kNot:
        result = ~a, pops = 1;
        break;
      case kShl:
        result = b << (a & 31);
        break;
      case kShr:
        result = b >> (a & 31);
        break;
      case kJump:
        at = (at + code[at % length] % 5) % length, pops = pushes = 0;
        break;
      case kJumpIfZero:
        at = a & 1 ? at : (at + 2) % length, pops = 1, pushes = 0;
        break;
      case kLoopIfLess:
        at = a < b ? at / 2 : at, pops = 1, pushes = 0;
        break;
      default:
        pops = pushes = 0;
        break;
    }
    top = (top - pops) & (kStack - 1);
    if (pushes) stack[top] = result, top = (top + 1) & (kStack - 1);
  }
  unsigned digest = top;
  for (int i = 0; i < kStack; ++i) digest = digest * 31 + stack[i];
  return digest;
}

__global__ void run(const unsigned char* code, int length, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = execute(code + i / 4 * length, length, i);  // four neighbours share a program
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 128, 4, 1 << 20) / 4 * 4;
  constexpr int kLength = 40;
  Random random(66);
  std::vector<unsigned char> code(n / 4 * kLength);
  for (auto& c : code)
    c = static_cast<unsigned char>(random.below(40) == 0 ? random.below(256) : 1 + random.below(kCodes - 1));
  std::vector<unsigned> want(n);
  for (int i = 0; i < n; ++i) want[i] = execute(&code[i / 4 * kLength], kLength, i);
  DeviceArray<unsigned char> device_code(code);
  DeviceArray<unsigned> out(n);
  run<<<(n + 63) / 64, 64>>>(device_code, kLength, out, n);
  FINISH_KERNEL();
  EXPECT_SAME(want, out.download(), "digest");
  return PASS("programs=%d", n / 4);
}
